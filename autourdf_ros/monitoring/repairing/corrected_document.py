"""reconstruction.json with the few numbers replaced that a correction is about.

Whatever describes the recording stays what it was, but that joint values count from the new zeros:
the same pose has a value that is smaller by the offset.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.export.formats.urdf import UrdfNames
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.limits.drive_limits import DriveLimits
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.model.tree_joint import Mimic
from autourdf_ros.monitoring.repairing.correction import Correction, moved_bodies

Array = NDArray[np.float64]


def correct_document(
    document: Mapping[str, Any], correction: Correction, covariances: Mapping[int, Array]
) -> dict[str, Any]:
    """A corrected copy. covariances: (4, 4) of the lines that are new, by the joint's number."""
    new = copy.deepcopy(dict(document))
    lines = correction.lines
    for number, joint in enumerate(new["joints"]):
        twist = lines.twists[number]
        axis = twist[:3] if lines.revolute[number] else twist[3:]
        if not np.allclose(axis, joint["axis"], rtol=0, atol=1e-12):
            joint["axis"] = axis.tolist()
        if not np.allclose(lines.anchors[number], joint["point"], rtol=0, atol=1e-12):
            joint["point"] = lines.anchors[number].tolist()
        _shift_values(new, number, float(correction.offsets[number]))
        if number in covariances:
            _tell_line(joint, axis, covariances[number])
    if correction.cut is not None:
        turn = correction.cut.motion[:3, :3]
        beyond = moved_bodies(lines, correction.cut.body)[1:]
        for joint, moved in zip(new["joints"], beyond.tolist(), strict=True):
            if moved and "across" in joint:
                joint["across"] = (np.array(joint["across"]) @ turn.T).tolist()
    return new


def described_model(document: Mapping[str, Any]) -> tuple[SelfModel, UrdfNames]:
    """The model that a document tells, by the URDF's names; its links without their points."""
    nothing = Surface(np.empty((0, 3)), np.empty((0, 3)))
    links = tuple(Link(link["name"], nothing) for link in document["links"])
    joints = tuple(_joint(entry) for entry in document["joints"])
    names = UrdfNames(
        document["name"],
        {link.name: link.name for link in links},
        {joint.name: joint.name for joint in joints},
    )
    return SelfModel.of(document["name"], links, joints), names


def described_drives(document: Mapping[str, Any]) -> dict[str, DriveLimits]:
    """Of the joints that move, by name."""
    return {
        joint["name"]: DriveLimits(**joint["drive"])
        for joint in document["joints"]
        if joint["drive"] is not None
    }


def recorded_values(document: Mapping[str, Any]) -> list[dict[str, float]]:
    """Joint values, by name, in the frames that the model explains."""
    moving = [(n, j["name"]) for n, j in enumerate(document["joints"]) if j["type"] != "fixed"]
    return [
        {name: float(values[number]) for number, name in moving}
        for sequence in document["sequences"]
        for values, used in zip(sequence["joint_values"], sequence["used"], strict=True)
        if used
    ]


def _shift_values(document: dict[str, Any], number: int, offset: float) -> None:
    if not offset:
        return
    joint = document["joints"][number]
    shifted = ["reference"]
    # Limits that were given are those of the motor's readings; what was seen is a pose.
    if joint["limits"] == "observed":
        shifted += ["lower", "upper"]
    for key in shifted:
        if joint[key] is not None:
            joint[key] -= offset
    joint["observed"] = [None if v is None else v - offset for v in joint["observed"]]
    document["reference_configuration"][joint["name"]] -= offset
    for sequence in document["sequences"]:
        for values in sequence["joint_values"]:
            if values[number] is not None:
                values[number] -= offset


def _tell_line(joint: dict[str, Any], axis: Array, covariance: Array) -> None:
    slides = joint["type"] == "prismatic"
    joint["axis_std"] = float(np.sqrt(np.trace(covariance[:2, :2]) / 2))
    joint["line_std"] = None if slides else float(np.sqrt(np.trace(covariance[2:, 2:]) / 2))
    told = covariance.copy()
    if slides:
        told[2:], told[:, 2:] = np.nan, np.nan
    joint["covariance"] = [[v if np.isfinite(v) else None for v in row] for row in told.tolist()]
    joint["across"] = across_basis(axis).tolist()


def _joint(entry: Mapping[str, Any]) -> Joint:
    mimic, lower, upper = entry["mimic"], entry["lower"], entry["upper"]
    return Joint(
        entry["name"],
        entry["type"],
        entry["parent"],
        entry["child"],
        np.array(entry["axis"], float),
        np.array(entry["point"], float),
        -np.inf if lower is None else lower,
        np.inf if upper is None else upper,
        entry["reference"],
        None if mimic is None else Mimic(**mimic),
        _estimate(entry),
    )


def _estimate(entry: Mapping[str, Any]) -> JointEstimate | None:
    if "probabilities" not in entry:
        return None
    motor = entry["motor"]
    return JointEstimate(
        np.array(entry["covariance"], float),
        np.array(entry["across"], float),
        Confidence(**entry["probabilities"]),
        None if motor is None else MotorMatch(**motor),
    )
