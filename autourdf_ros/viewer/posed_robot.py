"""The robot in the scene: its meshes in two colourings, moved by joint values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import viser
import viser.transforms
import yourdfpy
from numpy.typing import NDArray
from trimesh.visual import ColorVisuals
from viser.extras import ViserUrdf

from autourdf_ros.model.palette import link_color
from autourdf_ros.model.tree_joint import TreeJoint, joint_motion

ROOT = "/robot"

STEADY = np.pi
"""Limit of the slider of a joint without limits, on either side (rad or m)."""


class _Articulated(yourdfpy.URDF):
    """A URDF in which joints may move as others than they are in the file."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.instead: dict[str, TreeJoint] = {}
        super().__init__(*args, **options)

    def _forward_kinematics_joint(self, joint: Any, q: Any = None) -> tuple[Any, Any]:
        """Return the pose of a joint's child in its parent, and the value of the joint."""
        pose, value = super()._forward_kinematics_joint(joint, q)
        other = self.instead.get(joint.name)
        if other is None:
            return pose, value
        origin = np.eye(4) if joint.origin is None else joint.origin
        return origin @ joint_motion(other, float(np.asarray(value).item())), value


class PosedRobot:
    """The robot of a URDF on a page; not safe for two threads at a time."""

    def __init__(self, server: viser.ViserServer, urdf: Path, links: list[str]) -> None:
        """Add the robot to the scene.

        Args:
            server: The page's server.
            urdf: The URDF file.
            links: Names of the links in the palette's order.
        """
        plain = yourdfpy.URDF.load(str(urdf), build_scene_graph=False, load_meshes=False)
        self._urdf = _Articulated(robot=plain.robot, mesh_dir=str(urdf.parent))
        self._frame = server.scene.add_frame(ROOT, show_axes=False)
        self._recorded = ViserUrdf(server, self._urdf, root_node_name=f"{ROOT}/recorded")
        self._paint(links)
        self._parts = ViserUrdf(server, self._urdf, root_node_name=f"{ROOT}/parts")
        self.show_meshes(True, False)

    def _paint(self, links: list[str]) -> None:
        scene = self._urdf.scene
        for name, mesh in scene.geometry.items():
            link = scene.graph.transforms.parents[name]
            color = np.append(link_color(links.index(link)) if link in links else [0.8] * 3, 1.0)
            painted = np.tile((255 * color).astype(np.uint8), (len(mesh.vertices), 1))
            mesh.visual = ColorVisuals(mesh, vertex_colors=painted)

    @property
    def joints(self) -> dict[str, tuple[float, float]]:
        """Limits (rad or m) of the actuated joints by name; other joints follow these."""
        limits = self._parts.get_actuated_joint_limits()
        return {
            name: (-STEADY if low is None else low, STEADY if high is None else high)
            for name, (low, high) in limits.items()
        }

    def show_meshes(self, shown: bool, parts: bool) -> None:
        """Show the links in the palette's colours (`parts`), or else in the recorded ones."""
        self._parts.show_visual, self._recorded.show_visual = shown and parts, shown and not parts

    def pose(self, values: Mapping[str, float], base: NDArray[np.float64]) -> None:
        """Move the robot.

        Args:
            values: Values of all `joints` (rad or m) by name.
            base: (4, 4) pose of the root link in the fixed frame.
        """
        configuration = np.array([values[name] for name in self._urdf.actuated_joint_names])
        self._recorded.update_cfg(configuration)
        self._parts.update_cfg(configuration)
        self._frame.wxyz = viser.transforms.SO3.from_matrix(base[:3, :3]).wxyz
        self._frame.position = base[:3, 3]

    def move_as(self, joint: str, other: TreeJoint | None) -> None:
        """Let a joint's child, and all that hangs on it, move as another joint would move it.

        Args:
            joint: Name of the joint.
            other: In the frame of the joint's child; None for the joint of the URDF. At its
                reference value the robot stands as with the joint of the URDF at zero.
        """
        if other is None:
            self._urdf.instead.pop(joint, None)
        else:
            self._urdf.instead[joint] = other

    def link_pose(self, link: str) -> NDArray[np.float64]:
        """Return the current (4, 4) pose of a link's frame in the URDF's root link."""
        pose: NDArray[np.float64] = self._urdf.get_transform(link)
        return pose

    def bounds(self) -> NDArray[np.float64]:
        """Return the (2, 3) lower and upper corner (m) of the posed meshes in the root link."""
        bounds = self._urdf.scene.bounds
        if bounds is None:
            return np.array([[-0.5] * 3, [0.5] * 3])
        return np.asarray(bounds, float)
