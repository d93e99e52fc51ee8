"""The parameters of the publisher node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rclpy.node import Node

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_root import result_below
from autourdf_ros.ros.common.parameters import Parameters


@dataclass(frozen=True)
class PublisherSettings:
    """Values of the parameters of config/publisher.yaml.

    Attributes:
        period: shortest time between two broadcasts (s), from `publish_frequency`.
        stale_after: silence of the joint states that is reported (s).
    """

    result: str
    results_root: str
    completed_topic: str
    joint_states_topic: str
    frame_prefix: str
    parent_frame: str
    mesh_prefix: str
    publish_tf: bool
    publish_failed: bool
    period: float
    stale_after: float
    marker_sigmas: float

    def at_start(self) -> Path | None:
        """Return the folder to publish at start, or None. Raise InputError as `folder`."""
        return self.folder(self.result) if self.result else None

    def folder(self, given: str) -> Path:
        """Return a folder that the operator names. Raise InputError if it is not below the root."""
        root = self.results_root
        return result_below(Path(root), given) if root else Path(given).expanduser()

    def chosen(self, given: object) -> Path:
        """Return a folder that any node names by `result`. Raise InputError where it is refused."""
        if not self.results_root:
            raise InputError(
                "parameter results_root is empty; ~/load takes results only from below a folder "
                "that it names"
            )
        if not isinstance(given, str) or not given:
            raise InputError(f"parameter result is {given!r}; accepted is a result folder")
        return self.folder(given)


def declare_settings(node: Node) -> PublisherSettings:
    """Declare all parameters. Raise InputError where one cannot be used."""
    parameters = Parameters(node, adjustable=["result"])
    text, flag, number = parameters.text, parameters.flag, parameters.number
    return PublisherSettings(
        result=text(
            "result", "", "result folder to publish at start, and at ~/load; empty: none at start"
        ),
        results_root=text(
            "results_root", "", "all results must lie below it; empty: anywhere, but no ~/load"
        ),
        completed_topic=text(
            "completed_topic", "/reconstruction/completed", "topic of the paths of new results"
        ),
        joint_states_topic=text(
            "joint_states_topic", "/joint_states", "topic of the joint states of the real motors"
        ),
        frame_prefix=text("frame_prefix", "", "is put before every frame, e.g. self/"),
        parent_frame=text(
            "parent_frame", "", "parent frame of the prefixed base_link; empty: none"
        ),
        mesh_prefix=text(
            "mesh_prefix", "", "is put before mesh paths, e.g. package://arm; empty: file://FOLDER"
        ),
        publish_tf=flag("publish_tf", True, "false leaves TF to a robot_state_publisher"),
        publish_failed=flag(
            "publish_failed", False, "whether to broadcast a model whose verdict is failed"
        ),
        period=1.0
        / number("publish_frequency", 50.0, "highest rate of the transforms (Hz)", 0.1, 1000.0),
        stale_after=number(
            "stale_after", 1.0, "silence of the joint states that is reported (s)", 0.05, 3600.0
        ),
        marker_sigmas=number(
            "marker_sigmas", 2.0, "standard deviations that cones and discs show", 0.1, 1000.0
        ),
    )
