"""Observations of daily work, bounded in memory, with what must outlive the process on disk.

While nothing is reported or suspected, some observations are gathered: spread over configurations
for refining the model, and by time for its drift.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.joint_history import CLOCK_SET_BACK
from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import result_document
from autourdf_ros.monitoring.continual.drift import (
    Drift,
    DriftingCauses,
    bounded,
    drift_bin,
    drifts,
)
from autourdf_ros.monitoring.continual.drift_file import DRIFT, read_or_set_aside, write_drift
from autourdf_ros.monitoring.continual.spread_observations import SpreadObservations
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.monitoring.repairing.refined_axes import (
    LEAST_OBSERVATIONS,
    predicted_std_reduction,
    prior_model,
)

PERIOD = 5.0  # s between two gathered observations of a camera
HELD_BACK = 10.0  # s after an observation in which a suspicion discards it
MOST, MOST_OF_BIN = 60, 15  # observations of a camera for a refinement, and in a bin of the drift
LEAST_OF_BIN = 3
POINTS = 4000  # of an observation, at most


@dataclass(frozen=True)
class DailyOptions:
    """Options of daily use.

    Attributes:
        bin: Seconds of one estimate of the drift.
        least_reduction: Share by which the axes' standard deviations must shrink for a refinement
            without a call; 1: never.
    """

    bin: float = 3600.0
    least_reduction: float = 1.0


class _Bin:
    """Observations of the bin that is filled now."""

    def __init__(self, cameras: Sequence[str]) -> None:
        self.began: float | None = None
        self.spread = SpreadObservations(cameras, MOST_OF_BIN)
        self.count = 0

    def add(self, comparison: Comparison) -> None:
        if self.began is None:
            self.began = comparison.observation.stamp
        self.spread.add(comparison)
        self.count += 1


class DailyUse:
    """Daily use of one model, for one thread; all threads may read `ready`, `bins` and `problem`.

    Attributes:
        prior: The model before any refinement.
        ready: Whether a refinement would shrink the axes' deviations enough.
        bins: Estimates of the drift so far.
        problem: Why the drift file could not be read or written; else empty.
    """

    def __init__(
        self,
        model: WatchedModel,
        cameras: Sequence[str],
        folder: Path,
        options: DailyOptions = DailyOptions(),
    ) -> None:
        """Read the drift.

        Args:
            model: The watched model.
            cameras: Names of all cameras.
            folder: Of the model in its history; the drift is kept beside it.
            options: Times and thresholds.
        """
        self._model, self._cameras, self._options = model, tuple(cameras), options
        self.prior = prior_model(model, result_document(folder))
        self._name, self._path = folder.name, folder.parent / DRIFT
        self._causes = DriftingCauses(model, self._cameras)
        self._held: deque[Comparison] = deque()
        self._newest: dict[str, float] = {}
        self._gathered = SpreadObservations(cameras, MOST)
        self._bin = _Bin(cameras)
        self.ready = False  # whether the model would get so much tighter
        self.bins, self.problem = read_or_set_aside(self._path)

    @property
    def comparisons(self) -> list[Comparison]:
        """Comparisons gathered for a refinement, at most `MOST` of every camera."""
        return self._gathered.comparisons

    @property
    def gathered(self) -> int:
        """Number of comparisons gathered."""
        return self._gathered.count

    @property
    def too_few(self) -> str:
        """Why the gathered comparisons do not suffice; empty where they do."""
        fewest = self._gathered.fewest
        if fewest >= LEAST_OBSERVATIONS:
            return ""
        return (
            f"too few observations to refine the model ({fewest} of the camera with the fewest; "
            f"accepted: at least {LEAST_OBSERVATIONS}): refine later"
        )

    @property
    def drifts(self) -> list[Drift]:
        """Significant drifts while this model was watched."""
        return drifts([one for one in self.bins if one.model == self._name])

    def wants(self, camera: str, stamp: float) -> bool:
        """Whether an observation of this camera at this time (s) should be gathered."""
        passed = stamp - self._newest.get(camera, -np.inf)
        return not -CLOCK_SET_BACK <= passed < PERIOD

    def discard_pending(self) -> None:
        """Drop the latest observations: something is suspected."""
        self._held.clear()

    def add(self, comparison: Comparison) -> None:
        """Take an observation of a robot of which nothing is suspected so far."""
        stamp, camera = comparison.observation.stamp, comparison.observation.camera
        if stamp < self._newest.get(camera, stamp):
            # The clock was set back.
            self._held.clear()
            self.finish()
        self._newest[camera] = stamp
        self._held.append(_bounded(comparison))
        while stamp - self._held[0].observation.stamp >= HELD_BACK:
            self._count(self._held.popleft())

    def finish(self) -> None:
        """End the current bin and estimate its drift."""
        done, self._bin = self._bin, _Bin(self._cameras)
        if done.spread.fewest < LEAST_OF_BIN:
            return
        own = drift_bin(self._causes, done.spread.comparisons, self._name, done.count)
        self.bins = bounded((*self.bins, own))
        try:
            write_drift(self._path, self.bins)
            self.problem = ""
        except InputError as error:
            self.problem = str(error)

    def _count(self, comparison: Comparison) -> None:
        began = self._bin.began
        if began is not None and comparison.observation.stamp - began >= self._options.bin:
            self.finish()
            self.ready = self._is_ready()
        self._gathered.add(comparison)
        self._bin.add(comparison)

    def _is_ready(self) -> bool:
        if self.too_few or self.drifts:
            return False
        promise = predicted_std_reduction(self._model, self.prior, self._cameras, self.comparisons)
        return promise >= self._options.least_reduction


def _bounded(comparison: Comparison) -> Comparison:
    # The order of the points does not follow the image.
    nothing = comparison.unexplained[:0]
    kept = replace(
        comparison.observation,
        close=comparison.observation.close[:POINTS].copy(),
        number=comparison.observation.number[:POINTS].copy(),
        about=nothing,
    )
    return replace(comparison, observation=kept, unexplained=nothing)
