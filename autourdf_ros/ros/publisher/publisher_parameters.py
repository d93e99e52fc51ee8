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
    """What config/publisher.yaml says. period, stale_after: seconds."""

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
        """Folder to publish at start, if any. Raises InputError where it is not below the root."""
        return self.folder(self.result) if self.result else None

    def folder(self, given: str) -> Path:
        """A folder that whoever runs the node names. Raises InputError as `result_below`."""
        root = self.results_root
        return result_below(Path(root), given) if root else Path(given).expanduser()

    def chosen(self, given: object) -> Path:
        """A folder that anybody on the network names by `result`. Raises InputError."""
        if not self.results_root:
            raise InputError(
                "parameter results_root is empty; ~/load takes results only from below a folder "
                "that it names"
            )
        if not isinstance(given, str) or not given:
            raise InputError(f"parameter result is {given!r}; accepted is a result folder")
        return self.folder(given)


def declare_settings(node: Node) -> PublisherSettings:
    """Declare all. Raises InputError where one cannot be used."""
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
            "completed_topic", "/reconstruction/completed", "where paths of new results arrive"
        ),
        joint_states_topic=text("joint_states_topic", "/joint_states", "of the real motors"),
        frame_prefix=text("frame_prefix", "", "put before every frame, e.g. self/"),
        parent_frame=text(
            "parent_frame", "", "frame in which the prefixed base_link stands still; empty: none"
        ),
        mesh_prefix=text(
            "mesh_prefix", "", "put before mesh paths, e.g. package://arm; empty: file://FOLDER"
        ),
        publish_tf=flag("publish_tf", True, "false leaves TF to a robot_state_publisher"),
        publish_failed=flag(
            "publish_failed", False, "whether to broadcast a model whose verdict is failed"
        ),
        period=1.0 / number("publish_frequency", 50.0, "of TF at most (Hz)", 0.1, 1000.0),
        stale_after=number(
            "stale_after", 1.0, "silence of the joint states that is reported (s)", 0.05, 3600.0
        ),
        marker_sigmas=number(
            "marker_sigmas", 2.0, "standard deviations that cones and discs show", 0.1, 1000.0
        ),
    )
