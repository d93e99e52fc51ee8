"""What a reconstruction found, as a short text for a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.assessment.checks.findings_table import verdict
from autourdf_ros.assessment.checks.gate import failed
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.export.document import observed_ranges
from autourdf_ros.model.result_files import DOCUMENT, REPORT, URDF
from autourdf_ros.model.self_model import Joint

_HEAD = ("joint", "type", "parent -> child", "axis ±", "line ±", "observed", "sure", "motor")


def summary(reconstruction: Reconstruction, out: Path) -> str:
    """Table of the joints, the verdict and its warnings, and where the files are."""
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
        f"{len(model.links)} links, {len(model.joints)} joints; {used} of {frames} frames used"
        f"{f', {held_out} of them held out' if held_out else ''}; "
        f"noise {1e3 * reconstruction.noise:.2g} mm; "
        f"{sum(reconstruction.timings.values()):.1f} s"
    )
    return "\n".join(
        [
            *table,
            "",
            facts,
            f"verdict: {reconstruction.verdict}",
            *(f"  ! {warning}" for warning in reconstruction.warnings),
            *(f"  - {note}" for note in reconstruction.notes),
            "",
            f"URDF    {out / URDF}",
            f"report  {out / REPORT}",
        ]
    )


def checks_summary(out: Path) -> str:
    """What the checks of the result folder found: those that failed, with their reasons."""
    checks = json.loads((out / DOCUMENT).read_text())["checks"]
    findings = tuple(Finding(**check) for check in checks)
    return "\n".join(
        [f"checks  {verdict(findings)}", *(f"  ✗ {f.check}: {f.message}" for f in failed(findings))]
    )


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
