"""Check that PyBullet loads the robot with its visuals: in a process, as it may crash."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from pathlib import Path

from lxml import etree

from autourdf_ros.assessment.checks.finding import Finding, concluded, skipped
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.files.xml_reading import parse_xml
from autourdf_ros.subprocesses import CheckError, run_python

PYBULLET = "loads in PyBullet"

_PROBE = "autourdf_ros.assessment.checks.simulators.pybullet_probe"
_PATIENCE = 60.0  # s; PyBullet needs seconds for large meshes


def check_pybullet(subject: Subject) -> tuple[Finding, ...]:
    """Check that PyBullet loads every moving joint and every visual shape.

    The paths of `package://` are resolved before.
    """
    if importlib.util.find_spec("pybullet") is None:
        return skipped(PYBULLET, "not installed; `pip install autourdf_ros[check]` brings it")
    robot = subject.robot
    with tempfile.TemporaryDirectory() as folder:
        urdf = robot.path
        if any("://" in name for name in subject.meshes):
            urdf = Path(folder) / "robot.urdf"
            urdf.write_text(_located(subject))
        try:
            printed = run_python(["-m", _PROBE, str(urdf)], _PATIENCE)
            loaded = json.loads(printed.splitlines()[-1])
        except (CheckError, ValueError, IndexError) as error:
            return (Finding(PYBULLET, "failed", str(error)),)
    failures = [
        f"joint '{joint.name}' is missing"
        for joint in robot.moving_joints
        if joint.name not in loaded["joints"]
    ]
    wanted = sum(shape.role == "visual" for _, shape in robot.shapes)
    if loaded["visuals"] < wanted:  # a file of several parts counts as several
        failures.append(f"{loaded['visuals']} of {wanted} visual shapes are loaded")
    return concluded(
        PYBULLET, failures, f"{len(loaded['joints'])} joints, {loaded['visuals']} visual shapes"
    )


def _located(subject: Subject) -> str:
    """Return the URDF with absolute paths of its meshes."""
    root = parse_xml(subject.robot.text, subject.robot.path)
    for mesh in root.iter("mesh"):
        file = subject.meshes.get(mesh.get("filename", ""))
        if file is not None and file.path is not None:
            mesh.set("filename", str(file.path.resolve()))
    return etree.tostring(root, encoding="unicode")
