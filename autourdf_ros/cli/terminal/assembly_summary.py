"""Short text about assembled parts for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.assessment.checks.gate import doubts
from autourdf_ros.cli.terminal.summary import findings_of
from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace, EdgeJoint
from autourdf_ros.model.result_files import REPORT, URDF
from autourdf_ros.model.self_model import Joint

_HEAD = ("joint", "type", "parent -> child", "range", "edge", "axis", "")


def assembly_summary(found: Estimate[AssemblyTrace], document: Mapping[str, Any], out: Path) -> str:
    """Return the root, the table of the joints, what is ambiguous and why, verdict and paths.

    Args:
        found: What was found.
        document: Content of its reconstruction.json, whose verdict knows the checks, too.
        out: The result folder.

    Returns:
        Lines for a terminal.
    """
    trace = found.trace
    parts = trace.assembly.parts
    edges = {parts[edge.child].name: edge for edge in trace.joints}
    pairs = [(joint, edges.get(joint.child)) for joint in found.model.joints]
    open_ones = [
        (joint, edge)
        for joint, edge in pairs
        if edge is not None
        and edge.ambiguous
        and not any(edge.reason in text for text in found.warnings)
    ]
    return "\n".join(
        [
            *_table([_HEAD, *(_row(joint, edge) for joint, edge in pairs)]),
            "",
            f"root: {parts[trace.tree.root].name}; {len(parts)} parts of "
            f"{trace.assembly.size:.3g} m, {len(trace.joints)} joints; "
            f"{sum(trace.timings.values()):.1f} s of computing",
            *(
                f"ambiguous: {joint.name}: {edge.reason} ({len(edge.alternatives)} alternatives)"
                for joint, edge in open_ones
            ),
            f"verdict: {document['verdict']}",
            *(f"  ! {reason}" for reason in (*found.warnings, *doubts(findings_of(document)))),
            *(f"  - {note}" for note in dict.fromkeys((*trace.assembly.notes, *trace.notes))),
            "",
            f"URDF    {out / URDF}",
            f"report  {out / REPORT}",
        ]
    )


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _row(joint: Joint, edge: EdgeJoint | None) -> tuple[str, ...]:
    link = f"{joint.parent} -> {joint.child}"
    if edge is None:
        return joint.name, joint.type, link, "-", "-", "-", ""
    scale, unit = (1e3, " mm") if joint.type == "prismatic" else (180 / math.pi, "°")
    best = edge.best
    span = (
        f"{scale * best.lower:.0f} .. {scale * best.upper:.0f}{unit}"
        if math.isfinite(best.lower) and math.isfinite(best.upper)
        else "-"
    )
    mark = "ambiguous" if edge.ambiguous else ""
    sure = _percent(edge.edge_probability), _percent(best.probability)
    return joint.name, joint.type, link, span, *sure, mark


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%" if math.isfinite(value) else "-"
