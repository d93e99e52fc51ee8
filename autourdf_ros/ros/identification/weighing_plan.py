"""Plans the orientations of a weighing from where the robot stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.planning import Plan, check_start
from autourdf_ros.commanding.targets.turning_targets import TurningTargets, turning_targets
from autourdf_ros.commanding.trajectory import Positions, through
from autourdf_ros.errors import InputError
from autourdf_ros.ros.identification.identification_parameters import IdentificationSettings


def plan_weighing(
    start: Positions, settings: IdentificationSettings, path_screen: PathScreen, frame: str
) -> TurningTargets:
    """Return the orientations to stop at.

    Args:
        start: Where the robot stands.
        settings: Of the node.
        path_screen: Checks every motion, and knows how joints turn links.
        frame: Of the wrenches, a link of the model where parameter `sensor_link` names none.

    Raises:
        InputError: the robot may not start there, or too few orientations are free.
    """
    link = settings.sensor.link or frame
    limits = settings.motion.limits
    check_start(start, limits, path_screen)
    try:
        path_screen.fall(link, start)
    except InputError as error:
        raise InputError(
            f"parameter sensor_link: {error}; accepted is the link that holds the sensor"
        ) from error
    options = replace(settings.turning, speed=settings.motion.session.speed)
    return turning_targets(
        start, limits, lambda values: path_screen.fall(link, values), path_screen, options
    )


def moves_of(path: Sequence[Positions], settings: IdentificationSettings) -> Plan:
    """Return all moves of a weighing, there and back, to be shown."""
    limits, speed = settings.motion.limits, settings.motion.session.speed
    there = [through([here, target], limits, speed) for here, target in pairwise(path)]
    return Plan((*there, through(path[::-1], limits, speed)))
