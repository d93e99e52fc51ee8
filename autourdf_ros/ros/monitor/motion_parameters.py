"""The parameters of the monitor node's motions: those of the capture, and how far it may go."""

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
"""And a look where it stands: ten of every camera."""


@dataclass(frozen=True)
class MotionSettings:
    """allowed: whether the robot may move at all. motions: targets of a repair, at most. reach: rad
    that a joint goes from where it stood, at most. interface, topic: of the controller. *_timeout:
    silence of a sensor that stops it (s). efforts: by joint, the same."""

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
    """Declare all. Raises InputError where motion is allowed without limits, and as the capture."""
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
            "motions", 4, "configurations that a repair looks at, at most", 1, MOST_MOTIONS
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
