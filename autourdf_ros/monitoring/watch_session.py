"""One robot under watch: the monitor of its current model, repairs, and rollbacks."""

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
from autourdf_ros.monitoring.monitor import Monitor
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.motions.informative_motions import Question, question_of
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.observation_comparison import compare_observation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel, load_watched_model
from autourdf_ros.monitoring.repairing.corrected_result import refuse_parts
from autourdf_ros.monitoring.repairing.model_repair import Repair, repair, write_repair
from autourdf_ros.monitoring.repairing.refined_axes import RefinedAxes, refine_axes, write_refined

ENOUGH = 10  # observations of every camera since a change that a repair needs


@dataclass(frozen=True)
class Outcome:
    """Result of a repair, a refinement or a rollback.

    Attributes:
        made: The repair or refinement; None after a rollback.
        folder: Of the new current model; None while the current model stays.
    """

    made: Repair | RefinedAxes | None
    folder: Path | None


class WatchSession:
    """Watches with the current model of a history. One thread at a time may call it."""

    def __init__(
        self,
        history: ModelHistory,
        cameras: Sequence[str],
        options: MonitorOptions,
        background: Background | None = None,
        daily: DailyOptions | None = None,
    ) -> None:
        """Load the current model.

        Args:
            history: Models of the robot.
            cameras: Names of all cameras.
            options: Of the monitor.
            background: The empty scene, as in `crop_observation`.
            daily: Options of daily use.

        Raises:
            InputError: The current model cannot be used.
        """
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
        """Start again: the baseline is learnt anew."""
        self.folder = folder
        self.model, self._monitor = loaded
        self.daily = DailyUse(self.model, self._cameras, folder, self._daily_options)
        self._kept = RecentObservations()
        self._reported: tuple[tuple[str, str], ...] = ()
        self._tried = False
        # Whether a reported change was not tried yet and has enough observations for a repair. The
        # watching thread sets it, other threads read it.
        self.ready = False
        self.report: Report | None = None

    def rollback(self) -> Outcome:
        """Go back to the previous current model.

        Raises:
            InputError: There is none, or it cannot be used; nothing is changed.
        """
        loaded = self._loaded(self._history.before())
        folder = self._history.rollback()
        self._watch(folder, loaded)
        return Outcome(None, folder)

    def close(self) -> None:
        """Stop writing and leave nothing half written. Any thread may call it."""
        with self._adding:
            self._closed = True
            if self._writing is not None:
                # The thread that writes there fails, and ends.
                shutil.rmtree(self._writing.name, ignore_errors=True)

    def take(self, observation: Observation) -> Report:
        """Watch one cloud. Raises InputError as `Monitor.update` does."""
        report = self._monitor.update(observation)
        self.report = report
        # A foreign object needs no repair.
        reported = tuple((one.kind, one.subject) for one in report.changes if one.kind != "object")
        if reported and not self._reported:
            self._kept.forget_recent()
            self._tried = False
        self._reported = reported
        keep = not report.watching or bool(reported)
        if keep and self._kept.wants(observation.camera, observation.stamp):
            comparison = compare_observation(self.model, observation, self._background)
            self._kept.add(comparison, changed=bool(reported))
        self.ready = self._is_ready()
        self._gather(observation)
        return report

    def _gather(self, observation: Observation) -> None:
        """Gather observations of daily work while nothing is suspected."""
        if not self._monitor.settled:
            self.daily.discard_pending()
        elif self.daily.wants(observation.camera, observation.stamp):
            self.daily.add(compare_observation(self.model, observation, self._background))

    def finish(self) -> None:
        """Save the drift gathered so far; nothing is watched after this call."""
        self.daily.finish()

    def _is_ready(self) -> bool:
        seen = Counter(one.observation.camera for one in self._kept.recent)
        enough = all(seen[camera] >= ENOUGH for camera in self._cameras)
        return bool(self._reported) and not self._tried and enough

    @property
    def loosely(self) -> tuple[str, ...]:
        """What is watched more loosely than a good model would be, each as a sentence."""
        return self._monitor.loosely

    @property
    def to_repair(self) -> Change | None:
        """The most probable change other than a foreign object, else the most probable change."""
        changes = () if (report := self.report) is None else report.changes
        own = [change for change in changes if change.kind != "object"]
        return next(iter([*own, *changes]), None)

    def question(self, change: Change) -> Question:
        """Return what motions could determine. Raises InputError as `question_of` does."""
        return question_of(self.model, change, self._kept.healthy, self._kept.recent)

    def keep(self, observation: Observation) -> None:
        """Use one more cloud of the changed robot for the repair, without a judgement."""
        comparison = compare_observation(self.model, observation, self._background)
        self._kept.add(comparison, changed=True)

    def repair(self) -> Outcome:
        """Repair the change `to_repair`; a model that passes the held-out check becomes current.

        Raises:
            InputError: No change is reported, too few observations show it, or it cannot be
                repaired.
            CancelledError: The session was closed meanwhile.
        """
        change = self.to_repair
        if change is None:
            raise InputError("nothing to repair: no change is reported")
        refuse_parts(self.folder)
        self._tried, self.ready = True, False
        made = repair(self.model, change, self._kept.healthy, self._kept.recent)
        if not (made.accepted and made.for_model):
            return Outcome(made, None)
        drift = drift_entry(self.daily.bins)
        new = self._written(lambda out: write_repair(self.folder, out, made, drift))
        return Outcome(made, new)

    @property
    def not_to_refine(self) -> str:
        """Why the model must not be refined now; empty where it may be."""
        daily = self.daily
        if (change := self.to_repair) is not None:
            return f"not refined while a change is reported: {change.summary}"
        if drifted := "; ".join(one.summary for one in daily.drifts):
            return f"not refined with observations of a robot that changed: {drifted}"
        return daily.too_few

    def refine(self) -> Outcome:
        """Refine the model by daily work; a model that passes the held-out check becomes current.

        Raises:
            InputError: Too few observations were gathered, or something is suspected.
            CancelledError: The session was closed meanwhile.
        """
        daily = self.daily
        daily.ready = False
        if reason := self.not_to_refine:
            raise InputError(reason)
        refuse_parts(self.folder)
        made = refine_axes(self.model, self._cameras, daily.comparisons, daily.prior)
        if not made.accepted:
            return Outcome(made, None)
        drift = drift_entry(daily.bins)
        new = self._written(lambda out: write_refined(self.folder, out, made, drift))
        return Outcome(made, new)

    def _written(self, write: Callable[[Path], Path]) -> Path:
        """Make what `write` writes current. Raises CancelledError once the session is closed."""
        try:
            return self._adopted(write)
        except Exception as error:
            if self._closed:
                raise CancelledError("the repair was cancelled: the node shuts down") from error
            raise

    def _adopted(self, write: Callable[[Path], Path]) -> Path:
        with self._folder() as folder:
            written = write(Path(folder) / self.model.links[0])
            # A model that cannot be watched must not become current.
            loaded = self._loaded(written)
            with self._adding:
                self._refuse_closed()
                new = self._history.add(written)
        self._watch(new, loaded)
        return new

    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """Return a temporary folder for a new model; the next repair removes it after a kill."""
        with self._adding:
            self._refuse_closed()
            ending = f".{os.getpid()}.partial"
            self._writing = tempfile.TemporaryDirectory(
                ending, ".repair.", self._history.root, ignore_cleanup_errors=True
            )
        return self._writing

    def _refuse_closed(self) -> None:
        if self._closed:
            raise CancelledError("the repair was cancelled: the node shuts down")
