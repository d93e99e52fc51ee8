"""Check that MuJoCo loads the robot with its visuals."""

from __future__ import annotations

import mujoco

from autourdf_ros.assessment.checks.finding import Finding, concluded
from autourdf_ros.assessment.checks.simulators.mujoco_copy import mujoco_copy
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.files.xml_reading import parse_xml

MUJOCO = "loads in MuJoCo"


def check_mujoco(subject: Subject) -> tuple[Finding, ...]:
    """Check that MuJoCo loads the robot with every moving joint and every shape.

    MuJoCo drops the visual meshes and the folders of all other meshes of a URDF without a <mujoco>
    element, and reads neither package:// nor .dae. For such a URDF, MuJoCo loads a copy with the
    meshes as STL.
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
    loaded = f"{model.njnt} joints, {model.ngeom} shapes"
    return concluded(MUJOCO, failures, loaded if own else f"a copy with meshes as STL: {loaded}")
