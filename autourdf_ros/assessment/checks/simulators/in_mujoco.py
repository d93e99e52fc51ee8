"""Checks that MuJoCo loads the robot with its visuals."""

from __future__ import annotations

import mujoco

from autourdf_ros.assessment.checks.finding import Finding, concluded
from autourdf_ros.assessment.checks.simulators.mujoco_copy import mujoco_copy
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.files.xml_reading import parse_xml

MUJOCO = "loads in MuJoCo"


def check_mujoco(subject: Subject) -> tuple[Finding, ...]:
    """It loads, with every moving joint and every shape.

    A URDF without a <mujoco> element of its own loses its visual meshes and the folders of all
    others in MuJoCo, which reads neither package:// nor .dae; of it a copy with the meshes as STL
    is loaded.
    """
    robot = subject.robot
    own = parse_xml(robot.text, robot.path).find("mujoco") is not None
    try:
        if own:
            model = mujoco.MjModel.from_xml_path(str(robot.path))
        else:
            text, meshes = mujoco_copy(subject, visuals=True)
            model = mujoco.MjModel.from_xml_string(text, meshes)
    except ValueError as error:
        return (Finding(MUJOCO, "failed", " ".join(str(error).split())),)
    present = {model.joint(index).name for index in range(model.njnt)}
    failures = [
        f"joint '{joint.name}' is missing"
        for joint in robot.moving_joints
        if joint.name not in present
    ]
    if model.ngeom != len(robot.shapes):
        failures.append(f"{model.ngeom} of {len(robot.shapes)} shapes are loaded")
    told = f"{model.njnt} joints, {model.ngeom} shapes"
    return concluded(MUJOCO, failures, told if own else f"a copy with meshes as STL: {told}")
