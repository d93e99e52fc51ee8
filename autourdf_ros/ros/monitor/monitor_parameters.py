"""Parameters of the monitor node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rclpy.node import Node

from autourdf_ros.data.background import Background
from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.continual.daily_use import DailyOptions
from autourdf_ros.monitoring.images.image_watch import ImageWatchOptions
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.ros.cell.capture_parameters import refuse_unknown
from autourdf_ros.ros.cell.frame_parameters import declare_background
from autourdf_ros.ros.common.matched_subscription import RELIABILITIES
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.monitor.image_worker import ImageSettings
from autourdf_ros.ros.monitor.motion_parameters import MotionSettings, declare_motion

POLICIES = ("ask", "auto")


@dataclass(frozen=True)
class MonitorSettings:
    """Values of config/monitor.yaml."""

    history: Path
    result: Path | None
    cameras: tuple[str, ...]
    base_frame: str
    joint_states_topic: str
    reliability: str
    cloud_timeout: float
    published_topic: str
    frame_prefix: str
    policy: str
    options: MonitorOptions
    daily: DailyOptions
    background: Background | None
    motion: MotionSettings
    images: ImageSettings


def declare_settings(node: Node) -> MonitorSettings:
    """Declare all parameters. Raises InputError where one cannot be used."""
    parameters, where = Parameters(node), node.get_fully_qualified_name()
    text, number = parameters.text, parameters.number
    default, daily = MonitorOptions(), DailyOptions()
    cameras = parameters.texts("cameras", [], "topics of the depth cameras' PointCloud2")
    if not cameras:
        raise InputError("parameter cameras is empty; accepted: a list of topics")
    resolved = [node.resolve_topic_name(topic) for topic in cameras]
    for topic, name in zip(cameras, resolved, strict=True):
        if resolved.count(name) > 1:
            raise InputError(f"parameter cameras names {topic} twice; accepted: each once")
    images = parameters.texts("image_topics", [], "topics of colour images to watch by, too")
    base_frame = text(
        "base_frame", "base_link", "frame of the model's base, with TF to the cameras"
    )
    result = text("result", "", "result folder to start an empty history with")
    options = MonitorOptions(
        learning=number(
            "learning",
            default.learning,
            "time to learn the baseline; nothing may be wrong (s)",
            1.0,
            3600.0,
        ),
        window=number(
            "window", default.window, "of the observations that are judged (s)", 1.0, 600.0
        ),
        alarm=number(
            "alarm",
            default.alarm,
            "least log odds of a change that is reported after a window; larger ones are sooner",
            1.0,
            1e6,
        ),
        false_alarms=number(
            "false_alarms",
            default.false_alarms,
            "that a healthy robot may raise in an hour",
            1e-6,
            1e3,
        ),
        least_shift=number(
            "least_shift",
            default.least_shift,
            "smallest displacement of a part that is reported (m)",
            0.0,
            1.0,
        ),
    )
    settings = MonitorSettings(
        history=Path(text("history", "models", "folder of all models, see docs/repair.md")),
        result=Path(result).expanduser() if result else None,
        cameras=tuple(cameras),
        base_frame=base_frame,
        joint_states_topic=text("joint_states_topic", "/joint_states", "of the real motors"),
        reliability=text("reliability", "auto", "of the clouds' subscriptions", RELIABILITIES),
        cloud_timeout=number(
            "cloud_timeout", 5.0, "silence of a camera that is reported (s)", 0.1, 3600.0
        ),
        published_topic=text(
            "published_topic",
            "/reconstruction/completed",
            "topic of the current model's path, for the publisher node",
        ),
        frame_prefix=text("frame_prefix", "", "of the model's frames, for the markers"),
        policy=text("policy", "ask", "ask: repair on a call only; auto: by itself", POLICIES),
        options=options,
        daily=DailyOptions(
            bin=number("drift_bin", daily.bin, "of one estimate of the drift (s)", 60.0, 604800.0),
            least_reduction=number(
                "refine_tighter",
                daily.least_reduction,
                "share by which deviations must shrink",
                0.01,
                1.0,
            ),
        ),
        background=declare_background(parameters, base_frame),
        motion=declare_motion(parameters, where),
        images=ImageSettings(
            tuple(images),
            number("image_period", 2.0, "between two images of a camera (s)", 0.1, 3600.0),
            options=ImageWatchOptions(learning=options.learning),
        ),
    )
    refuse_unknown(parameters, settings.motion.limits, where, "config/monitor.yaml")
    return settings
