"""Short text about a reconstruction for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.assessment.checks.findings_table import verdict
from autourdf_ros.assessment.checks.gate import as_warning, doubts, failed
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.model.result_files import REPORT, URDF
from autourdf_ros.model.self_model import Joint
from autourdf_ros.report.motion.motion_account import observed_ranges

_HEAD = ("joint", "type", "parent -> child", "axis ±", "line ±", "observed", "sure", "motor")


def summary(reconstruction: Reconstruction, document: Mapping[str, Any], out: Path) -> str:
    """Return the table of the joints, the verdict and its reasons, and the paths of the files.

    Args:
        reconstruction: what was found.
        document: content of its reconstruction.json, whose verdict knows the checks, too.
        out: the result folder.

    Returns:
        Lines for a terminal.
    """
    model = reconstruction.model
    ranges = observed_ranges(reconstruction)
    rows = [_HEAD, *(_row(j, r) for j, r in zip(model.joints, ranges, strict=True))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    used = sum(int(motion.used.sum()) for motion in reconstruction.motions)
    frames = sum(len(motion.used) for motion in reconstruction.motions)
    held_out = sum(int(motion.held_out.sum()) for motion in reconstruction.motions)
    facts = (
        f"{len(model.links)} links, {len(model.joints)} joints (the URDF adds base_link and its "
        f"fixed joint); {used} of {frames} frames used"
        f"{f', {held_out} of them held out' if held_out else ''}; "
        f"noise {1e3 * reconstruction.noise:.2g} mm; "
        f"{sum(reconstruction.timings.values()):.1f} s of computing, without reading "
        "and writing files"
    )
    return "\n".join(
        [
            *table,
            "",
            facts,
            f"verdict: {document['verdict']}",
            *(
                f"  ! {reason}"
                for reason in (*reconstruction.warnings, *doubts(findings_of(document)))
            ),
            *(f"  - {note}" for note in reconstruction.notes),
            "",
            f"URDF    {out / URDF}",
            f"report  {out / REPORT}",
        ]
    )


def checks_summary(document: Mapping[str, Any]) -> str:
    """Return what the checks of a result found.

    Args:
        document: content of its reconstruction.json.

    Returns:
        How many failed, and those with their reasons that are no reasons of the verdict.
    """
    findings = findings_of(document)
    reasons = doubts(findings)
    others = [as_warning(bad) for bad in failed(findings) if as_warning(bad) not in reasons]
    return "\n".join([f"checks  {verdict(findings)}", *(f"  ✗ {text}" for text in others)])


def findings_of(document: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of the checks that a document records."""
    return tuple(Finding(**check) for check in document["checks"])


def _row(joint: Joint, observed: np.ndarray) -> tuple[str, ...]:
    scale, unit = (1e3, " mm") if joint.type == "prismatic" else (180 / np.pi, "°")
    low, high = scale * observed
    axis = line = sure = motor = "-"
    if joint.estimate is not None:
        axis = f"{np.degrees(joint.estimate.axis_std):.2g}°"
        if joint.type != "prismatic":
            line = f"{1e3 * joint.estimate.line_std:.2g} mm"
        sure = f"{100 * joint.estimate.confidence.total:.0f}%"
        if joint.estimate.motor is not None:
            motor = joint.estimate.motor.name
    span = f"{low:.1f} .. {high:.1f}{unit}" if np.isfinite([low, high]).all() else "-"
    edge = f"{joint.parent} -> {joint.child}"
    return joint.name, joint.type, edge, axis, line, span, sure, motor
