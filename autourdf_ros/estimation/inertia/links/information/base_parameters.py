"""The combinations of parameters that efforts can determine at all, and their names.

Gautier, "Numerical Calculation of the Base Inertial Parameters of Robots", J. Robotic Systems 1991:
columns of the regressor that depend on those before them are regrouped into these, by QR.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.links.torque_model import JointMotion, TorqueModel

Array = NDArray[np.float64]

_STATES = 4.0  # rows of the regressor per column: a resource bound, of which one would do
_DEPENDENT = 1e-7  # of a column of length one: numerical zero of the QR
_NAMED = 1e-6  # a factor below which a name does not count a parameter: numerical zero


@dataclass(frozen=True)
class BaseParameters:
    """b base parameters of a model with p columns.

    Attributes:
        chosen: (b,) columns that span all others.
        grouping: (b, p) base parameters per parameter: Y φ = Y[:, chosen] @ grouping @ φ.
        names: (b,) such as "Izz elbow + 0.25 m wrist".
    """

    chosen: NDArray[np.intp]
    grouping: Array
    names: tuple[str, ...]

    def unreachable(self, covariance: Array) -> Array:
        """Return the covariance (p, p) that is left of this one by data without end.

        What is in no base parameter stays as the prior has it, as far as it does not follow from
        the base parameters by the prior's correlations.
        """
        across = covariance @ self.grouping.T
        known = self.grouping @ across
        return np.asarray(covariance - across @ np.linalg.pinv(known, hermitian=True) @ across.T)


def base_parameters(model: TorqueModel, seed: int = 0) -> BaseParameters:
    """Return the base parameters of a robot, whatever its motion.

    Args:
        model: The robot.
        seed: Of the random states, of which any do.
    """
    rows = model.regressor(random_states(model, seed)).reshape(-1, model.size)
    length = np.linalg.norm(rows, axis=0)
    there = length > _DEPENDENT * length.max()
    scaled = rows / np.where(there, length, 1.0)
    chosen = _independent(scaled, there)
    factors = np.linalg.lstsq(scaled[:, chosen], scaled, rcond=None)[0]
    grouping = factors / np.where(there, length, np.inf)[chosen][:, None] * length
    grouping[:, chosen] = np.eye(len(chosen))
    grouping[np.abs(grouping) < _NAMED] = 0.0
    return BaseParameters(chosen, grouping, tuple(_name(row, model.names) for row in grouping))


def random_states(model: TorqueModel, seed: int) -> JointMotion:
    """Return states of the joints all over their ranges, without noise.

    Velocities and accelerations are about 1 per second, or half the limit of the velocity.
    """
    rng = np.random.default_rng(seed)
    count = int(_STATES * model.size / len(model.joints)) + 1
    lower, upper, speed = model.limits
    lower, upper = np.maximum(lower, -np.pi), np.minimum(upper, np.pi)
    speed = np.minimum(speed / 2, 1.0)
    shape = (count, len(model.joints))
    still = np.zeros(len(model.joints))
    return JointMotion(
        rng.uniform(lower, upper, shape),
        speed * rng.normal(size=shape),
        speed * rng.normal(size=shape),
        still,
        still,
    )


def _independent(columns: Array, there: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Numbers of the columns that do not depend on those before them (Gram-Schmidt, twice)."""
    basis = np.empty((len(columns), 0))
    chosen = []
    for number in np.flatnonzero(there):
        rest = columns[:, number]
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        if (norm := np.linalg.norm(rest)) > _DEPENDENT:
            basis = np.column_stack([basis, rest / norm])
            chosen.append(number)
    return np.array(chosen, dtype=np.intp)


def _name(row: Array, names: tuple[str, ...]) -> str:
    """The sum that a base parameter is, in words; its own parameter first."""
    first = int(np.argmax(np.isclose(row, 1.0)))
    order = [first, *(k for k in np.flatnonzero(row).tolist() if k != first)]
    text = ""
    for number in order:
        factor = float(row[number])
        sign = "-" if factor < 0 else "+"
        size = "" if np.isclose(abs(factor), 1.0) else f"{abs(factor):.3g} "
        text += f" {sign} {size}{names[number]}" if text else f"{size}{names[number]}"
    return text
