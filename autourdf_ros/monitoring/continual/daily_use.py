"""What a robot's daily work tells of its model: bounded, and on disk what it needs later.

While nothing is told or suspected, some looks are gathered: spread over configurations for refining
the model, and by time for its drift.
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
from autourdf_ros.monitoring.repairing.refined_axes import LEAST_LOOKS, prior_model, promised

PERIOD = 5.0  # s between two looks of a camera that are gathered
HELD_BACK = 10.0  # s after a look in which nothing may be suspected, else it does not count
MOST, MOST_OF_BIN = 60, 15  # looks of a camera, for the refinement and in a bin of the drift
LEAST_OF_BIN = 3
POINTS = 4000  # of a look, at most


@dataclass(frozen=True)
class DailyOptions:
    """bin: seconds that are one estimate of the drift. tighter: share by which the axes' standard
    deviations have to get smaller for the model to be refined by itself; 1: it never is.
    """

    bin: float = 3600.0
    tighter: float = 1.0


class _Bin:
    """Looks of the time that is estimated now."""

    def __init__(self, cameras: Sequence[str]) -> None:
        self.began: float | None = None
        self.spread = SpreadObservations(cameras, MOST_OF_BIN)
        self.count = 0

    def add(self, look: Comparison) -> None:
        if self.began is None:
            self.began = look.look.stamp
        self.spread.add(look)
        self.count += 1


class DailyUse:
    """Of one model. For one thread at a time, but `ready`, `bins` and `problem` are for all."""

    def __init__(
        self,
        model: WatchedModel,
        cameras: Sequence[str],
        folder: Path,
        options: DailyOptions = DailyOptions(),
    ) -> None:
        """folder: of the model in its history, beside which the drift is kept."""
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
    def looks(self) -> list[Comparison]:
        """Gathered for a refinement, at most `MOST` of every camera."""
        return self._gathered.looks

    @property
    def gathered(self) -> int:
        """How many these are."""
        return self._gathered.count

    @property
    def too_few(self) -> str:
        """Why these do not do, if so."""
        fewest = self._gathered.fewest
        if fewest >= LEAST_LOOKS:
            return ""
        return (
            f"too little was gathered to refine the model ({fewest} looks of the camera with "
            f"fewest; accepted are {LEAST_LOOKS} at least): refine when more was seen"
        )

    @property
    def drifts(self) -> list[Drift]:
        """What changed over time while this model was watched."""
        return drifts([one for one in self.bins if one.model == self._name])

    def wants(self, camera: str, stamp: float) -> bool:
        """Whether a look of this camera at this time (s) should be gathered."""
        passed = stamp - self._newest.get(camera, -np.inf)
        return not -CLOCK_SET_BACK <= passed < PERIOD

    def doubt(self) -> None:
        """Something is suspected: the latest looks do not count."""
        self._held.clear()

    def add(self, look: Comparison) -> None:
        """Take a look at a robot of which nothing is suspected so far."""
        stamp, camera = look.look.stamp, look.look.camera
        if stamp < self._newest.get(camera, stamp):
            # The clock was set back.
            self._held.clear()
            self.finish()
        self._newest[camera] = stamp
        self._held.append(_bounded(look))
        while stamp - self._held[0].look.stamp >= HELD_BACK:
            self._count(self._held.popleft())

    def finish(self) -> None:
        """End the time that is estimated now."""
        done, self._bin = self._bin, _Bin(self._cameras)
        if done.spread.fewest < LEAST_OF_BIN:
            return
        own = drift_bin(self._causes, done.spread.looks, self._name, done.count)
        self.bins = bounded((*self.bins, own))
        try:
            write_drift(self._path, self.bins)
            self.problem = ""
        except InputError as error:
            self.problem = str(error)

    def _count(self, look: Comparison) -> None:
        began = self._bin.began
        if began is not None and look.look.stamp - began >= self._options.bin:
            self.finish()
            self.ready = self._is_ready()
        self._gathered.add(look)
        self._bin.add(look)

    def _is_ready(self) -> bool:
        if self.too_few or self.drifts:
            return False
        promise = promised(self._model, self.prior, self._cameras, self.looks)
        return promise >= self._options.tighter


def _bounded(look: Comparison) -> Comparison:
    # The order of the points does not follow the image.
    nothing = look.unexplained[:0]
    kept = replace(
        look.look,
        close=look.look.close[:POINTS].copy(),
        number=look.look.number[:POINTS].copy(),
        about=nothing,
    )
    return replace(look, look=kept, unexplained=nothing)
