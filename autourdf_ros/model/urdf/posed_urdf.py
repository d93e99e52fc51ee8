"""A URDF file at a configuration: its moving joints as lines in the base frame."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint, extent, joint_points
from autourdf_ros.model.urdf.robot_library import package_directories
from autourdf_ros.model.urdf.urdf_extras import read_mimics

BOX_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)


@dataclass(frozen=True)
class UrdfRobot:
    """A robot read from a URDF file; body b is its b-th moving joint's child, 0 the fixed body.

    Not a `KinematicTree`: Pinocchio's model of any URDF, the reference that ours is tested with.

    Attributes:
        mimics: Joint, multiplier and offset by the name of the joint that follows it: value =
            multiplier * (value of joint) + offset.
    """

    path: Path
    model: pin.Model
    mimics: Mapping[str, tuple[str, float, float]]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the moving joints, parents before children; joint i moves body i + 1."""
        return tuple(self.model.names)[1:]

    def configuration_vector(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        """Return Pinocchio's q for joint values by name; others at 0, followers as they must.

        Raises InputError for a name that the robot has not.
        """
        unknown = sorted(set(values) - set(self.joint_names))
        if unknown:
            raise InputError(
                f"{self.path}: no moving joint named {', '.join(unknown)}; "
                f"it has {', '.join(self.joint_names)}"
            )
        q = pin.neutral(self.model)
        for index, name in enumerate(self.joint_names, start=1):
            joint = self.model.joints[index]
            value = self.value(name, values)
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                (value,) if joint.nq == 1 else (np.cos(value), np.sin(value))
            )
        return q

    def body_poses(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        """Return (B, 4, 4) poses of all bodies in the base frame; the fixed body first."""
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, self.configuration_vector(values))
        return np.array([placement.homogeneous for placement in data.oMi])

    def skeleton(self, values: Mapping[str, float]) -> Skeleton:
        """Return the moving joints at a configuration, in the base frame."""
        data = self.model.createData()
        pin.computeJointJacobians(self.model, data, self.configuration_vector(values))
        joints = tuple(self._skeleton_joint(index, data) for index in range(1, self.model.njoints))
        corners = self._shape_corners(data)
        return Skeleton(joints, extent(corners if len(corners) else joint_points(joints)))

    def value(self, name: str, values: Mapping[str, float]) -> float:
        """Return a joint's value (rad or m): as stated, as it mimics another's, or 0.

        Args:
            name: Of the joint.
            values: Joint values by name.
        """
        if name in values:
            return float(values[name])
        if name not in self.mimics:
            return 0.0
        followed, multiplier, offset = self.mimics[name]
        return multiplier * self.value(followed, values) + offset

    def _skeleton_joint(self, index: int, data: pin.Data) -> SkeletonJoint:
        column = pin.getJointJacobian(self.model, data, index, pin.ReferenceFrame.WORLD)
        twist = column.reshape(6, -1)[:, self.model.joints[index].idx_v]  # (6,) for one joint
        revolute = bool(np.linalg.norm(twist[3:]) > 0.5)
        return SkeletonJoint(
            name=self.model.names[index],
            type="revolute" if revolute else "prismatic",
            axis=twist[3:] if revolute else twist[:3],
            point=data.oMi[index].translation.copy(),
            parent=int(self.model.parents[index]),
            child=index,
        )

    def _shape_corners(self, data: pin.Data) -> NDArray[np.float64]:
        """(N, 3) corners of the boxes about all visual shapes; none where meshes are missing."""
        try:
            geometry = visual_geometry(self)
        except ValueError:
            return np.empty((0, 3))
        corners = []
        for item in geometry.geometryObjects:
            item.geometry.computeLocalAABB()
            box = item.geometry.aabb_local
            placement = data.oMi[item.parentJoint] * item.placement
            local = box.min_ + BOX_CORNERS * (box.max_ - box.min_)
            corners.append(local @ placement.rotation.T + placement.translation)
        return np.concatenate(corners) if corners else np.empty((0, 3))


def read_urdf(path: Path) -> UrdfRobot:
    """Read a robot. Raises InputError where the file is no URDF, or moves in unsupported ways."""
    mimics = read_mimics(path)
    try:
        model = pin.buildModelFromUrdf(str(path))
    except ValueError as error:
        raise InputError(f"{path}: is no valid URDF: {error}") from error
    for index in range(1, model.njoints):
        if model.joints[index].nv != 1:
            raise InputError(
                f"{path}: joint '{model.names[index]}' has {model.joints[index].nv} degrees of "
                "freedom; accepted are revolute, continuous, prismatic and fixed joints"
            )
    return UrdfRobot(path, model, mimics)


def visual_geometry(robot: UrdfRobot) -> pin.GeometryModel:
    """Load all visual shapes. Raises ValueError where a mesh cannot be found or read."""
    folders = package_directories(robot.path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return pin.buildGeomFromUrdf(
            robot.model, str(robot.path), pin.GeometryType.VISUAL, package_dirs=folders
        )
