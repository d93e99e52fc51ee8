"""Check that Pinocchio loads the robot with its visuals."""

from __future__ import annotations

import warnings

import pinocchio

from autourdf_ros.assessment.checks.finding import Finding, concluded
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.model.urdf.robot_library import package_directories

PINOCCHIO = "loads in Pinocchio"


def check_pinocchio(subject: Subject) -> tuple[Finding, ...]:
    """Check that Pinocchio loads every moving joint and every visual and collision shape."""
    robot = subject.robot
    folders = package_directories(robot.path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model, *geometries = pinocchio.buildModelsFromUrdf(
                str(robot.path), folders, geometry_types=[pinocchio.VISUAL, pinocchio.COLLISION]
            )
    except Exception as error:  # also of the libraries below it
        return (Finding(PINOCCHIO, "failed", " ".join(str(error).split())),)
    failures = [
        f"joint '{joint.name}' is missing"
        for joint in robot.moving_joints
        if not model.existJointName(joint.name)
    ]
    loaded = []
    for role, geometry in zip(("visual", "collision"), geometries, strict=True):
        wanted = sum(shape.role == role for _, shape in robot.shapes)
        found = len(geometry.geometryObjects)
        loaded.append(f"{found} {role} shapes")
        if found != wanted:
            failures.append(f"{found} of {wanted} {role} shapes are loaded")
    return concluded(PINOCCHIO, failures, f"{model.njoints - 1} joints, {', '.join(loaded)}")
