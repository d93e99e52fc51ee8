"""What a session would do, before it does it."""

from __future__ import annotations

from autourdf_ros.errors import InputError
from autourdf_ros.motion.excitation import Excitation
from autourdf_ros.motion.limits import Limits
from autourdf_ros.motion.one_joint import OneJointTargets
from autourdf_ros.motion.settings import SessionSettings
from autourdf_ros.motion.targets import RandomTargets
from autourdf_ros.motion.trajectory import Positions, Trajectory, through


def check_start(positions: Positions, limits: Limits) -> None:
    """Raise InputError naming the joint that stands outside its limits by more than noise."""
    for name, limit in limits.items():
        slack = min(0.02, 0.05 * limit.span)
        if not limit.lower - slack <= positions[name] <= limit.upper + slack:
            raise InputError(
                f"joint {name} stands at {positions[name]:.4f}; accepted is {limit.lower} .. "
                f"{limit.upper}: move it there by hand or correct its limits"
            )


def plan(start: Positions, limits: Limits, settings: SessionSettings) -> list[Trajectory]:
    """All moves that a session from `start` would make if no target were refused.

    Raises InputError when the start is outside the limits.
    """
    check_start(start, limits)
    targets = excitation_of(limits, settings)
    moves = []
    for _ in range(settings.sequences):
        targets.start_sequence()
        path: list[Positions] = [start]
        for _ in range(settings.frames - 1):
            path.append(targets.next(path[-1]))
            moves.append(through(path[-2:], limits, settings.speed))
        moves.append(through(path[::-1], limits, settings.speed))
    return moves


def excitation_of(limits: Limits, settings: SessionSettings) -> Excitation:
    """What draws the targets of a session with these settings."""
    steps = settings.step_min, settings.step_max
    seed = settings.seed + settings.first
    if settings.excitation == "one_joint":
        return OneJointTargets(limits, *steps, seed)
    return RandomTargets(limits, *steps, settings.move_share, seed)
