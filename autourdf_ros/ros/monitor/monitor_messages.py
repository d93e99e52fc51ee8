"""Reports of the monitor as diagnostics and markers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

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
from autourdf_ros.ros.monitor.image_worker import ImageWorker

DEVIATING = 4.0
"""Chi-square per degree of freedom above which a link is shown as off its baseline."""

_WEIGH = (
    "~/repair adds it to the model as link 'attached'; then /identification/identify "
    "(autourdf_msgs/action/Identify) with result_folder and link: attached weighs it"
)
"""What to do about something that was attached (docs/payload.md)."""


def link_diagnostics(
    name: str, states: Mapping[tuple[str, str], LinkState]
) -> list[DiagnosticStatus]:
    """Return one status for every link, with what each camera sees of it.

    Noise lifts one camera over the threshold for a moment: a link deviates where the median of its
    cameras does. `name` is the node's.
    """
    links: dict[str, dict[str, LinkState]] = {}
    for (camera, link), state in sorted(states.items()):
        links.setdefault(link, {})[camera] = state
    return [_link_diagnostic(f"{name}: {link}", cameras) for link, cameras in links.items()]


def _link_diagnostic(name: str, cameras: Mapping[str, LinkState]) -> DiagnosticStatus:
    judged = [state.statistic for state in cameras.values() if math.isfinite(state.statistic)]
    values: dict[str, object] = {}
    for camera, state in cameras.items():
        values |= {
            f"{camera}: residual (mm)": f"{1e3 * state.residual:.2f}",
            f"{camera}: points": state.points,
            f"{camera}: coverage": f"{state.coverage:.2f}",
            f"{camera}: statistic": f"{state.statistic:.2f}",
        }
    if not judged:
        return diagnostic(name, DiagnosticStatus.OK, "not seen well enough to judge", values)
    if median(judged) > DEVIATING:
        return diagnostic(name, DiagnosticStatus.WARN, "deviates from the baseline", values)
    return diagnostic(name, DiagnosticStatus.OK, "at the baseline", values)


def change_values(report: Report | None) -> dict[str, object]:
    """Return the reported changes, with their evidence, as values of a status."""
    values: dict[str, object] = {}
    for number, change in enumerate(() if report is None else report.changes, 1):
        values[f"change {number}"] = f"{change.kind} {change.subject}".strip()
        values[f"change {number}: evidence"] = change.summary
        values[f"change {number}: log odds"] = f"{change.gain:.1f}"
        if change.kind == "attachment":
            values[f"change {number}: next"] = _WEIGH
        for quantity in change.quantities:
            text = f"{quantity.value:.4g} ± {quantity.std:.2g} {quantity.unit}"
            values[f"change {number}: {quantity.name}"] = text
    return values


def color_diagnostic(name: str, worker: ImageWorker, together: str) -> DiagnosticStatus:
    """Return the status of the watch by colour images.

    Args:
        name: Of the node.
        worker: Judges the images.
        together: Where clouds and images name the same joint, that sentence.
    """
    report, problems = worker.report, worker.problem_list()
    said = "no image was judged yet" if report is None else report.text
    level, message = DiagnosticStatus.OK, said
    if report is not None and worker.stale:
        level, message = DiagnosticStatus.STALE, "; ".join([*problems, f"before: {said}"])
    elif report is not None and report.wrong:
        level, message = DiagnosticStatus.WARN, "; ".join(filter(None, [said, together]))
    elif problems:
        level, message = DiagnosticStatus.ERROR, "; ".join(problems)
    values: dict[str, object] = {"problems": "; ".join(problems) or "none"}
    if report is not None:
        values["newest image (s)"] = f"{report.stamp:.3f}"
        values["names"] = report.joint or "none"
        for link, ratio in report.ratios.items():
            values[f"{link}: residual beside the learnt"] = f"{ratio:.2f}"
    if math.isfinite(worker.seconds):
        values["processing (s)"] = f"{worker.seconds:.3f}"
    return diagnostic(f"{name}: colour", level, message, values)


def daily_values(daily: DailyUse) -> dict[str, object]:
    """Return what was gathered of daily work, as values of a status."""
    return {
        "gathered looks": daily.gathered,
        "drift": "; ".join(one.summary for one in daily.drifts) or "none",
    }


def link_markers(
    model: LiveModel,
    prefix: str,
    states: Mapping[tuple[str, str], LinkState],
    changes: tuple[Change, ...],
) -> MarkerArray:
    """Return markers of the links: red with a reported change, orange off the baseline.

    The first marker deletes the old ones.

    Args:
        model: The current model.
        prefix: Put before every frame.
        states: By camera and link.
        changes: The reported changes.
    """
    grades: dict[str, Grade] = {link: "good" for _, link in states}
    grades |= {link: "fair" for (_, link), state in states.items() if _deviates(state)}
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


def _deviates(state: LinkState) -> bool:
    return math.isfinite(state.statistic) and state.statistic > DEVIATING
