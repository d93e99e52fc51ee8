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
from autourdf_ros.monitoring.evidence import Explanation, explanations, simplest
from autourdf_ros.monitoring.linear_system import LookSums, linear_system, look_sums
from autourdf_ros.monitoring.observation import Observation
from autourdf_ros.monitoring.report import LinkState, Report
from autourdf_ros.monitoring.strays import (
    FilledCells,
    Stray,
    filled_cells,
    stray_thing,
    usual_cells,
)
from autourdf_ros.monitoring.telling import change_of, change_of_stray
from autourdf_ros.monitoring.usual import Usual, learn_usual
from autourdf_ros.monitoring.watched_model import WatchedModel
from autourdf_ros.recording.background import Background

_SPANS = (0.2, 0.5, 1.0)  # shares of the window in which a change may have begun
_LEAST_LOOKS = 3  # of a span
_REFINED = 20  # looks at most that are compared again
_ROUNDS = 2
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
        self._judged = -np.inf
        self._alarms = 0
        self._changes: tuple[Change, ...] = ()

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
        stamps = [one.look.stamp for one in self._learning]
        if stamps[-1] - stamps[0] < self._options.learning:
            return
        self._usual = learn_usual(self._causes, self._learning)
        self._usual_cells = usual_cells([filled_cells(one) for one in self._learning])
        self._learning = []

    def _judge(self, usual: Usual) -> None:
        raw = [seen.comparison for seen in self._window]
        span, found = self._best_span([seen.sums for seen in self._window], usual)
        alarm = found is not None and found[0].log_odds > self._options.alarm
        strange = self._strange([seen.cells for seen in self._window])
        if not alarm and strange is None:
            self._alarms, self._changes = 0, ()
            return
        self._alarms += 1
        if self._alarms < self._options.repeats or self._alarms % _PERIODS != self._options.repeats % _PERIODS:
            return
        changes: list[Change] = []
        if alarm:
            assert found is not None
            found, refined = self._refined(raw[-span:], found, usual, None)
            strange = self._strange([filled_cells(one) for one in refined])
            if strange is not None and strange.body > 0:
                found = self._without(strange, raw[-span:], usual)
            if found and found[0].log_odds > self._options.alarm:
                changes.append(change_of(simplest(found), self._model))
        if strange is not None and not self._scene_is_off(changes, strange):
            changes.append(change_of_stray(strange, self._model))
        self._changes = tuple(sorted(changes, key=lambda change: -change.gain))

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
            found = self._explained(last, usual, None)
            if best[1] is None or found[0].log_odds > best[1][0].log_odds:
                best = len(last), found
        return best

    def _explained(
        self, sums: Sequence[LookSums], usual: Usual, left_out: NDArray[np.bool_] | None
    ) -> list[Explanation]:
        kept = sums if left_out is None else [one.without(left_out) for one in sums]
        system = linear_system(kept, len(self._causes.cameras))
        return explanations(self._causes, system, usual)

    def _refined(
        self,
        window: Sequence[Comparison],
        found: list[Explanation],
        usual: Usual,
        left_out: NDArray[np.bool_] | None,
    ) -> tuple[list[Explanation], list[Comparison]]:
        """Explain again, with the model put where the best explanation says (Gauss-Newton)."""
        chosen = window[:: max(1, -(-len(window) // _REFINED))]
        compared = list(window)
        for _ in range(_ROUNDS):
            best = found[0]
            compared = []
            sums = []
            for one in chosen:
                moves = self._causes.twists(one.look)[..., best.cause.columns]
                compared.append(compare_displaced(self._model, one.look, moves @ best.parameters))
                sums.append(look_sums(self._causes, compared[-1], usual.noise))
            found = self._explained(sums, usual, left_out)
        return found, compared

    def _strange(self, looks: Sequence[FilledCells]) -> Stray | None:
        ancestors = self._model.articulation.ancestors
        return stray_thing(looks, self._usual_cells, ancestors)

    def _without(
        self, strange: Stray, window: Sequence[Comparison], usual: Usual
    ) -> list[Explanation]:
        """What there is apart from the link that carries something: its points are no evidence."""
        left_out = self._model.segment_body == strange.body
        sums = [look_sums(self._causes, one, usual.noise) for one in window]
        found = self._explained(sums, usual, left_out)
        if found[0].log_odds > self._options.alarm:
            found, _ = self._refined(window, found, usual, left_out)
        return found

    def _scene_is_off(self, changes: Sequence[Change], strange: Stray) -> bool:
        """Whether what stands there may be the empty scene, seen by a camera that moved."""
        return strange.body == 0 and any(
            change.kind in ("camera_pose", "base_pose") for change in changes
        )

    def _report(self, comparison: Comparison) -> Report:
        return Report(
            comparison.look.stamp, self._usual is not None, self._states(comparison), self._changes
        )

    def _states(self, comparison: Comparison) -> dict[tuple[str, str], LinkState]:
        look, bodies = comparison.look, self._model.segment_body
        sums = np.column_stack(
            [comparison.squares, comparison.counts, look.seen, look.missing]
        ).astype(float)
        states = {}
        for body in np.unique(bodies):
            squares, counts, seen, missing = sums[bodies == body].sum(axis=0)
            states[look.camera, self._model.links[body]] = LinkState(
                float(np.sqrt(squares / counts)) if counts else np.nan,
                int(counts),
                float(seen / (seen + missing)) if seen + missing else np.nan,
                np.nan,
            )
        return states
