"""The table of the suite of parts, as text, beside Kinematify's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.assessment.metrics.parts.part_errors import RIGHT_ANGLE, RIGHT_DISTANCE
from autourdf_ros.benchmark.pages.aligned_text import aligned
from autourdf_ros.benchmark.parts.kinematify_figures import (
    END_TO_END,
    EVERYDAY,
    FIGURES,
    KinematifyFigures,
)

Row = Mapping[str, Any]
HEAD = (
    "case", "method", "parts", "TED", "wrong", "root", "joints", "angle °", "median", "≤5°",
    "perp %", "origin %", "pos m", "types", "right", "in 3", "flagged", "sure", "arena", "s",
    "MiB",
)  # fmt: skip
LEGEND = f"""TED: unlabelled tree edit distance. wrong: missing true edges. root: y or n; of
several cases the share. joints: true joints on right edges, of all; the figures right of it are
theirs. angle, median: between axes. perp: of the joint's place (its axis next to the contact) from
the estimated axis, % of the size; origin: of the model's own point of the axis; pos: between the
two points (Kinematify's axis position error). right: type, {RIGHT_ANGLE:.0f}° and
{RIGHT_DISTANCE:.0f} % of the size by the first alternative; in 3: by one of the first three.
flagged: ambiguous; sure: share of the others that is right. arena: ArticulateArena's distance of
the axes. Kinematify's figures are of other models and objects of these kinds."""


def parts_table(rows: Sequence[Row]) -> str:
    """Return all rows, the paper's figures below the cases that it has, and sums by method."""
    whole = [row for row in rows if "error" not in row and row["degradation"] == "given"]
    text = aligned(_lines(whole)) if whole else []
    text += ["", LEGEND] if whole else []
    if degraded := [row for row in rows if "error" not in row and row not in whole]:
        text += ["", *aligned(_degraded_lines(degraded))]
    failures = [
        f"FAILED {row['name']}, {row['method']}: {row['error']}" for row in rows if "error" in row
    ]
    return "\n".join([*text, *failures])


def _lines(measured: Sequence[Row]) -> list[Sequence[str]]:
    lines: list[Sequence[str]] = [HEAD]
    for row in measured:
        lines.append(_line(row["name"], row["method"], [row]))
        lines += _paper(row["name"], row["method"])
    for method in dict.fromkeys(row["method"] for row in measured):
        for kind in dict.fromkeys(row["kind"] for row in measured):
            alike = [row for row in measured if (row["method"], row["kind"]) == (method, kind)]
            if len(alike) > 1:
                lines.append(_line(f"all {len(alike)} {kind or 'case'}s", method, alike))
                lines += _paper(EVERYDAY, method) if kind == "object" else []
    return lines


def _degraded_lines(rows: Sequence[Row]) -> list[Sequence[str]]:
    """Degraded parts: tree edit distance from the whole parts' tree, axes of joints that are left.

    The paper's Table II stands beside cases with all faults.
    """
    lines: list[Sequence[str]] = [("case", "method", "parts are", "TED", "joints", "angle °")]
    kinds = dict.fromkeys((row["name"], row["method"], row["degradation"]) for row in rows)
    groups = [
        (f"{one[0]}", one[1], one[2], [row for row in rows if _about(row) == one]) for one in kinds
    ]
    for method, degradation in dict.fromkeys((one[1], one[2]) for one in kinds):
        alike = [row for row in rows if _about(row)[1:] == (method, degradation)]
        if len(alike) > 1:
            groups.append((f"all {len(alike)} cases", method, degradation, alike))
    for name, method, degradation, alike in groups:
        errors = [row["errors"] for row in alike]
        angles = [angle for one in errors for angle in one["angles"]]
        total = sum(one["joints"] for one in errors)
        figures = (_trees([one["ted"] for one in errors]), f"{len(angles)}/{total}")
        lines.append((name, method, degradation, *figures, _number(_mean(angles), 2)))
        if degradation == "all" and (paper := END_TO_END.get(name)):
            end = (f"{paper.ted:.2f}", "", f"{paper.angle:.2f}")
            lines.append((f"  Kinematify: {paper.robot}", "", "generated", *end))
    return lines


def _about(row: Row) -> tuple[str, str, str]:
    return row["name"], row["method"], row["degradation"]


def joints_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the joints of all rows."""
    return [joint for row in rows for joint in row["errors"]["joints"]]


def share(flags: Sequence[bool]) -> float:
    """Return the share of true flags; NaN without any."""
    return float(np.mean(flags)) if flags else float("nan")


def _line(name: str, method: str, rows: Sequence[Row]) -> list[str]:
    errors = [row["errors"] for row in rows]
    joints = joints_of(rows)
    true = sum(one["edges"] for one in errors)
    wrong = sum(one["wrong_edges"] for one in errors)
    sure = [joint["right"] for joint in joints if not joint["ambiguous"]]
    angles = [joint["angle"] for joint in joints]
    return [
        name,
        method,
        str(sum(one["parts"] for one in errors)),
        _trees([one["ted"] for one in errors]),
        str(wrong) if len(rows) == 1 else f"{wrong} ({_percent(wrong / true)})",
        _roots([one["root_right"] for one in errors if one["root_right"] is not None]),
        f"{len(joints)}/{true}",
        _number(_mean(angles), 2),
        _number(float(np.median(angles)) if angles else None, 2),
        _percent(share([angle <= RIGHT_ANGLE for angle in angles])),
        _number(_mean_of(joints, "perpendicular"), 2),
        _number(_mean_of(joints, "from_origin"), 2),
        _number(_mean_of(joints, "position"), 3),
        _percent(share([joint["estimated"] == joint["type"] for joint in joints])),
        _percent(share([joint["right"] for joint in joints])),
        _percent(share([(joint["rank"] or 9) <= 3 for joint in joints])),
        _percent(share([joint["ambiguous"] for joint in joints])),
        _percent(share(sure)),
        _number(_mean([one["arena_axes"] for one in errors if one["arena_axes"] is not None]), 2),
        f"{np.mean([row['seconds'] for row in rows]):.1f}",
        f"{max(row['memory'] for row in rows):.0f}",
    ]


def _paper(name: str, method: str) -> list[list[str]]:
    """The paper's line; the method of ours is compared with the paper's whole method."""
    found = FIGURES.get((name, "mcts" if method == "symmetry" else method))
    return [] if found is None else [_paper_line(found)]


def _paper_line(figures: KinematifyFigures) -> list[str]:
    shown = {
        "case": f"  Kinematify: {figures.robot}",
        "TED": f"{figures.ted:.2f}",
        "angle °": f"{figures.angle:.2f}",
        "pos m": f"{figures.position:.2f}",
    }
    return [shown.get(head, "") for head in HEAD]


def _trees(distances: Sequence[int]) -> str:
    if len(distances) == 1:
        return str(distances[0])
    right = sum(distance == 0 for distance in distances)
    return f"{np.mean(distances):.2f} ({right}/{len(distances)} 0)"


def _roots(right: Sequence[bool]) -> str:
    if not right:
        return "-"
    return ("y" if right[0] else "n") if len(right) == 1 else _percent(share(right))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _mean_of(joints: Sequence[Row], key: str) -> float | None:
    return _mean([joint[key] for joint in joints if joint[key] is not None])


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:.0f}%"
