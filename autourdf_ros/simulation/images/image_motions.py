"""The configurations in which a robot is photographed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.simulation.workspace import Workspace

_ATTEMPTS = 200  # of one configuration without collisions
_GROWING = ((1 / 3, 0.05), (2 / 3, 0.05))
"""Shares of the reach, and of the images within it, before the rest may reach all of it; as in Hu,
Yu and Tan (2025), section 4.1: 500 and 500 of 10,000 images within 30 and 60 of 90 degrees."""


@dataclass(frozen=True)
class ImageMotion:
    """How many images there are of which configurations.

    Attributes:
        random: All joints anywhere within the reach, which grows at first.
        rest: All joints at rest.
        single: Of every joint: it moves alone.
        reach: Greatest distance of a revolute joint from 0 (rad); None: its limits.
    """

    random: int = 300
    rest: int = 0
    single: int = 0
    reach: float | None = float(np.radians(90))

    def __post_init__(self) -> None:
        """Raise InputError naming a value out of its range."""
        for name in ("random", "rest", "single"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} is {getattr(self, name)}; accepted is 0 or more")
        if not self.random + self.rest + self.single:
            raise InputError("no image is asked for; accepted is at least one")
        if self.reach is not None and not self.reach > 0:
            raise InputError(f"reach is {self.reach} rad; accepted is above 0")


def image_configurations(
    workspace: Workspace, motion: ImageMotion, rng: np.random.Generator
) -> Array:
    """Return collision-free configurations (F, J): at rest, of single joints, random ones.

    Raises:
        InputError: None was found.
    """
    robot = workspace.robot
    found = [robot.neutral] * motion.rest
    for number in range(len(robot.joints) if motion.single else 0):
        if robot.driven[number]:
            alone = np.arange(len(robot.joints)) == number
            found += [_draw(workspace, motion, alone, 1.0, rng) for _ in range(motion.single)]
    every = np.ones(len(robot.joints), bool)
    for number in range(motion.random):
        share, done = 1.0, 0.0
        for reach, images in _GROWING:
            done += images
            if number < round(done * motion.random):
                share = reach
                break
        found.append(_draw(workspace, motion, every, share, rng))
    return np.stack(found)


def _draw(
    workspace: Workspace,
    motion: ImageMotion,
    moving: Array,
    share: float,
    rng: np.random.Generator,
) -> Array:
    robot = workspace.robot
    low, high = robot.lower, robot.upper
    if motion.reach is not None:
        turning = np.array([joint.kind != "prismatic" for joint in robot.joints])
        low = np.where(turning, np.maximum(low, -motion.reach * share), low)
        high = np.where(turning, np.minimum(high, motion.reach * share), high)
    # Where 0 is out of reach (Panda's elbow), the joint keeps to the limit that is nearest.
    low, high = np.minimum(low, robot.upper), np.maximum(high, robot.lower)
    low, high = np.minimum(low, high), np.maximum(low, high)
    for _ in range(_ATTEMPTS):
        values = np.where(moving, rng.uniform(low, high), robot.neutral)
        values = robot.follow_mimics(values)
        if workspace.is_free(values):
            return values
    raise InputError(
        f"{robot.urdf}: no configuration without collisions found in {_ATTEMPTS} random ones"
    )
