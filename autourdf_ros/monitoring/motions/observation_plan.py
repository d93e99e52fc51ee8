"""Which few motions a robot should make before its model is repaired, and none that may hit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.planning import check_start
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.motions.clearance import narrowed, room
from autourdf_ros.monitoring.motions.informative_motions import (
    Question,
    most_informative_targets,
    nearby,
)
from autourdf_ros.monitoring.motions.motion_screen import MotionScreen

CANDIDATES = 32
"""Configurations nearby, of which the most telling are chosen."""


@dataclass(frozen=True, eq=False)
class ObservationPlan:
    """From `start`, where the robot stands, to the targets one after the other.

    screen: by which every way was found free, with room for what is told to be off.
    """

    start: Positions
    targets: tuple[Positions, ...]
    screen: PathScreen


def plan_observations(
    question: Question,
    changes: Sequence[Change],
    screen: MotionScreen,
    start: Positions,
    unmoved: Callable[[], Mapping[str, float]],
    limits: Limits,
    *,
    reach: float,
    count: int,
    check: Callable[[], None] = lambda: None,
) -> ObservationPlan:
    """Up to `count` targets within `reach` (rad) of `start` and within the limits.

    changes: all that are told, for each of which there has to be room. unmoved: tells where the
    motors stand that are not commanded. check: is called now and then, and may raise.
    Raises InputError where the robot may not move from there, or nowhere.
    """
    model, others = question.causes.model, unmoved()
    candidates = nearby(start, narrowed(limits, changes), reach, CANDIDATES)
    values = np.array([model.values({**others, **one}) for one in (start, *candidates)])
    eyes = {one.camera: one.pose[:3, 3] for one in question.cameras}
    screened = screen.with_room(room(question.causes, changes, values, eyes), unmoved)
    check_start(start, limits, screened)
    reasons = dict[str, None]()

    def free(here: Positions, there: Positions) -> bool:
        check()
        reason = screened.reason([here, there])
        reasons.update({} if reason is None else {reason: None})
        return reason is None

    expected = []
    for one in candidates:
        check()
        expected.append(question.expected({**others, **one}))
    targets = most_informative_targets(question, start, candidates, expected, count, free)
    if not targets:
        raise InputError(
            f"of {len(candidates)} configurations nearby none is surely free: "
            f"{next(reversed(reasons))}"
        )
    return ObservationPlan(start, tuple(targets), screened)
