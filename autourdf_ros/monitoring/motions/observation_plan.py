"""Plan the few collision-free motions that a robot makes before its model is repaired."""

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
from autourdf_ros.monitoring.motions.clearance import extra_clearance, narrowed_limits
from autourdf_ros.monitoring.motions.informative_motions import (
    Question,
    most_informative_targets,
    nearby,
)
from autourdf_ros.monitoring.motions.motion_screen import MotionScreen

CANDIDATES = 32
"""Configurations nearby, of which the most informative are chosen."""


@dataclass(frozen=True, eq=False)
class ObservationPlan:
    """Motions from `start`, where the robot stands, to the targets one after another.

    Attributes:
        start: Positions of the commanded joints (rad or m).
        targets: Where the robot stops and observes.
        screen: The screen that found every path free, with extra clearance for reported changes.
    """

    start: Positions
    targets: tuple[Positions, ...]
    screen: PathScreen


@dataclass(frozen=True)
class MotionBounds:
    """What the motions of a repair must stay within.

    Attributes:
        limits: Of the commanded joints.
        reach: How far a joint may go from where it stood (rad).
        count: Largest number of targets.
    """

    limits: Limits
    reach: float
    count: int


def plan_observations(
    question: Question,
    changes: Sequence[Change],
    screen: MotionScreen,
    start: Positions,
    unmoved: Callable[[], Mapping[str, float]],
    bounds: MotionBounds,
    *,
    check: Callable[[], None] = lambda: None,
) -> ObservationPlan:
    """Choose up to `bounds.count` informative targets near `start` with collision-free paths.

    Args:
        question: What the observations should determine.
        changes: All reported changes; each needs clearance.
        screen: Of the current model.
        start: Positions of the commanded joints (rad or m).
        unmoved: Returns the readings of the motors that are not commanded.
        bounds: What the motions must stay within.
        check: Called now and then; may raise to cancel.

    Raises:
        InputError: The robot may not move from `start`, or no target is free.
    """
    model, others = question.causes.model, unmoved()
    candidates = nearby(start, narrowed_limits(bounds.limits, changes), bounds.reach, CANDIDATES)
    values = np.array([model.values({**others, **one}) for one in (start, *candidates)])
    camera_positions = {one.camera: one.pose[:3, 3] for one in question.cameras}
    screened = screen.with_clearance(
        extra_clearance(question.causes, changes, values, camera_positions), unmoved
    )
    check_start(start, bounds.limits, screened)
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
    targets = most_informative_targets(question, start, candidates, expected, bounds.count, free)
    if not targets:
        raise InputError(
            f"none of {len(candidates)} configurations nearby is surely free: "
            f"{next(reversed(reasons))}"
        )
    return ObservationPlan(start, tuple(targets), screened)
