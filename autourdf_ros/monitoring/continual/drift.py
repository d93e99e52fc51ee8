"""Drift of a robot's zeros and axes and of its cameras over days, against the watched models."""

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
from autourdf_ros.monitoring.diagnosis.change_wording import quantities_of
from autourdf_ros.monitoring.observing.observation_comparison import Comparison

MOST_BINS = 96
SIGMAS = 3.0  # standard deviations of a significant change
MAY_DRIFT = 1 / 6  # of `CHANGED`: 0.5° and 3 mm for zeros and cameras since the model was made
KINDS = ("joint_zero", "joint_axis", "camera_pose")

QuantityKey = tuple[str, str, str]
"""Kind and subject of a cause, and name of its quantity."""


@dataclass(frozen=True)
class DriftBin:
    """Estimate from the observations between two stamps (s), as deviations from one model.

    The standard deviations hold for changes between bins of one model, and are rather too large for
    them: they contain the errors of the meshes, most of which all bins share.

    Attributes:
        model: Name of the model's folder.
        start: First stamp (s).
        end: Last stamp (s).
        observations: Number of observations.
        quantities: Deviations by their keys.
    """

    model: str
    start: float
    end: float
    observations: int
    quantities: Mapping[QuantityKey, Quantity]


@dataclass(frozen=True)
class Drift:
    """A significant change of a quantity from the first to the last bin of a model.

    Attributes:
        key: Of the quantity.
        model: Name of the model's folder.
        change: Its size.
        seconds: Between the first and the last observation.
    """

    key: QuantityKey
    model: str
    change: Quantity
    seconds: float

    @property
    def summary(self) -> str:
        """The drift as a sentence."""
        kind, subject, name = self.key
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
        """(P,) standard deviations; those of the axes are the model's own."""
        known = np.concatenate([cause.known for cause in self.table])
        for cause in self.table:
            if cause.kind in ("joint_zero", "camera_pose"):
                known[cause.columns] = MAY_DRIFT * cause.changed
        return known


def drift_bin(
    causes: DriftingCauses, comparisons: Sequence[Comparison], model: str, count: int
) -> DriftBin:
    """Estimate a bin; points are matched a second time at the first estimate.

    Args:
        causes: Of the watched model.
        comparisons: Some of every camera.
        model: Name of the model's folder.
        count: Number of observations that `comparisons` were chosen from.
    """
    first = learn_baseline(causes, comparisons)
    baseline = learn_again(causes, [one.observation for one in comparisons], first.parameters)
    quantities: dict[QuantityKey, Quantity] = {}
    for cause in causes.table:
        if cause.kind in KINDS:
            own = cause.columns
            parameters, covariance = baseline.parameters[own], baseline.covariance[own, own]
            for quantity in quantities_of(cause, parameters, covariance, causes.model):
                if quantity.std > 0:
                    quantities[cause.kind, cause.subject, quantity.name] = quantity
    stamps = [one.observation.stamp for one in comparisons]
    return DriftBin(model, min(stamps), max(stamps), count, quantities)


def bounded(bins: Sequence[DriftBin], most: int = MOST_BINS) -> tuple[DriftBin, ...]:
    """Merge bins until at most `most` are left.

    The two neighbours of one model that span the shortest time are merged, the oldest first. Where
    no neighbours share a model, the oldest bin is dropped.
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
    """Return the significant drifts under one model, the largest in deviations first."""
    found: list[tuple[float, Drift]] = []
    for model, group in groupby(bins, key=lambda one: one.model):
        first, *others = group
        last = others[-1] if others else first
        for key, now in last.quantities.items():
            before = first.quantities.get(key)
            if before is None:
                continue
            std = float(np.hypot(before.std, now.std))
            change = Quantity(now.name, now.value - before.value, std, now.unit)
            if abs(change.value) > SIGMAS * std:
                drift = Drift(key, model, change, last.end - first.start)
                found.append((abs(change.value) / std, drift))
    return [drift for _, drift in sorted(found, key=lambda pair: -pair[0])]


def _merged(first: DriftBin, second: DriftBin) -> DriftBin:
    """Merge two bins. Their mesh errors are the same, and do not average out."""
    total = first.observations + second.observations
    shares = first.observations / total, second.observations / total
    quantities = {}
    for key, before in first.quantities.items():
        after = second.quantities.get(key)
        if after is not None:
            value = shares[0] * before.value + shares[1] * after.value
            std = float(np.sqrt(shares[0] * before.std**2 + shares[1] * after.std**2))
            quantities[key] = Quantity(before.name, value, std, before.unit)
    return DriftBin(first.model, first.start, second.end, total, quantities)
