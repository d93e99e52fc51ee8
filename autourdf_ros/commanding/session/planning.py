"""What a session would do, before it does it."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.commanding.screening.path_screen import NOTHING, PathScreen
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.targets.excitation import Excitation
from autourdf_ros.commanding.targets.one_joint import OneJointTargets
from autourdf_ros.commanding.targets.random_targets import RandomTargets
from autourdf_ros.commanding.trajectory import Positions, Trajectory, through
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits

DRAWS = 100
"""Targets in a row that may be refused until there is none to be found."""


@dataclass(frozen=True)
class Plan:
    """moves: in the order in which they are made. refused: targets not moved to, and why."""

    moves: tuple[Trajectory, ...]
    refused: tuple[tuple[Positions, str], ...] = ()


def check_start(positions: Positions, limits: Limits, path_screen: PathScreen = NOTHING) -> None:
    """Raise InputError naming the joint that stands outside its limits by more than noise.

    The same where the robot stands in something that it may not pass.
    """
    for name, limit in limits.items():
        slack = min(0.02, 0.05 * limit.span)
        if not limit.lower - slack <= positions[name] <= limit.upper + slack:
            raise InputError(
                f"joint {name} stands at {positions[name]:.4f}; accepted is {limit.lower} .. "
                f"{limit.upper}: move it there by hand or correct its limits"
            )
    reason = path_screen.reason([positions])
    if reason is not None:
        raise InputError(
            f"the robot stands where it may not move: {reason}; move it away by hand, or correct "
            "what is forbidden or the model"
        )


def plan(
    start: Positions, limits: Limits, settings: SessionSettings, path_screen: PathScreen = NOTHING
) -> Plan:
    """All moves that a session from `start` would make if the controller refused none.

    Of informative targets, if it learnt nothing: they are random until there is a model.
    Raises InputError when it cannot start there, or no target can be found.
    """
    check_start(start, limits, path_screen)
    targets = excitation_of(limits, settings)
    moves: list[Trajectory] = []
    refused: list[tuple[Positions, str]] = []
    for _ in range(settings.sequences):
        targets.start_sequence()
        path: list[Positions] = [start]
        for _ in range(settings.frames - 1):
            path.append(_drawn(targets, path[-1], path_screen, refused))
            moves.append(through(path[-2:], limits, settings.speed))
        moves.append(through(path[::-1], limits, settings.speed))
    return Plan(tuple(moves), tuple(refused))


def _drawn(
    targets: Excitation,
    current: Positions,
    path_screen: PathScreen,
    refused: list[tuple[Positions, str]],
) -> Positions:
    """The first target that is not refused; those that are go to `refused`."""
    for drawn in range(1, DRAWS + 1):
        target = targets.next(current)
        reason = path_screen.reason([current, target])
        if reason is None:
            return target
        refused.append((target, reason))
        targets.turn(drawn)
    raise InputError(f"{DRAWS} targets in a row were refused, the last because {reason}")


def excitation_of(limits: Limits, settings: SessionSettings) -> Excitation:
    """What draws the targets of a session with these settings."""
    steps = settings.step_min, settings.step_max
    seed = settings.seed + settings.first
    if settings.excitation == "one_joint":
        return OneJointTargets(limits, *steps, seed)
    if settings.excitation == "informative":
        # It needs the engine, which takes seconds to import.
        from autourdf_ros.commanding.targets.informative_targets import InformativeTargets

        enough = settings.target_axis_std, settings.target_line_std
        return InformativeTargets(limits, *steps, seed, *enough)
    return RandomTargets(limits, *steps, settings.move_share, seed)
