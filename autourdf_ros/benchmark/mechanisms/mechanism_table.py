"""The table of the suite of mechanisms: medians over seeds, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.benchmark.mechanisms.heiden_figures import HEIDEN_FIGURES
from autourdf_ros.benchmark.pages.aligned_text import aligned

Row = Mapping[str, Any]

HEAD = (
    "scene",
    "method",
    "runs",
    "pos mm",
    "angle °",
    "mean",
    "right",
    "axis °",
    "pivot mm",
    "NMAE",
    "to scale",
    "2 std",
    "MSE",
    "MAE",
    "SSIM",
    "skill",
    "ms/frame",
    "s",
    "MiB",
)
LEGEND = """Medians over seeds; right: share of runs with all types and the tree right, of which
axis and pivot are the greatest errors. pos, angle: mean absolute errors of poses modulo symmetry;
mean: of both (m and rad mixed, as the paper). NMAE: of parameters, of limits from half to twice the
truth; to scale: up to one common factor; 2 std: share of parameters within two standard deviations.
MSE to skill: 150 depth images from 10 of an unseen motion. ms/frame: of tracking; s: of joints and
dynamics."""


def mechanism_table(rows: Sequence[Row]) -> str:
    """Return a line for every scene and method, the paper's figures, and failures."""
    lines: list[Sequence[str]] = [HEAD]
    for name, method in dict.fromkeys((row["name"], _method(row)) for row in rows):
        alike = [row for row in rows if (row["name"], _method(row)) == (name, method)]
        lines.append(_line(name, method, alike))
    lines.append(_paper())
    text = [*aligned(lines), "", LEGEND]
    text += [
        f"FAILED {row['name']}, seed {row['seed']}, {_method(row)}: {row['error']}"
        for row in rows
        if "error" in row
    ]
    return "\n".join(text)


def _method(row: Row) -> str:
    """The method of the joints, and whether the shapes were known."""
    method: str = row["method"]
    return f"{method}, no shapes" if row["shapes"] == "unknown" else method


def _line(name: str, method: str, every: Sequence[Row]) -> list[str]:
    """A scene's cells; a run that failed counts as one, with nothing right."""
    rows = [row for row in every if "error" not in row]
    tracks = [row["tracking"] for row in rows]
    right = [row["joints"] for row in rows if row["joints"]["right"]]
    parameters = [row["parameters"] for row in rows if row.get("parameters")]
    forecasts = [row["forecast"] for row in rows if row.get("forecast")]
    inside = [flag for one in parameters for flag in one["inside"]]
    seconds = [row["seconds"]["joints"] + row.get("dynamics_seconds", 0.0) for row in rows]
    return [
        name,
        method,
        str(len(every)),
        _median(tracks, "position", 1e3, 3),
        _median(tracks, "angle", 180 / np.pi, 3),
        _median(tracks, "both", 1.0, 4),
        f"{100 * len(right) / len(every):.0f}%",
        _median(right, "axis", 180 / np.pi, 3),
        _median(right, "pivot", 1e3, 2),
        _median(parameters, "nmae", 1.0, 4),
        _median(parameters, "nmae_up_to_scale", 1.0, 4),
        f"{np.mean(inside):.2f}" if inside else "-",
        _median(forecasts, "mse", 1.0, 5),
        _median(forecasts, "mae", 1.0, 5),
        _median(forecasts, "ssim", 1.0, 4),
        _median(forecasts, "skill", 1.0, 3),
        _median([row["seconds"] for row in rows], "frame", 1e3, 0),
        f"{np.median(seconds):.1f}" if rows else "-",
        f"{max(row['memory'] for row in rows):.0f}" if rows else "-",
    ]


def _median(rows: Sequence[Row], key: str, scale: float, digits: int) -> str:
    """Median of what is known, NaN and null being unknown."""
    values = [float(row[key]) for row in rows if row[key] is not None and np.isfinite(row[key])]
    return f"{scale * np.median(values):.{digits}f}" if values else "-"


def _paper() -> list[str]:
    at = {"mean": "tracking", "NMAE": "nmae", "MSE": "mse", "MAE": "mae", "SSIM": "ssim"}
    line = [HEIDEN_FIGURES[at[name]].split()[0] if name in at else "" for name in HEAD]
    return ["Heiden et al.: cart-pole", "", *line[2:]]
