"""The benchmark as a self-contained web page with plots."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from scipy.stats import chi2

from autourdf_ros.evaluation.benchmark.papers import AUTOURDF_MEAN
from autourdf_ros.evaluation.benchmark.table import figures, table
from autourdf_ros.evaluation.calibration import COMPONENTS

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

OURS, PAPER = "#2b6cb0", "#c05621"


def write_page(result: Mapping[str, Any], path: Path) -> None:
    """Write the table and the plots of a benchmark's result to one HTML file."""
    rows = [row for row in result["rows"] if "error" not in row]
    plots = {
        "Errors by robot": _errors,
        "Seconds by stage": _stages,
        "Seconds and memory by the size of the recording": _growth,
        "Calibration of the standard deviations": _calibration,
    }
    pictures = "".join(
        f"<h2>{title}</h2><img alt='{title}' src='data:image/png;base64,{_picture(draw, rows)}'>"
        for title, draw in plots.items()
        if rows
    )
    heading = f"Benchmark: suite {result['suite']}, {result['sequences']} sequences"
    path.write_text(
        "<!doctype html><meta charset='utf-8'><title>autourdf benchmark</title>"
        "<style>body{font:15px sans-serif;margin:2em}img{max-width:100%}"
        "pre{overflow-x:auto;font-size:12px}</style>"
        f"<h1>{html.escape(heading)}</h1><pre>{html.escape(table(result['rows']))}</pre>{pictures}"
    )


def _picture(draw: Any, rows: Sequence[Mapping[str, Any]]) -> str:
    figure = draw(rows)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()


def _errors(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Mean axis error and perpendicular distance of every robot, with the paper's means."""
    figure, both = plt.subplots(1, 2, figsize=(12, 0.4 * len(rows) + 1.5), sharey=True)
    names = [row["name"] for row in rows]
    panels = (
        ("angle", "E_JA (°)", AUTOURDF_MEAN.angle),
        ("perpendicular", "E_perp (mm); paper: E_JD", AUTOURDF_MEAN.line_distance),
    )
    for axes, (key, label, paper) in zip(both, panels, strict=True):
        values = [figures(row)[key] or 0.0 for row in rows]
        axes.barh(names, values, color=OURS, label="ours")
        if paper is not None:
            axes.axvline(paper, color=PAPER, label="AutoURDF, mean")
        axes.set_xlabel(label)
    both[0].invert_yaxis()
    both[0].legend()
    return figure


def _stages(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Seconds of the engine's stages, stacked."""
    figure, axes = plt.subplots(figsize=(10, 0.4 * len(rows) + 1.5))
    names = [row["name"] for row in rows]
    before = np.zeros(len(rows))
    for stage in dict.fromkeys(stage for row in rows for stage in row["stages"]):
        seconds = np.array([row["stages"].get(stage, 0.0) for row in rows])
        axes.barh(names, seconds, left=before, label=stage)
        before += seconds
    axes.invert_yaxis()
    axes.set_xlabel("s")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _growth(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Engine time and peak memory against frames times points."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
    sizes = [row["frames"] * row["points"] for row in rows]
    for axes, key, label in ((left, "engine", "engine (s)"), (right, "memory", "memory (MiB)")):
        axes.loglog(sizes, [row[key] for row in rows], "o", color=OURS)
        axes.set_xlabel("points of all frames")
        axes.set_ylabel(label)
        axes.grid(True, which="both", alpha=0.3)
    return figure


def _calibration(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Errors over their standard deviations, and the chi-square's share below each quantile."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
    scores = np.array(
        [[np.nan if x is None else x for x in joint] for row in rows for joint in row["scores"]],
        dtype=float,
    ).reshape(-1, len(COMPONENTS))
    _coverage(left, scores)
    shares = [
        chi2.cdf(value, degrees) for row in rows for value, degrees in row["chi_squares"] if degrees
    ]
    right.hist(shares, bins=np.linspace(0, 1, 11), color=OURS)
    right.axhline(len(shares) / 10, color=PAPER, label="calibrated")
    right.set_xlabel("chi-square probability of the errors of a joint")
    right.set_ylabel("joints")
    right.legend()
    return figure


def _coverage(axes: Axes, scores: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    covered = []
    for column in scores.T:
        known = column[np.isfinite(column)]
        covered.append(float(np.mean(np.abs(known) < 2)) if len(known) else 0.0)
    axes.bar(COMPONENTS, covered, color=OURS)
    axes.axhspan(0.90, 0.98, color=PAPER, alpha=0.3, label="goal")
    axes.set_ylim(0, 1)
    axes.set_ylabel("errors within two standard deviations")
    axes.legend()
