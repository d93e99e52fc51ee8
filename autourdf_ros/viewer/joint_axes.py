"""The joints' axes in the scene: an arrow, its uncertainty and the joint's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import viser
import viser.transforms
from numpy.typing import NDArray

from autourdf_ros.model.document.alternatives import Alternative
from autourdf_ros.model.joint_grading import Grade
from autourdf_ros.report.grade_style import GRADE_STYLES
from autourdf_ros.viewer.axis_shapes import axis_envelope
from autourdf_ros.viewer.posed_robot import ROOT, PosedRobot
from autourdf_ros.viewer.viewed_result import ViewedResult


class JointAxes:
    """The axes of all moving joints; they move with the robot."""

    def __init__(self, server: viser.ViserServer, result: ViewedResult, robot: PosedRobot) -> None:
        """Add the axes to the scene. The robot must stand at the reference configuration."""
        self._robot, self._server = robot, server
        self._added: dict[str, _Axis] = {}
        self._root = server.scene.add_frame(f"{ROOT}/axes", show_axes=False)
        self._frames: dict[str, viser.FrameHandle] = {}
        size = float(np.linalg.norm(np.ptp(robot.bounds(), axis=0)))
        for index, joint in enumerate(result.document["joints"]):
            if joint["type"] == "fixed":
                continue
            name = f"{ROOT}/axes/{index}"
            self._frames[joint["child"]] = server.scene.add_frame(name, show_axes=False)
            to_link = np.linalg.inv(robot.link_pose(joint["child"]))
            grade = result.judgements[joint["name"]].grade
            self._added[joint["name"]] = _Axis(name, joint, to_link, grade, size)
            _add_axis(server, self._added[joint["name"]])
        self.follow()

    def follow(self) -> None:
        """Move the axes to the robot's links."""
        for link, frame in self._frames.items():
            pose = self._robot.link_pose(link)
            frame.wxyz = viser.transforms.SO3.from_matrix(pose[:3, :3]).wxyz
            frame.position = pose[:3, 3]

    def show_alternative(self, joint: str, place: int, alternative: Alternative) -> None:
        """Show another axis of a joint in place of its own.

        Args:
            joint: Its name.
            place: Of the alternative, 0 for the joint's own, which has its uncertainty.
            alternative: In the base frame at the reference configuration.
        """
        shown = self._added.get(joint)
        if shown is None:
            return
        if place:
            self._server.scene.remove_by_name(f"{shown.name}/uncertainty")
            other = {"axis": alternative.axis, "point": alternative.point, "covariance": None}
            shown = replace(shown, joint={**shown.joint, **other})
        _add_axis(self._server, shown, f", alternative {place + 1}" if place else "")

    def show(self, visible: bool) -> None:
        """Show or hide the axes."""
        self._root.visible = visible


@dataclass(frozen=True)
class _Axis:
    """An axis below the scene node `name`, in the child link's frame.

    Attributes:
        name: Of the node.
        joint: Its entry of the document.
        to_link: (4, 4) pose of the base in the link's frame, at the reference configuration.
        grade: Of the joint.
        size: Of the robot (m).
    """

    name: str
    joint: Mapping[str, Any]
    to_link: NDArray[np.floating]
    grade: Grade
    size: float


def _add_axis(server: viser.ViserServer, shown: _Axis, remark: str = "") -> None:
    joint, size, name = shown.joint, shown.size, shown.name
    style = GRADE_STYLES[shown.grade]
    turn = shown.to_link[:3, :3]
    point = turn @ np.array(joint["point"]) + shown.to_link[:3, 3]
    axis = turn @ np.array(joint["axis"])
    reach = 0.2 * size  # longer than most links are thick
    server.scene.add_arrows(
        f"{name}/arrow",
        np.array([[point - reach * axis, point + reach * axis]]),
        style.rgb,
        shaft_radius=0.004 * size,
        head_radius=0.012 * size,
        head_length=0.04 * size,
    )
    doubt = ": doubtful" if shown.grade == "doubtful" else ""
    text = f"{style.sign} {joint['name']}{doubt}{remark}"
    server.scene.add_label(f"{name}/label", text, position=point + 1.05 * reach * axis)
    if joint.get("covariance") is not None:
        across = np.array(joint["across"]) @ turn.T
        covariance = np.array(joint["covariance"], dtype=float)
        vertices, faces = axis_envelope(axis, across, covariance, reach)
        server.scene.add_mesh_simple(
            f"{name}/uncertainty",
            vertices + point,
            faces,
            color=style.rgb,
            opacity=0.45,
            side="double",
            cast_shadow=False,
        )
