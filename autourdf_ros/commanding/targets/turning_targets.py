"""Targets that turn a link against gravity, as weighing what it holds needs.

Each target is the one that adds most to D = log det sum(a a'), a = (direction of gravity along the
link's axes, 1), for its time, among those drawn that are free. With the 1, directions count beside
a constant bias of the sensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.trajectory import Positions, through
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits

Array = NDArray[np.float64]
Fall = Callable[[Positions], Array]
"""Returns the direction (3,) of gravity along the axes of the link."""


@dataclass(frozen=True)
class TurningOptions:
    """How targets are chosen.

    Attributes:
        poses: Orientations, with that in which the robot stands.
        least: Orientations without which the bias of a sensor and a load are not separate:
            a physical limit.
        turn: Angle (rad) that gravity turns at least between any two orientations.
        reach: How far a joint may go from where it stood (rad).
        dwell: Time at each orientation (s).
        speed: In (0, 1], share of the velocity limits.
        drawn: Configurations that are drawn for each target: a resource bound.
        rounds: How often they are drawn anew where none is free: a resource bound.
        known: What D starts with: the information of one direction known to a tenth of gravity.
        seed: Of the draws.
    """

    poses: int = 8
    least: int = 3
    turn: float = math.radians(30)
    reach: float = math.pi
    dwell: float = 1.0
    speed: float = 0.25
    drawn: int = 64
    rounds: int = 8
    known: float = 0.01
    seed: int = 0


@dataclass
class TurningTargets:
    """Targets, one after the other, and what was refused.

    Attributes:
        path: Configurations, the first is where the robot stands.
        falls: Directions of gravity at them, along the link's axes.
        refused: Configurations that are not free, each with the reason.
    """

    path: list[Positions]
    falls: list[Array]
    refused: list[tuple[Positions, str]] = field(default_factory=list)


def turning_targets(
    start: Positions,
    limits: Limits,
    fall: Fall,
    path_screen: PathScreen,
    options: TurningOptions = TurningOptions(),
) -> TurningTargets:
    """Return targets in as many orientations as are wanted, or as many as there are.

    Args:
        start: Where the robot stands.
        limits: Of the joints that move.
        fall: Of the link.
        path_screen: Refuses ways that are not free.
        options: How they are chosen.

    Raises:
        InputError: there are fewer orientations than the least.
    """
    rng = np.random.default_rng(options.seed)
    found = TurningTargets([start], [fall(start)])
    box = _box(start, limits, options.reach)
    turning = _turning(start, box, fall, rng, options)
    if not turning:
        raise InputError(
            "no joint turns the link against gravity; accepted are joints whose axes are not all "
            "vertical"
        )
    for _ in range(options.poses - 1):
        for _ in range(options.rounds):
            drawn = [_drawn(found.path[-1], turning, box, rng) for _ in range(options.drawn)]
            target = _best(found, drawn, limits, fall, path_screen, options)
            if target is not None:
                break
        else:
            break
        found.path.append(target)
        found.falls.append(fall(target))
    if len(found.path) < options.least:
        raise InputError(_too_few(found, options))
    return found


def _box(start: Positions, limits: Limits, reach: float) -> dict[str, tuple[float, float]]:
    return {
        name: (
            min(max(limit.lower, start[name] - reach), limit.upper),
            max(min(limit.upper, start[name] + reach), limit.lower),
        )
        for name, limit in limits.items()
    }


def _turning(
    start: Positions,
    box: dict[str, tuple[float, float]],
    fall: Fall,
    rng: np.random.Generator,
    options: TurningOptions,
) -> list[str]:
    """The joints that turn the link against gravity; others may stay where they are."""
    found = set()
    for _ in range(options.rounds):
        base = _drawn(start, list(box), box, rng)
        for name in box:
            other = {**base, name: rng.uniform(*box[name])}
            if not np.allclose(fall(other), fall(base), atol=1e-9):
                found.add(name)
    return [name for name in box if name in found]


def _drawn(
    here: Positions,
    joints: Sequence[str],
    box: dict[str, tuple[float, float]],
    rng: np.random.Generator,
) -> dict[str, float]:
    return {**here, **{name: float(rng.uniform(*box[name])) for name in joints}}


def _best(
    found: TurningTargets,
    drawn: Sequence[Positions],
    limits: Limits,
    fall: Fall,
    path_screen: PathScreen,
    options: TurningOptions,
) -> Positions | None:
    """Return the free target that shows most for its time, or None."""
    here = found.path[-1]
    known = options.known * np.eye(4) + sum(np.outer(a, a) for a in map(_row, found.falls))
    inverse = np.linalg.inv(known)
    widest = math.cos(options.turn)
    judged = []
    for number, target in enumerate(drawn):
        own = fall(target)
        if max(float(own @ other) for other in found.falls) > widest:
            continue
        row = _row(own)
        seconds = through([here, target], limits, options.speed).duration + options.dwell
        judged.append((math.log1p(float(row @ inverse @ row)) / seconds, number))
    for _, number in sorted(judged, reverse=True):
        reason = path_screen.reason([here, drawn[number]])
        if reason is None:
            return drawn[number]
        found.refused.append((drawn[number], reason))
    return None


def _row(fall: Array) -> Array:
    return np.append(fall, 1.0)


def _too_few(found: TurningTargets, options: TurningOptions) -> str:
    why = f", the last way because {found.refused[-1][1]}" if found.refused else ""
    return (
        f"the joints turn the link into {len(found.path)} orientations that differ by "
        f"{math.degrees(options.turn):.0f} degrees; accepted are {options.least} or more: widen "
        f"the joints' limits or the reach, or begin elsewhere{why}"
    )
