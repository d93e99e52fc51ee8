"""Parameters of the monitor node's motions: those of the capture, and their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.cell.capture_parameters import (
    declare_command,
    declare_efforts,
    declare_following,
    declare_limits,
)
from autourdf_ros.ros.cell.screen_parameters import BLIND_STEP, declare_obstacles
from autourdf_ros.ros.common.parameters import Parameters

MOST_MOTIONS = 9
"""With the observation where it stands: ten of every camera."""


@dataclass(frozen=True)
class MotionSettings:
    """Motions of a repair.

    Attributes:
        allowed: Whether the robot may move at all.
        limits: Of the commanded joints.
        session: Of the motions.
        obstacles: What the robot must not touch.
        motions: Largest number of targets of a repair.
        reach: How far a joint may go from where it stood (rad).
        interface: Of the controller.
        topic: Of the controller.
        joint_timeout: Silence of the joint states that stops a motion (s).
        cloud_timeout: Silence of a camera that stops a motion (s).
        efforts: Largest effort by joint.
    """

    allowed: bool
    limits: Limits
    session: SessionSettings
    obstacles: Obstacles
    motions: int
    reach: float
    interface: str
    topic: str
    joint_timeout: float
    cloud_timeout: float
    efforts: Mapping[str, float]


def declare_motion(parameters: Parameters, where: str) -> MotionSettings:
    """Declare all. Raises InputError for motion without limits, and as the capture does."""
    allowed = parameters.flag(
        "allow_motion", False, "whether ~/repair may move the robot; otherwise nothing moves"
    )
    wanted = allowed or parameters.given("joints")
    limits = declare_limits(parameters, "", where) if wanted else {}
    text = "silence of a {} that stops a motion (s); 0: its own period, as measured, and a margin"
    interface, topic = declare_command(parameters)
    return MotionSettings(
        allowed=allowed,
        limits=limits,
        session=declare_following(parameters),
        obstacles=declare_obstacles(parameters, limits, where),
        motions=parameters.integer(
            "motions", 4, "configurations that a repair moves to, at most", 1, MOST_MOTIONS
        ),
        reach=parameters.number(
            "motion_reach",
            0.2,
            "how far a joint goes from where it stood, at most (rad)",
            0.01,
            BLIND_STEP,
        ),
        interface=interface,
        topic=topic,
        joint_timeout=parameters.number(
            "joint_state_timeout", 0.0, text.format("joint"), 0.0, 10.0
        ),
        cloud_timeout=parameters.number(
            "motion_cloud_timeout", 0.0, text.format("camera"), 0.0, 60.0
        ),
        efforts=declare_efforts(parameters, list(limits), where),
    )
