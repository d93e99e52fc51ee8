"""A cart on a rail with a pole that turns about it: its coefficients and its motion."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

GRAVITY = 9.81  # m/s²
_SMOOTH = 0.01
"""Speed (m/s, rad/s) below which Coulomb friction is smoothed, so that steps of a size work."""


@dataclass(frozen=True)
class CartPole:
    """What the motion of a cart-pole depends on; only these combinations of masses move it.

    States are (cart's position, angle of the pole from upright, and their velocities); the angle
    is positive towards +position. The equations are those of Florian, "Correct equations for the
    dynamics of the cart-pole system", 2007, for a pole of any inertia.

    Attributes:
        mass: Of cart and pole together, with the armature of the rail (kg).
        moment: Mass of the pole times the distance of its centre from the hinge (kg m).
        inertia: Of the pole about the hinge, with the hinge's armature (kg m²).
        rail_damping: N s/m.
        hinge_damping: N m s/rad.
        rail_friction: Coulomb friction (N).
        hinge_friction: Coulomb friction (N m).
        gravity: m/s².

    Raises:
        InputError: the mass matrix is not positive definite, or a damping or friction is negative.
    """

    mass: float
    moment: float
    inertia: float
    rail_damping: float = 0.0
    hinge_damping: float = 0.0
    rail_friction: float = 0.0
    hinge_friction: float = 0.0
    gravity: float = GRAVITY

    def __post_init__(self) -> None:
        values = astuple(self)
        if not (np.isfinite(values).all() and self.mass * self.inertia > self.moment**2):
            raise InputError(
                f"cart-pole: mass {self.mass}, moment {self.moment}, inertia {self.inertia}; "
                "accepted is a positive definite mass matrix"
            )
        if min(values[3:]) < 0:
            raise InputError("cart-pole: damping, friction and gravity are 0 or above")

    @property
    def values(self) -> Array:
        """(8,) all attributes in their order."""
        return np.array(astuple(self))

    def linearised(self) -> tuple[Array, Array]:
        """Return (4, 4) and (4, 1) of d state/dt = A state + B force, about upright at rest."""
        matrix = np.array([[self.mass, self.moment], [self.moment, self.inertia]])
        stiffness = np.diag([0.0, self.moment * self.gravity])
        damping = np.diag([self.rail_damping, self.hinge_damping])
        a, b = np.zeros((4, 4)), np.zeros((4, 1))
        a[:2, 2:] = np.eye(2)
        a[2:, :2] = np.linalg.solve(matrix, stiffness)
        a[2:, 2:] = -np.linalg.solve(matrix, damping)
        b[2:, 0] = np.linalg.solve(matrix, [1.0, 0.0])
        return a, b


@njit(cache=True, nogil=True)
def _accelerations(
    angle: float, speed: float, turning: float, force: float, values: Array
) -> tuple[float, float]:
    """Accelerations of cart and pole under a force (N); scalars, for speed."""
    mass, moment, inertia, rail, hinge, rail_friction, hinge_friction, gravity = values
    sine, cosine = np.sin(angle), np.cos(angle)
    coupling = moment * cosine
    push = force - rail * speed + moment * sine * turning * turning
    if rail_friction > 0:
        push -= rail_friction * np.tanh(speed / _SMOOTH)
    turn = moment * gravity * sine - hinge * turning
    if hinge_friction > 0:
        turn -= hinge_friction * np.tanh(turning / _SMOOTH)
    determinant = mass * inertia - coupling * coupling
    return (
        (inertia * push - coupling * turn) / determinant,
        (mass * turn - coupling * push) / determinant,
    )


@njit(cache=True, nogil=True)
def advance(state: Array, force: float, values: Array, period: float, steps: int) -> None:
    """Move a state (4,) on by `period` (s) in place, with the force (N) held: Runge-Kutta 4."""
    step = period / steps
    half = step / 2
    x, angle, v, w = state
    for _ in range(steps):
        a1, b1 = _accelerations(angle, v, w, force, values)
        v2, w2 = v + half * a1, w + half * b1
        a2, b2 = _accelerations(angle + half * w, v2, w2, force, values)
        v3, w3 = v + half * a2, w + half * b2
        a3, b3 = _accelerations(angle + half * w2, v3, w3, force, values)
        v4, w4 = v + step * a3, w + step * b3
        a4, b4 = _accelerations(angle + step * w3, v4, w4, force, values)
        x += step / 6 * (v + 2 * v2 + 2 * v3 + v4)
        angle += step / 6 * (w + 2 * w2 + 2 * w3 + w4)
        v += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        w += step / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    state[0], state[1], state[2], state[3] = x, angle, v, w
