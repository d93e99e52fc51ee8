"""Small robots whose errors are known by construction."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import trimesh

from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.data.frame import Sequence as FrameSequence
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint, extent, joint_points

X, Y, Z = np.eye(3)


def joint(name, axis, point, parent, child, type="revolute"):
    return SkeletonJoint(
        name, type, np.asarray(axis, float), np.asarray(point, float), parent, child
    )


def skeleton(joints: Sequence[SkeletonJoint]) -> Skeleton:
    return Skeleton(tuple(joints), extent(joint_points(joints)))


def arm() -> Skeleton:
    """Four joints in a chain, one metre."""
    return skeleton(
        [
            joint("pan", Z, [0, 0, 0], 0, 1),
            joint("lift", Y, [0, 0, 0.2], 1, 2),
            joint("elbow", Y, [0.5, 0, 0.2], 2, 3),
            joint("wrist", X, [0.9, 0, 0.2], 3, 4),
        ]
    )


def quadruped() -> Skeleton:
    """Four legs of hip and knee; front and hind hips of a side share one axis line."""
    joints = []
    for index, (x, y) in enumerate([(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)]):
        hip, knee = 2 * index + 1, 2 * index + 2
        joints.append(joint(f"hip_{index}", X, [x, y, 0], 0, hip))
        joints.append(joint(f"knee_{index}", Y, [x, y, -0.15], hip, knee))
    return skeleton(joints)


def gripper() -> Skeleton:
    """A turning wrist with two sliding fingers."""
    return skeleton(
        [
            joint("wrist", Z, [0, 0, 0], 0, 1),
            joint("left", Y, [0, 0.02, 0.1], 1, 2, "prismatic"),
            joint("right", Y, [0, -0.02, 0.1], 1, 3, "prismatic"),
        ]
    )


def truth(skeleton: Skeleton) -> TrueModel:
    return TrueModel(skeleton)


# A box; a round bar that spins about its own axis, which nobody can see; a plate on a hinge at its
# end; a plate on a hinge at a body without any shape.
LINKS = {
    "base": '<box size="0.3 0.3 0.1"/>',
    "bar": '<cylinder radius="0.02" length="0.4"/>',
    "plate": '<box size="0.2 0.1 0.01"/>',
    "hidden": None,
    "flap": '<box size="0.1 0.1 0.01"/>',
}
JOINTS = [
    ("spin", "base", "bar", "0 0 0.25", "0 0 1"),
    ("hinge", "bar", "plate", "0.1 0 0.3", "1 0 0"),
    ("blind", "base", "hidden", "0.3 0 0", "0 1 0"),
    ("nod", "hidden", "flap", "0.2 0 0", "0 1 0"),
]


def write_plates(folder: Path) -> Path:
    """Write the URDF of the robot above."""
    visuals = {
        name: "" if shape is None else f"<visual><geometry>{shape}</geometry></visual>"
        for name, shape in LINKS.items()
    }
    links = "".join(f'<link name="{name}">{visual}</link>' for name, visual in visuals.items())
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{origin}"/><axis xyz="{axis}"/>'
        '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
        for name, parent, child, origin, axis in JOINTS
    )
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="robot">{links}{joints}</robot>')
    return path


NOISE = 0.0005


def recorded(robot, values, seed=0, count=600):
    """Points sampled on all bodies at joint values (F, J), with noise."""
    rng = np.random.default_rng(seed)
    frames = []
    for row in values:
        clouds = []
        for surface, pose in zip(robot.surfaces, robot.body_poses(row), strict=True):
            if surface is None:
                continue
            mesh = trimesh.Trimesh(surface.vertices, surface.triangles, process=False)
            points, _ = trimesh.sample.sample_surface(mesh, count, seed=int(rng.integers(2**31)))
            clouds.append(points @ pose[:3, :3].T + pose[:3, 3])
        points = np.concatenate(clouds)
        points += rng.normal(0, NOISE, points.shape)
        readings = dict(zip(robot.names, map(float, row), strict=True))
        frames.append(Frame(points.astype(np.float32), joint_positions=readings))
    return Recording((FrameSequence(tuple(frames)),))
