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
def derivative(state: Array, force: float, values: Array, out: Array) -> None:
    """Write the derivative of a state (4,) under a force (N) into `out`."""
    mass, moment, inertia, rail, hinge, rail_friction, hinge_friction, gravity = values
    sine, cosine = np.sin(state[1]), np.cos(state[1])
    coupling = moment * cosine
    push = force - rail * state[2] - rail_friction * np.tanh(state[2] / _SMOOTH)
    push += moment * sine * state[3] ** 2
    turn = moment * gravity * sine - hinge * state[3]
    turn -= hinge_friction * np.tanh(state[3] / _SMOOTH)
    determinant = mass * inertia - coupling * coupling
    out[0], out[1] = state[2], state[3]
    out[2] = (inertia * push - coupling * turn) / determinant
    out[3] = (mass * turn - coupling * push) / determinant


@njit(cache=True, nogil=True)
def advance(state: Array, force: float, values: Array, period: float, steps: int) -> None:
    """Move a state (4,) on by `period` (s) in place, with the force (N) held: Runge-Kutta 4."""
    step = period / steps
    k1, k2, k3, k4 = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    for _ in range(steps):
        derivative(state, force, values, k1)
        derivative(state + step / 2 * k1, force, values, k2)
        derivative(state + step / 2 * k2, force, values, k3)
        derivative(state + step * k3, force, values, k4)
        state += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
