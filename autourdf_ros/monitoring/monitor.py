"""Watch a robot: learn the baseline for some seconds, then report what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.data.background import Background
from autourdf_ros.data.joint_history import CLOCK_SET_BACK
from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.calibration.healthy_levels import HealthyLevels, healthy_levels
from autourdf_ros.monitoring.calibration.lasting_alarm import LastingAlarm
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.baseline_learner import BaselineLearner
from autourdf_ros.monitoring.diagnosis.cause_ranking import (
    Explanation,
    most_significant,
    significance_elsewhere,
    statistics,
)
from autourdf_ros.monitoring.diagnosis.cause_refinement import (
    LEAST_OBSERVATIONS,
    Refinement,
    compare_explained,
    farthest,
    first_order_best,
    spread,
)
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import suspicion_of
from autourdf_ros.monitoring.diagnosis.linear_system import linear_system, observation_sums
from autourdf_ros.monitoring.diagnosis.motor_signs import baseline_coverage, sign_sums, turned_sign
from autourdf_ros.monitoring.diagnosis.unexplained_points import (
    LEAST_OF_CAMERA,
    FilledCells,
    ForeignObject,
    filled_cells,
    find_foreign_object,
)
from autourdf_ros.monitoring.diagnosis.window import Window, WindowEntry
from autourdf_ros.monitoring.link_states import link_states
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.naming import named_changes
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    crop_observation,
)
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

_SIGN = 30.0  # log odds of a turned sign, which is reported at once
_COMPARED = 25  # observations, about, that the steps of a refinement compare after one cloud
_PAUSE = 1.0  # s, after a refinement
_SEARCHED = 10  # observations of each camera, at most, searched for objects after a refinement


class Monitor:
    """Reports changes of one robot from clouds of its cameras.

    One thread at a time may call it. The window bounds its memory; before that, the observations of
    the learning time do.
    """

    def __init__(
        self,
        model: WatchedModel,
        cameras: Sequence[str],
        options: MonitorOptions | None = None,
        background: Background | None = None,
    ) -> None:
        """Start to learn.

        Args:
            model: The watched model.
            cameras: Names of all cameras whose clouds will come.
            options: Levels and times.
            background: The empty scene, as in `crop_observation`.
        """
        self._model, self._background = model, background
        self._options = options or MonitorOptions()
        self._causes = Causes(model, tuple(cameras))
        self._forget_learning()
        self._levels: HealthyLevels | None = None
        self._baseline_coverage = np.zeros(len(model.motors))
        self._window = Window(self._options.window)
        self._judged = self._newest = self._next = -np.inf
        self._foreign_count = 0
        self._changes: tuple[Change, ...] = ()
        self._sign: Change | None = None
        self._lasting = LastingAlarm(self._options)
        self._forget_alarm()
        self._statistics = np.full((len(cameras), len(model.segments)), np.nan)

    @property
    def settled(self) -> bool:
        """Whether the baseline is learnt and nothing is reported or suspected."""
        suspected = self._lasting.since is not None or self._foreign_count > 0
        return self._baseline is not None and not suspected and not self._changes

    def update(self, observation: Observation) -> Report:
        """Take one cloud and return the state after it.

        Args:
            observation: Stamps must increase, except for small disorder between cameras.

        Raises:
            InputError: The observation's camera was not named.
        """
        if observation.camera not in self._causes.cameras:
            raise InputError(
                f"camera {observation.camera!r} is not watched; accepted: "
                f"{', '.join(self._causes.cameras)}"
            )
        cropped = crop_observation(self._model, observation, self._background)
        if cropped.stamp < self._newest - CLOCK_SET_BACK:
            if self._baseline is None:
                self._forget_learning()
            self._window.clear()
            self._judged = self._newest = self._next = -np.inf
            self._forget_alarm()
        self._newest = max(self._newest, cropped.stamp)
        comparison = self._compared(cropped)
        if self._baseline is None:
            self._learn(comparison)
            return self._report(comparison)
        signs = sign_sums(
            self._model, observation, cropped, self._baseline_coverage, self._window.signs
        )
        sums = observation_sums(self._causes, comparison, self._baseline)
        cells = filled_cells(comparison, self._model.lengths.object_cell)
        self._window.add(WindowEntry(comparison, sums, cells, signs))
        if cropped.stamp - self._judged >= self._options.period:
            self._judged = cropped.stamp
            self._judge(self._baseline)
        self._refine_for_a_while()
        return self._report(comparison)

    @property
    def loosely(self) -> tuple[str, ...]:
        """What is watched more loosely than a good model would be, each as a sentence."""
        return () if self._levels is None else self._levels.loosely

    @property
    def _baseline(self) -> Baseline | None:
        return None if self._levels is None else self._levels.baseline

    def _compared(self, observation: CroppedObservation) -> Comparison:
        if self._baseline is None:
            return self._learner.compare(observation)
        return compare_explained(self._causes, observation, self._baseline)

    def _learn(self, comparison: Comparison) -> None:
        baseline = self._learner.add(comparison)
        if baseline is None:
            return
        options, learnt = self._options, self._learner.comparisons
        self._levels = healthy_levels(
            self._causes, learnt, baseline, options.window, options.chance, options.alarm
        )
        observations = [one.observation for one in learnt]
        self._baseline_coverage = baseline_coverage(self._model, observations)
        self._forget_learning()

    def _forget_learning(self) -> None:
        self._learner = BaselineLearner(self._causes, self._options.learning)

    def _forget_alarm(self) -> None:
        self._lasting.forget()
        self._refinement: Refinement | None = None
        self._suspicion = self._undecided = ""

    def _judge(self, baseline: Baseline) -> None:
        cameras, signs = len(self._causes.cameras), self._window.signs
        self._statistics = statistics(linear_system(self._window.sums, cameras), baseline)
        enough = len(signs) >= LEAST_OF_CAMERA * cameras
        sign = turned_sign(self._model, signs, self._baseline_coverage, _SIGN)
        self._sign = sign.change if enough and sign is not None else None
        if self._sign is not None and sign is not None and sign.clear:
            self._changes, self._refinement = (self._sign,), None
            return
        foreign = self._find_foreign(self._window.cells) if enough else None
        found = self._window.explained(self._causes, baseline)
        if found is None:  # after a lull; it says nothing of what was reported before
            return
        self._lasting.judge(self._judged, most_significant(found), self._alarm)
        began = self._lasting.since
        if began is None or not self._lasting.certain:
            if began is None:
                self._forget_alarm()
            self._foreign_count = 0 if foreign is None else self._foreign_count + 1
            if foreign is None or self._foreign_count >= self._options.repeats:
                self._name(None, foreign)
            return
        if not self._changes:
            last = self._window.comparisons[-len(self._causes.cameras) :]
            best, least = first_order_best(found), self._options.least_shift
            self._suspicion = suspicion_of(self._causes, best, last, least)
        # The window of an alarm may reach back before the change: no cause explains both parts.
        since = self._window.since(began)
        # With a low rate of clouds no window ever holds that many.
        early = self._judged - began < self._options.window
        if self._refinement is not None or (len(since) < LEAST_OBSERVATIONS and early):
            return
        found = self._window.explained(self._causes, baseline, began)
        if found is None:
            return
        small = first_order_best(found)
        far = farthest(self._causes, [one.observation for one in since], small)
        if self._attachment_explains(foreign, since, baseline):
            self._name(None, foreign)
            return
        if far < self._model.lengths.small:
            left = self._window.remaining(self._causes, baseline, small, began)
            small = replace(small, remaining=left)
            enough = far > self._options.least_shift and small.significance >= self._alarm
            whole = not enough or small.is_whole(self._alarm)
            if whole or not self._changes:
                self._name(small if enough else None, foreign)
            if whole:
                return
        if self._judged >= self._next:
            self._refinement = Refinement(self._causes, since, baseline, self._alarm)

    def _refine_for_a_while(self) -> None:
        """Take as many steps as compare about `_COMPARED` observations."""
        if self._refinement is None:
            return
        for _ in range(max(1, _COMPARED // self._refinement.observation_count)):
            if self._refinement is not None:
                self._refine(self._refinement)

    def _refine(self, refinement: Refinement) -> None:
        """One step, so that no cloud waits for long."""
        best = refinement.step()
        if best is None:
            if refinement.single is not None and not self._changes:
                self._name(refinement.single, None)  # it may take seconds to try pairs
            return
        self._refinement, self._next = None, self._judged + _PAUSE
        explanation = best if best.significance > self._alarm else None
        foreign = None
        window, cameras = self._window.comparisons, self._causes.cameras
        if len(window) >= LEAST_OF_CAMERA * len(cameras):
            foreign = self._find_foreign(self._window.cells)
        began = self._lasting.since
        assert self._baseline is not None and began is not None
        if self._attachment_explains(foreign, self._window.since(began), self._baseline):
            explanation = None
        if foreign is not None and explanation is not None:
            # Points of links far off their places are on no link until the model is moved there.
            chosen = spread(window, cameras, _SEARCHED * len(cameras))
            compared = [
                compare_explained(self._causes, one.observation, self._baseline, explanation)
                for one in chosen
            ]
            side = self._model.lengths.object_cell
            foreign = self._find_foreign([filled_cells(one, side) for one in compared])
        self._name(explanation, foreign)

    def _name(self, found: Explanation | None, foreign: ForeignObject | None) -> None:
        self._changes, self._undecided = named_changes(
            self._causes, found, foreign, self._alarm, self._changes, self._sign
        )

    def _attachment_explains(
        self, foreign: ForeignObject | None, window: Sequence[Comparison], baseline: Baseline
    ) -> bool:
        """Whether only the link with the attachment, and links beyond it, deviate.

        Points of an attachment that lie near these links are matched with them.
        """
        if foreign is None or foreign.body == 0:
            return False
        left = significance_elsewhere(self._causes, foreign.body, window, baseline)
        return left < self._alarm

    def _find_foreign(self, cells: Sequence[FilledCells]) -> ForeignObject | None:
        levels = self._levels
        assert levels is not None
        return find_foreign_object(cells, levels.known, self._model, levels.filled)

    @property
    def _alarm(self) -> float:
        return np.inf if self._levels is None else self._levels.alarm

    def _report(self, comparison: Comparison) -> Report:
        own = self._statistics[self._causes.cameras.index(comparison.observation.camera)]
        states = link_states(self._model, comparison, own)
        return Report(
            comparison.observation.stamp,
            self._baseline is not None,
            states,
            self._changes,
            self._undecided or ("" if self._changes else self._suspicion),
        )
