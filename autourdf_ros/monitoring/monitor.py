"""Watches a robot: learns what is usual for some seconds, then tells what changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.causes import Causes
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.comparison import (
    Comparison,
    compare_displaced,
    compare_observation,
)
from autourdf_ros.monitoring.evidence import (
    Explanation,
    explanations,
    simplest,
    statistics,
)
from autourdf_ros.monitoring.linear_system import LookSums, linear_system, look_sums
from autourdf_ros.monitoring.observation import Observation
from autourdf_ros.monitoring.report import LinkState, Report
from autourdf_ros.monitoring.strays import (
    LEAST_LOOKS,
    FilledCells,
    Stray,
    filled_cells,
    stray_thing,
    usual_cells,
)
from autourdf_ros.monitoring.telling import change_of, change_of_stray
from autourdf_ros.monitoring.usual import Usual, learn_usual
from autourdf_ros.monitoring.watched_model import WatchedModel
from autourdf_ros.motion.joint_history import CLOCK_SET_BACK
from autourdf_ros.recording.background import Background

_SPANS = (0.2, 0.5, 1.0)  # shares of the window in which a change may have begun
_LEAST_LOOKS = 3  # of a span
_REFINED = 20  # looks at most that are compared again
_ROUNDS = 3
_PERIODS = 3  # between two refinements, which take some seconds' work


@dataclass(frozen=True)
class MonitorOptions:
    """learning: seconds in which nothing may be wrong. window: seconds that are looked back.

    period: seconds between two judgements. alarm: log odds of a change that is told; repeats: in
    so many judgements, one after another.
    """

    learning: float = 15.0
    window: float = 5.0
    period: float = 0.5
    alarm: float = 10.0
    repeats: int = 2


@dataclass(frozen=True, eq=False)
class _Seen:
    comparison: Comparison
    sums: LookSums
    cells: FilledCells


@dataclass(frozen=True, eq=False)
class _Refined:
    explanation: Explanation
    compared: list[Comparison]


class Monitor:
    """Not to be called by two threads at a time. Its memory is bounded by the window."""

    def __init__(
        self,
        model: WatchedModel,
        cameras: Sequence[str],
        options: MonitorOptions = MonitorOptions(),
        background: Background | None = None,
    ) -> None:
        """cameras: names of all whose clouds will come. background: as in `compare_observation`."""
        self._model, self._options, self._background = model, options, background
        self._causes = Causes(model, tuple(cameras))
        self._learning: list[Comparison] = []
        self._usual: Usual | None = None
        self._usual_cells: tuple[NDArray[np.int64], ...] = ()
        self._window: deque[_Seen] = deque()
        self._judged = self._newest = -np.inf
        self._alarms = 0
        self._changes: tuple[Change, ...] = ()
        self._statistics = np.full((len(cameras), len(model.segments)), np.nan)

    def update(self, observation: Observation) -> Report:
        """Take one cloud; clouds come in the order of their stamps, about.

        Raises InputError for a camera that was not named.
        """
        if observation.camera not in self._causes.cameras:
            raise InputError(
                f"camera {observation.camera!r} is not watched; accepted are "
                f"{', '.join(self._causes.cameras)}"
            )
        comparison = compare_observation(self._model, observation, self._background)
        look = comparison.look
        if look.stamp < self._newest - CLOCK_SET_BACK:  # what was seen before is no longer recent
            self._learning.clear()
            self._window.clear()
            self._judged = self._newest = -np.inf
        self._newest = max(self._newest, look.stamp)
        if self._usual is None:
            self._learn(comparison)
            return self._report(comparison)
        self._window.append(
            _Seen(
                comparison,
                look_sums(self._causes, comparison, self._usual.noise),
                filled_cells(comparison),
            )
        )
        while look.stamp - self._window[0].comparison.look.stamp > self._options.window:
            self._window.popleft()
        if look.stamp - self._judged >= self._options.period:
            self._judged = look.stamp
            self._judge(self._usual)
        return self._report(comparison)

    def _learn(self, comparison: Comparison) -> None:
        empty = np.empty((0, 3), np.float32)
        look = replace(comparison.look, close=empty, about=empty)
        self._learning.append(replace(comparison, look=look))
        if look.stamp - self._learning[0].look.stamp < self._options.learning:
            return
        if len({one.look.camera for one in self._learning}) < len(self._causes.cameras):
            del self._learning[0]
            return
        self._usual = learn_usual(self._causes, self._learning)
        self._usual_cells = usual_cells([filled_cells(one) for one in self._learning])
        self._learning = []

    def _judge(self, usual: Usual) -> None:
        raw = [seen.comparison for seen in self._window]
        self._note_statistics(usual)
        span, found = self._best_span([seen.sums for seen in self._window], usual)
        alarm = found is not None and found[0].log_odds > self._options.alarm
        strange = None
        if len(raw) >= LEAST_LOOKS * len(self._causes.cameras):
            strange = self._strange([seen.cells for seen in self._window])
        if not alarm and strange is None:
            self._alarms, self._changes = 0, ()
            return
        self._alarms += 1
        since = self._alarms - self._options.repeats
        if since < 0 or since % _PERIODS:
            return
        explanation = None
        if found is not None and alarm and not self._carried_explains(strange, raw[-span:], usual):
            refined = self._refined(raw[-span:], found, usual)
            explanation = refined.explanation
            strange = self._strange([filled_cells(one) for one in refined.compared])
        self._changes = self._told(explanation, strange)

    def _note_statistics(self, usual: Usual) -> None:
        system = linear_system([seen.sums for seen in self._window], len(self._causes.cameras))
        self._statistics = statistics(system, usual)

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
        self, strange: Stray | None, window: Sequence[Comparison], usual: Usual
    ) -> bool:
        """Whether nothing is off but the link that carries something, and what it carries.

        Points of the thing that are near them are taken for theirs.
        """
        if strange is None or strange.body == 0:
            return False
        beyond = self._model.articulation.ancestors[self._model.segment_body, strange.body - 1]
        sums = [look_sums(self._causes, one, usual.noise).without(beyond) for one in window]
        return self._explained(sums, usual)[0].log_odds < self._options.alarm

    def _best_span(
        self, sums: Sequence[LookSums], usual: Usual
    ) -> tuple[int, list[Explanation] | None]:
        """(number of the last looks that tell most of a change, what they tell)."""
        best: tuple[int, list[Explanation] | None] = (len(sums), None)
        for share in _SPANS:
            since = sums[-1].stamp - share * self._options.window
            last = [look for look in sums if look.stamp >= since]
            if len(last) < _LEAST_LOOKS * len(self._causes.cameras):
                continue
            found = self._explained(last, usual)
            if best[1] is None or found[0].log_odds > best[1][0].log_odds:
                best = len(last), found
        return best

    def _explained(self, sums: Sequence[LookSums], usual: Usual) -> list[Explanation]:
        system = linear_system(sums, len(self._causes.cameras))
        return explanations(self._causes, system, usual)

    def _refined(
        self, window: Sequence[Comparison], found: Sequence[Explanation], usual: Usual
    ) -> _Refined:
        """Compare again with the model put where the explanation says (Gauss-Newton).

        Which cause it is may change on the way, as more points find their links.
        """
        chosen = window[:: max(1, -(-len(window) // _REFINED))]
        explanation = simplest(found)
        for _ in range(_ROUNDS):
            compared = []
            for one in chosen:
                moves = self._causes.twists(one.look)[..., explanation.cause.columns]
                twists = moves @ explanation.parameters
                compared.append(compare_displaced(self._model, one.look, twists))
            sums = [look_sums(self._causes, one, usual.noise) for one in compared]
            explanation = simplest(self._explained(sums, usual))
        return _Refined(explanation, compared)

    def _strange(self, looks: Sequence[FilledCells]) -> Stray | None:
        ancestors = self._model.articulation.ancestors
        return stray_thing(looks, self._usual_cells, ancestors)

    def _report(self, comparison: Comparison) -> Report:
        return Report(
            comparison.look.stamp, self._usual is not None, self._states(comparison), self._changes
        )

    def _states(self, comparison: Comparison) -> dict[tuple[str, str], LinkState]:
        look, bodies = comparison.look, self._model.segment_body
        sums = np.column_stack(
            [comparison.squares, comparison.counts, look.seen, look.missing]
        ).astype(float)
        own = self._statistics[self._causes.cameras.index(look.camera)]
        states = {}
        for body in np.unique(bodies):
            squares, counts, seen, missing = sums[bodies == body].sum(axis=0)
            states[look.camera, self._model.links[body]] = LinkState(
                float(np.sqrt(squares / counts)) if counts else np.nan,
                int(counts),
                float(seen / (seen + missing)) if seen + missing else np.nan,
                float(own[bodies == body].mean()),
            )
        return states
