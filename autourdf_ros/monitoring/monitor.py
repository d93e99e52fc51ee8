"""Watches a robot: learns what is usual for some seconds, then tells what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.background import Background
from autourdf_ros.data.joint_history import CLOCK_SET_BACK
from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.baseline import Baseline, learn_baseline
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation, explanations, statistics
from autourdf_ros.monitoring.diagnosis.cause_refinement import (
    LEAST_OBSERVATIONS,
    SMALL,
    Refinement,
    compare_explained,
    farthest,
    spread,
    told_at_once,
)
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import change_of, change_of_stray
from autourdf_ros.monitoring.diagnosis.linear_system import linear_system, observation_sums
from autourdf_ros.monitoring.diagnosis.motor_signs import baseline_coverage, sign_sums, turned_sign
from autourdf_ros.monitoring.diagnosis.unexplained_points import (
    LEAST_LOOKS,
    FilledCells,
    Stray,
    baseline_cells,
    filled_cells,
    stray_thing,
)
from autourdf_ros.monitoring.diagnosis.window import Seen, Window
from autourdf_ros.monitoring.link_states import link_states
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    compare_displaced,
    crop_observation,
)
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

_ROUGH = 0.25, 15.0  # of the time of learning, and s: the first pass, at most
_SIGN = 30.0  # log odds of a turned sign, which is told at once
_COMPARED = 25  # looks, about, in steps of a refinement after one cloud
_PAUSE = 1.0  # s, after a refinement
_SEARCHED = 10  # looks of each camera at most in which things are looked for after a refinement


@dataclass(frozen=True)
class MonitorOptions:
    """learning: seconds in which nothing may be wrong. window: seconds that are looked back.

    period: seconds between two judgements. alarm: log odds of a change that is told; least_shift:
    m, by which it puts some part of the robot elsewhere at least. repeats: in so many judgements,
    one after another, a new thing shows before it is told.
    """

    learning: float = 60.0
    window: float = 5.0
    period: float = 0.5
    alarm: float = 20.0
    least_shift: float = 0.001
    repeats: int = 2


class Monitor:
    """Not to be called by two threads at a time.

    Its memory is bounded by the window, and by the looks of the learning before it.
    """

    def __init__(
        self,
        model: WatchedModel,
        cameras: Sequence[str],
        options: MonitorOptions = MonitorOptions(),
        background: Background | None = None,
    ) -> None:
        """cameras: names of all whose clouds will come. background: as in `take_look`."""
        self._model, self._options, self._background = model, options, background
        self._causes = Causes(model, tuple(cameras))
        self._forget_learning()
        self._baseline: Baseline | None = None
        self._baseline_cells: tuple[NDArray[np.int64], ...] = ()
        self._baseline_coverage = np.zeros(len(model.motors))
        self._window = Window(options.window)
        self._judged = self._newest = -np.inf
        self._alarmed: float | None = None
        self._next = -np.inf
        self._strange_times = 0
        self._refinement: Refinement | None = None
        self._changes: tuple[Change, ...] = ()
        self._statistics = np.full((len(cameras), len(model.segments)), np.nan)

    @property
    def settled(self) -> bool:
        """Whether the usual is learnt, and nothing is told or suspected."""
        suspected = self._alarmed is not None or self._strange_times > 0
        return self._baseline is not None and not suspected and not self._changes

    def update(self, observation: Observation) -> Report:
        """Take one cloud; clouds come in the order of their stamps, about.

        Raises InputError for a camera that was not named.
        """
        if observation.camera not in self._causes.cameras:
            raise InputError(
                f"camera {observation.camera!r} is not watched; accepted are "
                f"{', '.join(self._causes.cameras)}"
            )
        look = crop_observation(self._model, observation, self._background)
        if look.stamp < self._newest - CLOCK_SET_BACK:  # what was seen before is no longer recent
            if self._baseline is None:
                self._forget_learning()
            self._window.clear()
            self._judged = self._newest = self._next = -np.inf
            self._alarmed, self._refinement = None, None
        self._newest = max(self._newest, look.stamp)
        comparison = self._compared(look)
        if self._baseline is None:
            self._learn(comparison)
            return self._report(comparison)
        self._window.add(
            Seen(
                comparison,
                observation_sums(self._causes, comparison, self._baseline),
                filled_cells(comparison),
                sign_sums(
                    self._model,
                    observation,
                    look,
                    self._baseline_coverage,
                    self._window.signs,
                ),
            )
        )
        if look.stamp - self._judged >= self._options.period:
            self._judged = look.stamp
            self._judge(self._baseline)
        steps = 0 if self._refinement is None else max(1, _COMPARED // self._refinement.looks)
        for _ in range(steps):
            if self._refinement is not None:
                self._refine(self._refinement)
        return self._report(comparison)

    def _compared(self, look: CroppedObservation) -> Comparison:
        moved = self._causes.twists(look) @ self._reference
        return compare_displaced(self._model, look, moved)

    def _forget_learning(self) -> None:
        self._learning: list[Comparison] = []
        self._again: list[CroppedObservation] = []
        self._began: float | None = None
        self._rough = True
        # Of the parameters, at which looks are compared.
        self._reference = np.zeros(self._causes.count)

    def _learn(self, comparison: Comparison) -> None:
        """First roughly, of the first looks, for all to be compared where the robot about is."""
        if self._began is None:
            self._began = comparison.look.stamp
        self._learning.append(comparison if self._rough else _without_points(comparison))
        if self._again:
            self._learning.append(_without_points(self._compared(self._again.pop())))
        share, most = _ROUGH
        learning = self._options.learning
        wanted = min(share * learning, most) if self._rough else learning
        if comparison.look.stamp - self._began < wanted or self._again:
            return
        if len({one.look.camera for one in self._learning}) < len(self._causes.cameras):
            del self._learning[0]
            self._began = self._learning[0].look.stamp
            return
        baseline = learn_baseline(self._causes, self._learning, self._reference)
        if self._rough:
            self._rough, self._reference = False, baseline.parameters
            self._again, self._learning = [one.look for one in self._learning], []
            return
        self._baseline = baseline
        self._baseline_cells = baseline_cells([filled_cells(one) for one in self._learning])
        looks = [one.look for one in self._learning]
        self._baseline_coverage = baseline_coverage(self._model, looks)
        self._forget_learning()
        self._reference = baseline.parameters

    def _judge(self, baseline: Baseline) -> None:
        cameras, signs = len(self._causes.cameras), self._window.signs
        self._statistics = statistics(linear_system(self._window.sums, cameras), baseline)
        enough = len(signs) >= LEAST_LOOKS * cameras
        sign = turned_sign(self._model, signs, self._baseline_coverage, _SIGN)
        if enough and sign is not None:  # where the arm is, then, it is strange to all else
            self._changes, self._refinement = (sign,), None
            return
        strange = self._strange(self._window.cells) if enough else None
        found = self._window.explained(self._causes, baseline)
        if found is None or found[0].log_odds < self._options.alarm:
            self._alarmed, self._refinement = None, None
            self._strange_times = 0 if strange is None else self._strange_times + 1
            if strange is None or self._strange_times >= self._options.repeats:
                self._changes = self._told(None, strange)
            return
        if self._alarmed is None:
            self._alarmed = self._judged
        # What made an alarm may be partly of before the change, which no cause explains.
        since = self._window.since(self._alarmed)
        # Where clouds take long, no window ever holds so many.
        few = (
            len(since) < LEAST_OBSERVATIONS and self._judged - self._alarmed < self._options.window
        )
        if self._refinement is not None or few:
            return
        found = self._window.explained(self._causes, baseline, self._alarmed)
        if found is None:
            return
        small = told_at_once(found)
        far = farthest(self._causes, [one.look for one in since], small)
        if self._carried_explains(strange, since, baseline):
            self._changes = self._told(None, strange)
        elif far < SMALL:
            enough = far > self._options.least_shift and small.log_odds >= self._options.alarm
            self._changes = self._told(small if enough else None, strange)
        elif self._judged >= self._next:
            self._refinement = Refinement(self._causes, since, baseline)

    def _refine(self, refinement: Refinement) -> None:
        """One step, so that no cloud waits for long."""
        best = refinement.step()
        if best is None:
            return
        self._refinement, self._next = None, self._judged + _PAUSE
        explanation = best if best.log_odds > self._options.alarm else None
        strange = None
        window = self._window.comparisons
        if len(window) >= LEAST_LOOKS * len(self._causes.cameras):
            strange = self._strange(self._window.cells)
        assert self._baseline is not None and self._alarmed is not None
        if self._carried_explains(strange, self._window.since(self._alarmed), self._baseline):
            explanation = None
        if strange is not None and explanation is not None:
            # What is far off its place is on no link before the model is put where it is.
            cameras = self._causes.cameras
            chosen = spread(window, cameras, _SEARCHED * len(cameras))
            compared = [
                compare_explained(self._causes, one.look, self._baseline, explanation)
                for one in chosen
            ]
            strange = self._strange([filled_cells(one) for one in compared])
        self._changes = self._told(explanation, strange)

    def _told(self, explanation: Explanation | None, strange: Stray | None) -> tuple[Change, ...]:
        """The most probable first."""
        changes = []
        if explanation is not None:
            changes.append(change_of(explanation, self._model))
        # The scene itself is strange where the camera is not where it was.
        moved = explanation is not None and explanation.cause.kind in ("camera_pose", "base_pose")
        if strange is not None and not (moved and strange.body == 0):
            changes.append(change_of_stray(strange, self._model))
        return tuple(sorted(changes, key=lambda change: -change.gain))

    def _carried_explains(
        self, strange: Stray | None, window: Sequence[Comparison], baseline: Baseline
    ) -> bool:
        """Whether nothing is off but the link that carries something, and what it carries.

        Points of the thing that are near them are taken for theirs.
        """
        if strange is None or strange.body == 0:
            return False
        beyond = self._model.articulation.ancestors[self._model.segment_body, strange.body - 1]
        sums = [observation_sums(self._causes, one, baseline).without(beyond) for one in window]
        system = linear_system(sums, len(self._causes.cameras))
        return explanations(self._causes, system, baseline)[0].log_odds < self._options.alarm

    def _strange(self, looks: Sequence[FilledCells]) -> Stray | None:
        return stray_thing(looks, self._baseline_cells, self._model)

    def _report(self, comparison: Comparison) -> Report:
        own = self._statistics[self._causes.cameras.index(comparison.look.camera)]
        states = link_states(self._model, comparison, own)
        return Report(comparison.look.stamp, self._baseline is not None, states, self._changes)


def _without_points(comparison: Comparison) -> Comparison:
    empty = np.empty((0, 3), np.float32)
    look = replace(comparison.look, close=empty, number=empty[:, 0], about=empty)
    return replace(comparison, look=look)
