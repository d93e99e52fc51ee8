"""Parameters of the identification node. All functions raise InputError."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from rclpy.node import Node

from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.commanding.targets.turning_targets import TurningOptions
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.cell.capture_parameters import (
    declare_command,
    declare_efforts,
    declare_following,
    declare_limits,
    declare_urdf,
    refuse_unknown,
)
from autourdf_ros.ros.cell.screen_parameters import Screened, declare_screened
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.monitor.motion_parameters import MotionSettings

SOURCES = ("wrench", "efforts")
FILE = "config/identification.yaml"


@dataclass(frozen=True)
class SensorSettings:
    """What shows the load, and how it is read.

    Attributes:
        source: `wrench` or `efforts`.
        topic: Of the wrenches.
        timeout: Longest silence (s) of wrenches or efforts, see `Heartbeat`.
        frame: Of the wrenches; empty: that of the messages.
        link: Of the model, on which the sensor is mounted; empty: the wrenches' frame.
        reaction: Whether the sensor states what it exerts on the load.
        stop_force: Force (N) above which the robot stops; None: none.
        tared: Whether the sensor has no bias.
        delay: Of the wrenches behind the motion (s); None: estimated.
        gain: Standard deviation of each channel's calibration, as a share of the load.
        gripper: Records of the empty gripper; None: none.
        urdf: With the robot's own masses, for efforts.
    """

    source: str
    topic: str
    timeout: float
    frame: str
    link: str
    reaction: bool
    stop_force: float | None
    tared: bool
    delay: float | None
    gain: float
    gripper: Path | None
    urdf: Path


@dataclass(frozen=True)
class IdentificationSettings:
    """Values of config/identification.yaml.

    Attributes:
        base_frame: That does not move, its z up.
        motion: How the robot moves.
        screened: What motions are screened with.
        turning: How orientations are chosen.
        sensor: What shows the load.
        shape: Of the held object, where a goal names none; None: none.
        payloads: Folder of records and results.
        frame_prefix: Of the model's frames, as they are published.
    """

    base_frame: str
    motion: MotionSettings
    screened: Screened
    turning: TurningOptions
    sensor: SensorSettings
    shape: Path | None
    payloads: Path
    frame_prefix: str


def declare_identification(node: Node) -> IdentificationSettings:
    """Declare all parameters. Raise InputError where one cannot be used."""
    parameters, where = Parameters(node), node.get_fully_qualified_name()
    text = parameters.text
    allowed = parameters.flag(
        "allow_motion", False, "whether the robot may move; otherwise only ~/plan is published"
    )
    base_frame = text("base_frame", "base_link", "frame that does not move; its z points up")
    urdf = declare_urdf(parameters)
    limits = declare_limits(parameters, urdf, where)
    screened = declare_screened(parameters, limits, base_frame, urdf, where)
    if screened.distances is None or screened.blind(limits):
        raise InputError(
            f"{where}: parameter model: turns of tens of degrees need a model with a shape on "
            "every joint that screens them; accepted is a result folder or a URDF"
        )
    turning = _declare_turning(parameters)
    motion = _declare_motion(parameters, allowed, turning, where, limits, screened)
    shape = text("shape", "", "file of the held object's shape where a goal names none")
    settings = IdentificationSettings(
        base_frame,
        motion,
        screened,
        turning,
        _declare_sensor(parameters, screened.distances.robot.urdf, where),
        Path(shape).expanduser() if shape else None,
        # Absolute: other nodes receive the paths, and may run in another folder.
        Path(text("payloads", "payloads", "folder of records and results")).expanduser().absolute(),
        text("frame_prefix", "self_model/", "of the published model's frames"),
    )
    refuse_unknown(parameters, limits, where, FILE)
    return settings


def _declare_turning(parameters: Parameters) -> TurningOptions:
    default, number, integer = TurningOptions(), parameters.number, parameters.integer
    return TurningOptions(
        poses=integer("poses", default.poses, "orientations, with the first", default.least, 100),
        turn=number(
            "turn",
            default.turn,
            "angle that gravity turns at least between any two orientations (rad)",
            0.1,
            1.5,
        ),
        reach=number(
            "motion_reach",
            default.reach,
            "how far a joint goes from where it stood, at most (rad or m)",
            0.1,
            2 * math.pi,
        ),
        dwell=number("dwell", default.dwell, "time at each orientation (s)", 0.1, 60.0),
        seed=integer("seed", default.seed, "seed of the choice of orientations", 0, 2**31 - 1),
    )


def _declare_motion(
    parameters: Parameters,
    allowed: bool,
    turning: TurningOptions,
    where: str,
    limits: Limits,
    screened: Screened,
) -> MotionSettings:
    interface, topic = declare_command(parameters)
    session = declare_following(parameters)
    return MotionSettings(
        allowed=allowed,
        limits=limits,
        # The dwell is part of the wait for what is recorded at an orientation.
        session=replace(session, view_timeout=session.view_timeout + turning.dwell),
        obstacles=Obstacles(forbidden=screened.forbidden),
        motions=turning.poses - 1,
        reach=turning.reach,
        interface=interface,
        topic=topic,
        joint_timeout=parameters.number(
            "joint_state_timeout",
            0.0,
            "longest silence of a joint (s); 0: derived from its measured period",
            0.0,
            10.0,
        ),
        cloud_timeout=0.0,
        efforts=declare_efforts(parameters, list(limits), where),
    )


def _declare_sensor(parameters: Parameters, urdf: Path, where: str) -> SensorSettings:
    text, flag = parameters.text, parameters.flag
    gripper = text("gripper", "", "records of the empty gripper, taken off; empty: none")
    settings = SensorSettings(
        source=text("source", "wrench", "what shows the load", SOURCES),
        topic=text(
            "wrench_topic", "/force_torque_sensor_broadcaster/wrench", "WrenchStamped of the sensor"
        ),
        timeout=parameters.number(
            "wrench_timeout",
            0.0,
            "longest silence of the wrenches or efforts (s); 0: derived from their period",
            0.0,
            10.0,
        ),
        frame=text("sensor_frame", "", "of the wrenches; empty: that of the messages"),
        link=text(
            "sensor_link",
            "",
            "link of the model that holds the sensor; empty: the wrenches' frame",
        ),
        reaction=flag("reaction", False, "whether the sensor states what it exerts on the load"),
        stop_force=parameters.optional(
            "stop_force", "force above which the robot stops (N); not given: none"
        ),
        tared=flag("tared", False, "whether the sensor has no bias; otherwise it is estimated"),
        delay=parameters.optional(
            "delay", "of the wrenches behind the motion (s); not given: estimated"
        ),
        gain=parameters.number(
            "gain",
            SensorOptions().gain,
            "standard deviation of each channel's calibration (share of the load); 0: exact",
            0.0,
            0.5,
        ),
        gripper=Path(gripper).expanduser() if gripper else None,
        urdf=urdf,
    )
    if settings.source == "efforts" and not settings.link:
        raise InputError(
            f"{where}: parameter sensor_link is empty; accepted with source efforts is the link of "
            "the model that holds the object"
        )
    if settings.stop_force is not None and settings.stop_force <= 0:
        raise InputError(
            f"{where}: parameter stop_force is {settings.stop_force}; accepted is above 0"
        )
    return settings
