"""What the monitor tells, as diagnostics and markers."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from numpy.typing import NDArray
from visualization_msgs.msg import Marker, MarkerArray

from autourdf_ros.model.joint_grading import Grade
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.continual.daily_use import DailyUse
from autourdf_ros.monitoring.observation_report import LinkState, Report
from autourdf_ros.report.axis_markers import grade_color
from autourdf_ros.ros.common.conversions import diagnostic
from autourdf_ros.ros.common.markers import part_markers

STRANGE = 4.0
"""Chi-square per degree of freedom above which a link is shown as strange, though none is told."""


def link_diagnostics(
    name: str, states: Mapping[tuple[str, str], LinkState]
) -> list[DiagnosticStatus]:
    """One status for every link and camera. name: the node's."""
    return [
        diagnostic(
            f"{name}: {link} in {camera}",
            DiagnosticStatus.WARN if _strange(state) else DiagnosticStatus.OK,
            "stands otherwise than usual" if _strange(state) else "as usual",
            {
                "residual (mm)": f"{1e3 * state.residual:.2f}",
                "points": state.points,
                "coverage": f"{state.coverage:.2f}",
                "statistic": f"{state.statistic:.2f}",
            },
        )
        for (camera, link), state in sorted(states.items())
    ]


def change_values(report: Report | None) -> dict[str, object]:
    """The changes told, with their evidence, as values of a status."""
    values: dict[str, object] = {}
    for number, change in enumerate(() if report is None else report.changes, 1):
        values[f"change {number}"] = f"{change.kind} {change.subject}".strip()
        values[f"change {number}: evidence"] = change.evidence
        values[f"change {number}: log odds"] = f"{change.gain:.1f}"
        for quantity in change.quantities:
            told = f"{quantity.value:.4g} ± {quantity.std:.2g} {quantity.unit}"
            values[f"change {number}: {quantity.name}"] = told
    return values


def daily_values(daily: DailyUse) -> dict[str, object]:
    """What was gathered of daily work, as values of a status."""
    return {
        "gathered looks": daily.gathered,
        "drift": "; ".join(one.told for one in daily.drifts) or "none",
    }


def link_markers(
    model: LiveModel,
    prefix: str,
    states: Mapping[tuple[str, str], LinkState],
    changes: tuple[Change, ...],
) -> MarkerArray:
    """The links: red where a change is told of them, orange where they stand otherwise than usual.

    The first marker deletes those of before. prefix: put before every frame.
    """
    grades: dict[str, Grade] = {link: "good" for _, link in states}
    grades |= {link: "fair" for (_, link), state in states.items() if _strange(state)}
    children = {joint["name"]: joint["child"] for joint in model.document["joints"]}
    motors = {drive.motor: children[drive.joint] for drive in model.drives}
    for change in changes:
        grades[motors.get(change.subject) or children.get(change.subject, change.subject)] = (
            "doubtful"
        )
    colors: dict[str, NDArray[np.float64]] = {
        link: grade_color(grade) for link, grade in grades.items()
    }
    parts = part_markers(model, prefix, "", colors)
    return MarkerArray(markers=[Marker(action=Marker.DELETEALL), *parts])


def _strange(state: LinkState) -> bool:
    return math.isfinite(state.statistic) and state.statistic > STRANGE
