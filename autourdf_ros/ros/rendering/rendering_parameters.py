"""The parameters of the rendering node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from scipy.spatial.transform import Rotation

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.matched_subscription import RELIABILITIES
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.workflows.appearance.self_filter import SelfFilterOptions


@dataclass(frozen=True)
class RenderingSettings:
    """Values of the parameters of config/rendering.yaml.

    Attributes:
        camera_pose: (4, 4) of the optical frame in `base_frame`; None: by TF.
        longest_gap: between two joint states, or transforms, that are interpolated (s).
        patience: how long an image waits for what follows it (s).
    """

    model: Path
    base_frame: str
    joint_states_topic: str
    camera_info_topic: str
    cloud_topic: str
    image_topic: str
    reliability: str
    rectified: bool
    camera_pose: NDArray[np.float64] | None
    publish_failed: bool
    only_robot: bool
    correct_camera: bool
    longest_gap: float
    patience: float
    stale_after: float
    filter: SelfFilterOptions


def declare_settings(node: Node) -> RenderingSettings:
    """Declare all parameters. Raise InputError where one cannot be used."""
    parameters = Parameters(node)
    text, flag, number = parameters.text, parameters.flag, parameters.number
    model = text("model", "", "result folder of the robot")
    if not model:
        raise InputError(
            f"{node.get_fully_qualified_name()}: parameter model is ''; accepted is a result folder"
        )
    margin = number(
        "margin",
        0.0,
        "points nearer to the predicted surface are the robot's (m); 0: by measured differences",
        0.0,
        1.0,
    )
    default = SelfFilterOptions()
    return RenderingSettings(
        model=Path(model).expanduser(),
        base_frame=text("base_frame", "base_link", "frame of the model's base in TF"),
        joint_states_topic=text(
            "joint_states_topic", "/joint_states", "topic of the joint states of the real motors"
        ),
        camera_info_topic=text(
            "camera_info_topic",
            "/camera_0/camera_info",
            "CameraInfo of the camera whose view is predicted",
        ),
        cloud_topic=text(
            "cloud_topic", "", "PointCloud2 of that camera to take the robot from; empty: none"
        ),
        image_topic=text(
            "image_topic", "", "Image of that camera to take the robot from; empty: none"
        ),
        reliability=text(
            "reliability",
            "auto",
            "reliability of the camera's topics; auto: that which they offer",
            RELIABILITIES,
        ),
        rectified=flag("rectified", False, "whether the images are rectified: P holds, not K"),
        camera_pose=_pose(parameters),
        publish_failed=flag(
            "publish_failed", False, "whether to draw a model whose verdict is failed"
        ),
        only_robot=flag("only_robot", False, "whether to publish the robot's points alone, too"),
        correct_camera=flag(
            "correct_camera",
            True,
            "whether depths of cloud_topic or image_topic correct the camera's pose",
        ),
        longest_gap=number(
            "longest_gap",
            0.2,
            "longest time between two joint states or transforms that is interpolated (s)",
            0.001,
            10.0,
        ),
        patience=number(
            "patience", 0.5, "how long an image waits for later joint states (s)", 0.0, 10.0
        ),
        stale_after=number(
            "stale_after", 1.0, "silence of a topic that is reported (s)", 0.05, 3600.0
        ),
        filter=SelfFilterOptions(
            margin=margin or None,
            edge=parameters.integer(
                "edge", default.edge, "pixels by which the robot's outline may be wrong", 0, 20
            ),
        ),
    )


def _pose(parameters: Parameters) -> NDArray[np.float64] | None:
    """Declare where the camera stands."""
    given = parameters.numbers(
        "camera_pose",
        "x y z (m) and quaternion x y z w of the optical frame in base_frame; empty: by TF",
    )
    if not given:
        return None
    if len(given) != 7 or abs(np.linalg.norm(given[3:]) - 1) > 0.01:
        raise InputError(
            f"parameter camera_pose is {list(given)}; accepted are x y z and a quaternion of norm 1"
        )
    pose = np.eye(4)
    pose[:3, 3] = given[:3]
    pose[:3, :3] = Rotation.from_quat(given[3:]).as_matrix()
    return pose
