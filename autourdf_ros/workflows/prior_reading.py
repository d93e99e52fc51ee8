"""Read a robot that is known before a recording: a result folder, or any URDF with meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot, open_robot
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.prior.prior_robot import Gear, PriorRobot
from autourdf_ros.geometry.rigid_motion import revolute_twist

SAMPLES = 30_000  # points on the whole surface (resource bound)


def read_prior(path: Path) -> PriorRobot:
    """Return the robot of a result folder or a URDF file, where it stands at its reference values.

    Raises:
        InputError: the path is neither, or its robot has no joint or no surface.
    """
    robot = open_robot(path)
    reference = robot.subject.reference
    joints = robot.skeleton(reference).joints
    if not joints:
        raise InputError(f"{path}: has no joint that moves; a prior needs one at least")
    surfaces = robot.body_surfaces(reference)
    if not surfaces:
        raise InputError(f"{path}: no mesh of its links can be read; a prior needs their surfaces")
    axes = np.array([joint.axis for joint in joints])
    places = np.array([joint.point for joint in joints])
    revolute = np.array([joint.type == "revolute" for joint in joints])
    slides = np.concatenate([np.zeros_like(axes), axes], axis=1)
    model = Articulation(
        np.array([joint.parent for joint in joints], dtype=np.int64),
        np.where(revolute[:, None], revolute_twist(axes, places), slides),
        revolute,
        places,
    )
    bodies = robot.bodies()
    names = {body: link for link, body in reversed(list(bodies.items()))}
    points, normals, labels = _samples(surfaces)
    return PriorRobot(
        str(path),
        tuple(names[body] for body in range(len(joints) + 1)),
        tuple(joint.name for joint in joints),
        model,
        np.array([_value(robot, joint.name) for joint in joints]),
        tuple(_gear(robot, joint.name) for joint in joints),
        points,
        normals,
        labels,
    )


def _samples(
    surfaces: dict[int, trimesh.Trimesh],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (M, 3) spread over the surfaces by their area, normals (M, 3), and bodies (M,)."""
    areas = {body: mesh.area for body, mesh in surfaces.items()}
    whole = sum(areas.values())
    points, normals, labels = [], [], []
    for body, mesh in surfaces.items():
        count = max(round(SAMPLES * areas[body] / whole), 100)
        sampled, faces = trimesh.sample.sample_surface(mesh, count, seed=body)
        points.append(np.asarray(sampled, float))
        normals.append(np.asarray(mesh.face_normals[faces], float))
        labels.append(np.full(len(sampled), body))
    return np.concatenate(points), np.concatenate(normals), np.concatenate(labels)


def _value(robot: ComparedRobot, joint: str) -> float:
    return robot.kinematics.value(joint, robot.subject.reference)


def _gear(robot: ComparedRobot, joint: str) -> Gear:
    """How a joint follows readings: its motor's, those of the joint that it mimics, or its own."""
    mimics = robot.kinematics.mimics
    if joint in mimics:
        leader, multiplier, offset = mimics[joint]
        gear = _gear(robot, leader)
        ratio = gear.ratio / multiplier
        return Gear(gear.reading, ratio, gear.offset - ratio * offset)
    reported = [] if robot.document is None else robot.document["joints"]
    motor = next((one.get("motor") for one in reported if one["name"] == joint), None)
    if motor is None:
        return Gear(joint)
    return Gear(motor["name"], motor["ratio"], motor["offset"])
