"""The moves of a session, planned before it begins."""

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
"""Refused targets in a row after which the search for a target ends."""


@dataclass(frozen=True)
class Plan:
    """The moves of a session.

    Attributes:
        moves: in the order of their execution.
        refused: targets that the robot does not move to, each with the reason.
    """

    moves: tuple[Trajectory, ...]
    refused: tuple[tuple[Positions, str], ...] = ()


def check_start(positions: Positions, limits: Limits, path_screen: PathScreen = NOTHING) -> None:
    """Check that the robot may move from where it stands.

    Args:
        positions: of the joints (rad or m).
        limits: of the joints.
        path_screen: checks the configuration.

    Raises:
        InputError: a joint stands outside its limits by more than noise, or the robot stands where
            it may not move.
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
    """Return all moves of a session from `start`, if the controller refuses none.

    Informative targets are planned without a model, and are random then.

    Args:
        start: positions of the joints (rad or m).
        limits: of the joints.
        settings: of the session.
        path_screen: checks every move.

    Raises:
        InputError: the robot may not start there, or no target is found.
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


def way_home(
    here: Positions, home: Positions, limits: Limits, speed: float, path_screen: PathScreen
) -> Plan:
    """Return the straight way in joint space between two positions (rad or m by joint).

    Raises:
        InputError: the robot may not start there, or something is in the way.
    """
    check_start(here, limits, path_screen)
    reason = path_screen.reason([here, home])
    if reason is not None:
        raise InputError(f"there is no straight way home: {reason}")
    return Plan((through([here, home], limits, speed),))


def _drawn(
    targets: Excitation,
    current: Positions,
    path_screen: PathScreen,
    refused: list[tuple[Positions, str]],
) -> Positions:
    """Return the first target that is not refused; append the others to `refused`."""
    for drawn in range(1, DRAWS + 1):
        target = targets.next(current)
        reason = path_screen.reason([current, target])
        if reason is None:
            return target
        refused.append((target, reason))
        targets.turn(drawn)
    raise InputError(f"{DRAWS} targets in a row were refused, the last because {reason}")


def excitation_of(limits: Limits, settings: SessionSettings) -> Excitation:
    """Return what draws the targets of a session with these settings."""
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
