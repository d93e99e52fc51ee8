"""The account of an assembly after motion has confirmed its joints, and the joints to rewrite."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Recording
from autourdf_ros.data.recording_digest import recording_digest
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.confirmation.confirmation_result import (
    Confirmation,
    JointConfirmation,
    MotionJoint,
)
from autourdf_ros.export.joint_replacement import ReplacedJoint
from autourdf_ros.model.layers.layer import plain_values
from autourdf_ros.model.limits.drive_limits import SLIDING, TURNING, DriveLimits
from autourdf_ros.model.limits.joint_limits import observed_limits
from autourdf_ros.model.tree_joint import JointType
from autourdf_ros.workflows.assembled_result import SECTION, AssembledResult

METHOD = "confirm"
"""Name of the method in the layer's provenance, and key of the document."""


def replaced_joints(
    found: Confirmation, result: AssembledResult, document: Mapping[str, Any]
) -> list[ReplacedJoint]:
    """Return what joints are from now on, of those whose alternative motion decides."""
    entries = {joint["name"]: joint for joint in document["joints"]}
    return [
        _replaced(one, name, entries[name])
        for name, one in zip(result.names, found.joints, strict=True)
        if one.decides
    ]


def confirmed_document(
    document: Mapping[str, Any],
    found: Confirmation,
    result: AssembledResult,
    replaced: list[ReplacedJoint],
    recording: Recording,
) -> dict[str, Any]:
    """Return the document of the confirmed model.

    Args:
        document: Before.
        found: What motion says.
        result: The parts and joints.
        replaced: As `replaced_joints` has it.
        recording: Of the motion.
    """
    new = copy.deepcopy(dict(document))
    changed = {one.name: one for one in replaced}
    entries = {joint["name"]: joint for joint in new["joints"]}
    sections = {joint["joint"]: joint for joint in new[SECTION]["joints"]}
    for name, one in zip(result.names, found.joints, strict=True):
        if name in changed:
            _set_joint(entries[name], changed[name], one)
            _rank(sections[name], one)
    warnings = [text for text in new["warnings"] if not _settled(text, found, result, document)]
    if found.verdict == "doubtful":
        warnings += [f"motion: {reason}" for reason in found.reasons]
    new["warnings"] = warnings
    if new["verdict"] != "failed":
        new["verdict"] = "doubtful" if warnings else "trusted"
    new["notes"] = [*new["notes"], *_notes(found, result)]
    new[METHOD] = plain_values(_account(found, result, recording))
    if replaced and "kinematics" in new["layers"]:
        origin = provenance(METHOD, recording_digest(recording))
        new["layers"]["kinematics"] |= {
            "method": origin.method,
            "data_digest": origin.data_digest,
            "created": origin.created,
        }
    return new


def _settled(
    warning: str, found: Confirmation, result: AssembledResult, document: Mapping[str, Any]
) -> bool:
    """Whether a warning is about an ambiguous joint that motion has decided: it names its parts."""
    given = {part["link"]: part["name"] for part in document[SECTION]["parts"]}
    for one in found.joints:
        if one.decides and one.joint.ambiguous:
            ends = [result.assembly.parts[n].name for n in (one.joint.parent, one.joint.child)]
            if one.joint.reason and one.joint.reason in warning:
                return True
            if all(end in warning or given.get(end, end) in warning for end in ends):
                return True
    return False


def _replaced(one: JointConfirmation, name: str, entry: Mapping[str, Any]) -> ReplacedJoint:
    kind, lower, upper = _limits(one.refined, one.values)
    drive = None
    if kind != "fixed":
        same = entry["drive"] is not None and (kind == "prismatic") == (
            entry["type"] == "prismatic"
        )
        assumed = SLIDING if kind == "prismatic" else TURNING
        drive = DriveLimits(**entry["drive"]) if same else assumed
    return ReplacedJoint(name, kind, one.refined.axis, one.refined.point, lower, upper, drive)


def _limits(joint: JointCandidate, values: NDArray[np.float64]) -> tuple[JointType, float, float]:
    """Type and limits: those without collision, widened to what was seen; else what was seen."""
    if joint.type == "fixed":
        return "fixed", 0.0, 0.0
    turns = joint.type == "revolute"
    seen = values[np.isfinite(values)]
    kind, low, high = observed_limits(np.append(seen, 0.0), turns=turns)
    if not np.isfinite([joint.lower, joint.upper]).all():
        endless = turns and joint.lower == -np.inf and joint.upper == np.inf
        return ("continuous", -np.inf, np.inf) if endless else (kind, low, high)
    return joint.type, min(joint.lower, float(seen.min())), max(joint.upper, float(seen.max()))


def _set_joint(entry: dict[str, Any], new: ReplacedJoint, one: JointConfirmation) -> None:
    """Write type, line, limits and what is known of them into an entry of `joints`."""
    seen = one.values[np.isfinite(one.values)]
    slides = one.refined.type == "prismatic"
    line = None if slides else one.offset_sigma**2
    diagonal = [one.angle_sigma**2] * 2 + [line] * 2
    covariance = [[diagonal[r] if r == c else 0.0 for c in range(4)] for r in range(4)]
    if slides:
        covariance = [
            [None if max(r, c) > 1 else v for c, v in enumerate(row)]
            for r, row in enumerate(covariance)
        ]
    sure = {"exists": 1.0, "parent": one.edge_probability, "type": one.probability}
    entry |= plain_values(
        {
            "type": new.type,
            "axis": new.axis,
            "point": new.point,
            "lower": new.lower,
            "upper": new.upper,
            "drive": None if new.drive is None else asdict(new.drive),
            "observed": [seen.min(), seen.max()],
            "mimic": None,
        }
    )
    if new.type != "fixed":
        entry |= plain_values(
            {
                "axis_std": one.angle_sigma,
                "line_std": None if slides else one.offset_sigma,
                "covariance": covariance,
                "across": across_basis(one.refined.axis),
                "probabilities": sure,
                "confidence": float(np.prod(list(sure.values()))),
            }
        )


def _rank(section: dict[str, Any], one: JointConfirmation) -> None:
    """Order the alternatives of a joint as motion does, with their new probabilities."""
    order = np.argsort(-one.posterior, kind="stable")
    new = one.status == "replaced"
    left = 1 - one.probability if new else 1.0
    ranked = [
        {**section["alternatives"][k], "probability": left * float(one.posterior[k])} for k in order
    ]
    if new:
        ranked.insert(0, plain_values(_alternative(one.refined)))
    ranked[0] |= plain_values({"axis": one.refined.axis, "point": one.refined.point})
    section |= {
        "alternatives": ranked,
        "ambiguous": False,
        "reason": "",
        "edge_probability": one.edge_probability,
    }


def _alternative(joint: JointCandidate) -> dict[str, Any]:
    """An alternative as the document has it."""
    keys = "type", "axis", "point", "lower", "upper", "score", "probability", "source"
    return {**{key: getattr(joint, key) for key in keys}, "features": dict(joint.features)}


def _account(found: Confirmation, result: AssembledResult, recording: Recording) -> dict[str, Any]:
    names = [part.name for part in result.assembly.parts]
    return {
        "source": None if recording.source is None else str(recording.source),
        "sha256": recording_digest(recording),
        "frames": len(recording.frames),
        "verdict": found.verdict,
        "reasons": list(found.reasons),
        "noise": found.noise,
        "base": found.base,
        "joints": [
            {
                "joint": name,
                "status": one.status,
                "reason": one.reason,
                "probabilities": one.posterior,
                "edge_probability": one.edge_probability,
                "residual": one.residual,
                "axis_std": one.angle_sigma,
                "line_std": one.offset_sigma,
                "values": one.values,
                "rival": None if one.rival is None else names[one.rival],
                "proposed": None if one.proposed is None else _proposed(one.proposed),
            }
            for name, one in zip(result.names, found.joints, strict=True)
        ],
    }


def _proposed(found: MotionJoint) -> dict[str, Any]:
    joint = found.joint
    keys = "type", "axis", "point", "probability", "source"
    return {**{key: getattr(joint, key) for key in keys}, "residual": found.residual}


def _notes(found: Confirmation, result: AssembledResult) -> list[str]:
    """A sentence for every joint, and one for all."""
    lines = [
        f"motion, joint {name}: {one.reason}"
        + (f" (probability {one.probability:.3f})" if one.decides else "")
        for name, one in zip(result.names, found.joints, strict=True)
    ]
    return [f"motion: the assembly is {found.verdict} by {len(found.poses)} frames", *lines]
