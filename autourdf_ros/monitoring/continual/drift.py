"""How a robot's zeros and axes, and its cameras, stood over days, against the models watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.change import Quantity
from autourdf_ros.monitoring.diagnosis.baseline import learn_again, learn_baseline
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.repairing.model_repair import parameters_of
from autourdf_ros.monitoring.repairing.refit import Refit

MOST_BINS = 96
SIGMAS = 3.0  # standard deviations of a change that is told
MAY_DRIFT = 1 / 6  # of what has changed: 0.5°, 3 mm, of zeros and cameras since the model was made
KINDS = ("joint_zero", "joint_axis", "camera_pose")

Of = tuple[str, str, str]
"""Kind, subject and name of a quantity."""


@dataclass(frozen=True)
class DriftBin:
    """What the looks between two stamps (s) tell of a robot, as off from a model of this name.

    The standard deviations hold for changes between bins of one model, and are rather too large
    for them: they have in them the errors of the meshes, most of which all bins share.
    """

    model: str
    start: float
    end: float
    looks: int
    quantities: Mapping[Of, Quantity]


@dataclass(frozen=True)
class Drift:
    """That a quantity is another in the last bin of a model than in its first, `seconds` before."""

    of: Of
    model: str
    change: Quantity
    seconds: float

    @property
    def told(self) -> str:
        """A sentence."""
        kind, subject, name = self.of
        scale, unit = (180 / np.pi, "°") if self.change.unit == "rad" else (1e3, " mm")
        value, std = scale * self.change.value, scale * self.change.std
        return (
            f"{kind} {subject} drifted, {name}: by {value:.2f} ± {std:.2f}{unit} within "
            f"{self.seconds / 3600:.1f} hours of model {self.model}"
        )


class DriftingCauses(Causes):
    """Causes of a robot whose zeros and cameras may have moved since its model was made."""

    @cached_property
    def known(self) -> NDArray[np.float64]:
        """(P,) standard deviations; of the axes, those that the model has of itself."""
        known = np.concatenate([cause.known for cause in self.table])
        for cause in self.table:
            if cause.kind in ("joint_zero", "camera_pose"):
                known[cause.columns] = MAY_DRIFT * cause.changed
        return known


def drift_bin(
    causes: DriftingCauses, looks: Sequence[Comparison], model: str, count: int
) -> DriftBin:
    """Estimate from looks, of every camera some. model: its name. count: looks that they are of.

    Points are matched once more where the first estimate has the robot.
    """
    first = learn_baseline(causes, looks)
    baseline = learn_again(causes, [one.look for one in looks], first.parameters)
    quantities: dict[Of, Quantity] = {}
    for cause in causes.table:
        if cause.kind in KINDS:
            own = cause.columns
            found = Refit(cause, baseline.parameters[own], baseline.covariance[own, own], 0.0)
            for quantity in parameters_of(found, causes.model):
                if quantity.std > 0:
                    quantities[cause.kind, cause.subject, quantity.name] = quantity
    stamps = [one.look.stamp for one in looks]
    return DriftBin(model, min(stamps), max(stamps), count, quantities)


def bounded(bins: Sequence[DriftBin], most: int = MOST_BINS) -> tuple[DriftBin, ...]:
    """The bins with the shortest two neighbours of one model merged, the oldest first, as needed.

    Where none is of the model of its neighbour, the oldest goes.
    """
    kept = list(bins)
    while len(kept) > most:
        spans = [
            abs(after.end - before.start) if after.model == before.model else np.inf
            for before, after in pairwise(kept)
        ]
        place = int(np.argmin(spans)) if spans else 0
        if spans and np.isfinite(spans[place]):
            kept[place : place + 2] = [_merged(*kept[place : place + 2])]
        else:
            del kept[0]
    return tuple(kept)


def drifts(bins: Iterable[DriftBin]) -> list[Drift]:
    """What changed significantly while one model was watched, the greatest in deviations first."""
    found: list[tuple[float, Drift]] = []
    for model, group in groupby(bins, key=lambda one: one.model):
        first, *others = group
        last = others[-1] if others else first
        for of, now in last.quantities.items():
            before = first.quantities.get(of)
            if before is None:
                continue
            std = float(np.hypot(before.std, now.std))
            change = Quantity(now.name, now.value - before.value, std, now.unit)
            if abs(change.value) > SIGMAS * std:
                drift = Drift(of, model, change, last.end - first.start)
                found.append((abs(change.value) / std, drift))
    return [drift for _, drift in sorted(found, key=lambda pair: -pair[0])]


def _merged(first: DriftBin, second: DriftBin) -> DriftBin:
    """One bin of both. Errors of the meshes are the same in both: they do not average out."""
    looks = first.looks + second.looks
    shares = first.looks / looks, second.looks / looks
    quantities = {}
    for of, before in first.quantities.items():
        after = second.quantities.get(of)
        if after is not None:
            value = shares[0] * before.value + shares[1] * after.value
            std = float(np.sqrt(shares[0] * before.std**2 + shares[1] * after.std**2))
            quantities[of] = Quantity(before.name, value, std, before.unit)
    return DriftBin(first.model, first.start, second.end, looks, quantities)
