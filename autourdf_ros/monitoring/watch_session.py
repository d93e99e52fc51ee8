"""One robot under watch: the monitor of its current model, repairs, and the way back."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autourdf_ros.data.background import Background
from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.continual.daily_use import DailyOptions, DailyUse
from autourdf_ros.monitoring.continual.drift_file import drift_entry
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.monitoring.continual.recent_observations import RecentObservations
from autourdf_ros.monitoring.monitor import Monitor, MonitorOptions
from autourdf_ros.monitoring.motions.informative_motions import Question, question_of
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.observation_comparison import compare_observation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel, load_watched_model
from autourdf_ros.monitoring.repairing.model_repair import Repair, repair, write_repair
from autourdf_ros.monitoring.repairing.refined_axes import RefinedAxes, refine_axes, write_refined

ENOUGH = 10  # looks of every camera since a change, from which it is repaired


@dataclass(frozen=True)
class Outcome:
    """What came of a repair, a refinement, or a rollback, of which nothing is `made`.

    folder: of the model that is current now, None where it is the one of before.
    """

    made: Repair | RefinedAxes | None
    folder: Path | None


class WatchSession:
    """Watches with the current model of a history. For one thread at a time."""

    def __init__(
        self,
        history: ModelHistory,
        cameras: Sequence[str],
        options: MonitorOptions,
        background: Background | None = None,
        daily: DailyOptions | None = None,
    ) -> None:
        """Raises InputError where the current model cannot be used."""
        self._history, self._cameras = history, tuple(cameras)
        self._options, self._background = options, background
        self._daily_options = daily or DailyOptions()
        self._adding, self._closed = threading.Lock(), False
        self._writing: tempfile.TemporaryDirectory[str] | None = None
        folder = history.current()
        self._begin(folder, self._loaded(folder))

    def _loaded(self, folder: Path) -> tuple[WatchedModel, Monitor]:
        model = load_watched_model(folder)
        return model, Monitor(model, self._cameras, self._options, self._background)

    def _watch(self, folder: Path, loaded: tuple[WatchedModel, Monitor]) -> None:
        """Watch with another model."""
        self.finish()
        self._begin(folder, loaded)

    def _begin(self, folder: Path, loaded: tuple[WatchedModel, Monitor]) -> None:
        """Begin anew: the usual is learnt again."""
        self.folder = folder
        self.model, self._monitor = loaded
        self.daily = DailyUse(self.model, self._cameras, folder, self._daily_options)
        self._looks = RecentObservations()
        self._told: tuple[tuple[str, str], ...] = ()
        self._tried = False
        # Whether a change is told, was not tried yet, and enough was seen of it to repair it; set
        # by the thread that watches, for others to read.
        self.ready = False
        self.report: Report | None = None

    def rollback(self) -> Outcome:
        """Go back to the model that was current before. Raises InputError, and changes nothing,
        where there was none, or it cannot be used."""
        loaded = self._loaded(self._history.before())
        folder = self._history.rollback()
        self._watch(folder, loaded)
        return Outcome(None, folder)

    def close(self) -> None:
        """Write nothing any more, and leave nothing half written; from any thread."""
        with self._adding:
            self._closed = True
            if self._writing is not None:
                # What writes there finds it gone, and ends.
                shutil.rmtree(self._writing.name, ignore_errors=True)

    def take(self, observation: Observation) -> Report:
        """Watch one cloud. Raises InputError as `Monitor.update` does."""
        report = self._monitor.update(observation)
        self.report = report
        # A thing beside the robot asks for no repair.
        told = tuple((one.kind, one.subject) for one in report.changes if one.kind != "object")
        if told and not self._told:
            self._looks.forget_recent()
            self._tried = False
        self._told = told
        keep = not report.watching or bool(told)
        if keep and self._looks.wants(observation.camera, observation.stamp):
            look = compare_observation(self.model, observation, self._background)
            self._looks.add(look, changed=bool(told))
        self.ready = self._is_ready()
        self._gather(observation)
        return report

    def _gather(self, observation: Observation) -> None:
        """Gather the looks of daily work, while all is well."""
        if not self._monitor.settled:
            self.daily.doubt()
        elif self.daily.wants(observation.camera, observation.stamp):
            self.daily.add(compare_observation(self.model, observation, self._background))

    def finish(self) -> None:
        """Keep what was gathered of the drift; nothing is watched after it."""
        self.daily.finish()

    def _is_ready(self) -> bool:
        seen = Counter(one.look.camera for one in self._looks.recent)
        enough = all(seen[camera] >= ENOUGH for camera in self._cameras)
        return bool(self._told) and not self._tried and enough

    @property
    def to_repair(self) -> Change | None:
        """The most probable change that is no thing beside the robot, else the most probable."""
        changes = () if (report := self.report) is None else report.changes
        own = [change for change in changes if change.kind != "object"]
        return next(iter([*own, *changes]), None)

    def question(self, change: Change) -> Question:
        """What motions could tell of a change. Raises InputError as `question_of` does."""
        return question_of(self.model, change, self._looks.healthy, self._looks.recent)

    def keep(self, observation: Observation) -> None:
        """Use one more cloud of the robot as it is now for the repair, and do not judge it."""
        look = compare_observation(self.model, observation, self._background)
        self._looks.add(look, changed=True)

    def repair(self) -> Outcome:
        """Repair the change that `to_repair` names; what passes the held-out check becomes current.

        Raises InputError where there is none, too little was seen of it, or nothing can be done;
        CancelledError where it was closed meanwhile.
        """
        change = self.to_repair
        if change is None:
            raise InputError("nothing to repair: no change is told")
        self._tried, self.ready = True, False
        made = repair(self.model, change, self._looks.healthy, self._looks.recent)
        if not (made.accepted and made.for_model):
            return Outcome(made, None)
        drift = drift_entry(self.daily.bins)
        new = self._written(lambda out: write_repair(self.folder, out, made, drift))
        return Outcome(made, new)

    @property
    def not_to_refine(self) -> str:
        """Why the model is not to be refined now, if it is not."""
        daily = self.daily
        if (change := self.to_repair) is not None:
            return f"not to be refined while a change is told: {change.evidence}"
        if told := "; ".join(one.told for one in daily.drifts):
            return f"not to be refined by looks at a robot that changed: {told}"
        return daily.too_few

    def refine(self) -> Outcome:
        """Refine the model by daily work; it becomes current if it passes the held-out check.

        Raises InputError where too little was gathered, or something is suspected; CancelledError
        as `repair`.
        """
        daily = self.daily
        daily.ready = False
        if reason := self.not_to_refine:
            raise InputError(reason)
        made = refine_axes(self.model, self._cameras, daily.looks, daily.prior)
        if not made.accepted:
            return Outcome(made, None)
        drift = drift_entry(daily.bins)
        new = self._written(lambda out: write_refined(self.folder, out, made, drift))
        return Outcome(made, new)

    def _written(self, write: Callable[[Path], Path]) -> Path:
        """Make what is written current. Raises CancelledError where it was closed meanwhile."""
        try:
            return self._adopted(write)
        except Exception as error:
            if self._closed:
                raise CancelledError("the repair was cancelled: the node ends") from error
            raise

    def _adopted(self, write: Callable[[Path], Path]) -> Path:
        with self._folder() as folder:
            written = write(Path(folder) / self.model.links[0])
            # What cannot be watched does not become current.
            loaded = self._loaded(written)
            with self._adding:
                self._refuse_closed()
                new = self._history.add(written)
        self._watch(new, loaded)
        return new

    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """Where a model is written first; what a kill leaves of it, the next repair removes."""
        with self._adding:
            self._refuse_closed()
            ending = f".{os.getpid()}.partial"
            self._writing = tempfile.TemporaryDirectory(
                ending, ".repair.", self._history.root, ignore_cleanup_errors=True
            )
        return self._writing

    def _refuse_closed(self) -> None:
        if self._closed:
            raise CancelledError("the repair was cancelled: the node ends")
