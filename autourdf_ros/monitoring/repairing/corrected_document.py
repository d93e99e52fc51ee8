"""reconstruction.json with the few numbers of a correction replaced.

Everything that describes the recording stays, except that joint values count from the new zeros:
the same pose has a value that is smaller by the offset.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.monitoring.repairing.correction import Correction, moved_bodies

Array = NDArray[np.float64]


def correct_document(
    document: Mapping[str, Any], correction: Correction, covariances: Mapping[int, Array]
) -> dict[str, Any]:
    """Return a corrected copy.

    Args:
        document: Content of reconstruction.json.
        correction: What is replaced.
        covariances: (4, 4) of the new lines, by the joint's number.
    """
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
            _set_line(joint, axis, covariances[number])
    if correction.cut is not None:
        turn = correction.cut.motion[:3, :3]
        beyond = moved_bodies(lines, correction.cut.body)[1:]
        for joint, moved in zip(new["joints"], beyond.tolist(), strict=True):
            if moved and "across" in joint:
                joint["across"] = (np.array(joint["across"]) @ turn.T).tolist()
    return new


def _shift_values(document: dict[str, Any], number: int, offset: float) -> None:
    if not offset:
        return
    joint = document["joints"][number]
    shifted = ["reference"]
    # Given limits are those of the motor's readings; observed limits are poses.
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


def _set_line(joint: dict[str, Any], axis: Array, covariance: Array) -> None:
    slides = joint["type"] == "prismatic"
    joint["axis_std"] = float(np.sqrt(np.trace(covariance[:2, :2]) / 2))
    joint["line_std"] = None if slides else float(np.sqrt(np.trace(covariance[2:, 2:]) / 2))
    written = covariance.copy()
    if slides:
        written[2:], written[:, 2:] = np.nan, np.nan
    joint["covariance"] = [[v if np.isfinite(v) else None for v in row] for row in written.tolist()]
    joint["across"] = across_basis(axis).tolist()
