"""The benchmark as a self-contained web page with plots."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from scipy.stats import chi2

from autourdf_ros.benchmark.coverage import GOAL, coverages
from autourdf_ros.benchmark.pages.benchmark_table import figures, table, title
from autourdf_ros.benchmark.pages.papers import AUTOURDF_MEAN
from autourdf_ros.benchmark.pages.pictures import OURS, PAPER, picture, plt


def write_page(result: Mapping[str, Any], path: Path) -> None:
    """Write the table and the plots of a benchmark's result to one HTML file."""
    rows = [row for row in result["rows"] if "error" not in row]
    plots = {
        "Errors by robot": _errors,
        "Errors by the number of sequences": _sequences,
        "Seconds by stage": _stages,
        "Seconds and memory by the size of the recording": _scaling,
        "Calibration of the standard deviations": _calibration,
    }
    if len({row["sequences"] for row in rows}) < 2:
        del plots["Errors by the number of sequences"]
    if len({(row["frames"], row["points"]) for row in rows}) < 2:
        del plots["Seconds and memory by the size of the recording"]
    pictures = "".join(
        f"<h2>{title}</h2><img alt='{title}' src='data:image/png;base64,{picture(draw, rows)}'>"
        for title, draw in plots.items()
        if rows
    )
    heading = f"Benchmark: suite {result['suite']}"
    path.write_text(
        "<!doctype html><meta charset='utf-8'><title>autourdf benchmark</title>"
        "<style>body{font:15px sans-serif;margin:2em}img{max-width:100%}"
        "pre{overflow-x:auto;font-size:12px}</style>"
        f"<h1>{html.escape(heading)}</h1><pre>{html.escape(table(result['rows']))}</pre>{pictures}"
    )


def _errors(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Draw mean axis error and perpendicular distance of every robot, with the paper's means."""
    figure, both = plt.subplots(1, 2, figsize=(12, 0.4 * len(rows) + 1.5), sharey=True)
    names = [title(row) for row in rows]
    panels = (
        ("angle", "E_JA (°)", AUTOURDF_MEAN.angle),
        ("perpendicular", "E_perp (mm); paper: E_JD", AUTOURDF_MEAN.line_distance),
    )
    for axes, (key, label, paper) in zip(both, panels, strict=True):
        values = [figures(row)[key] or np.nan for row in rows]
        axes.barh(names, values, color=OURS, label="ours")
        if paper is not None:
            axes.axvline(paper, color=PAPER, label="AutoURDF, mean")
        axes.set_xscale("log")
        axes.grid(True, axis="x", which="both", alpha=0.3)
        axes.set_xlabel(label)
    both[0].invert_yaxis()
    both[0].legend()
    return figure


def _stages(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Draw the seconds of the engine's stages, stacked."""
    figure, axes = plt.subplots(figsize=(10, 0.4 * len(rows) + 1.5))
    names = [title(row) for row in rows]
    before = np.zeros(len(rows))
    for stage in dict.fromkeys(stage for row in rows for stage in row["stages"]):
        seconds = np.array([row["stages"].get(stage, 0.0) for row in rows])
        axes.barh(names, seconds, left=before, label=stage)
        before += seconds
    axes.invert_yaxis()
    axes.set_xlabel("s")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _sequences(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Draw mean axis error and perpendicular distance against the sequences used."""
    figure, both = plt.subplots(1, 2, figsize=(12, 4))
    panels = (("angle", "E_JA (°)"), ("shifted", "E_perp after one shift (mm)"))
    for axes, (key, label) in zip(both, panels, strict=True):
        for name in dict.fromkeys(row["name"] for row in rows):
            own = [row for row in rows if row["name"] == name]
            counts = [row["sequences"] for row in own]
            errors = [np.nan if figures(row)[key] is None else figures(row)[key] for row in own]
            axes.plot(counts, errors, "o-", label=name)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("sequences")
        axes.set_ylabel(label)
        axes.grid(True, alpha=0.3)
    both[1].legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
    return figure


def _scaling(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Draw engine time and peak memory against frames, and against points a frame."""
    figure, panels = plt.subplots(2, 2, figsize=(12, 8))
    sizes = (("frames", "frames"), ("points", "points a frame"))
    figures_of = (("engine", "engine (s)"), ("memory", "peak memory (MiB)"))
    for line, (figure_key, figure_label) in zip(panels, figures_of, strict=True):
        for axes, (size, label), (other, _) in zip(line, sizes, sizes[::-1], strict=True):
            axes.loglog(
                [row[size] for row in _alike(rows, other)],
                [row[figure_key] for row in _alike(rows, other)],
                "o",
                color=OURS,
            )
            axes.set_xlabel(label)
            axes.set_ylabel(figure_label)
            axes.grid(True, which="both", alpha=0.3)
    return figure


def _alike(rows: Sequence[Mapping[str, Any]], size: str) -> list[Mapping[str, Any]]:
    """Return the rows whose size (rounded to two digits) is the most frequent one."""
    sizes = [float(f"{row[size]:.1e}") for row in rows]
    common = max(sizes, key=sizes.count)
    return [row for row, own in zip(rows, sizes, strict=True) if own == common]


def _calibration(rows: Sequence[Mapping[str, Any]]) -> plt.Figure:
    """Draw the coverage of the standard deviations, and a histogram of chi-square probabilities."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
    _coverage(left, coverages(rows))
    shares = [
        chi2.cdf(value, degrees) for row in rows for value, degrees in row["chi_squares"] if degrees
    ]
    right.hist(shares, bins=np.linspace(0, 1, 11), color=OURS)
    right.axhline(len(shares) / 10, color=PAPER, label="calibrated")
    right.set_xlabel("chi-square probability of the errors of a joint")
    right.set_ylabel("joints")
    right.legend()
    return figure


def _coverage(axes: Axes, shares: Mapping[str, float]) -> None:
    axes.bar(list(shares), np.nan_to_num(list(shares.values())), color=OURS)
    axes.axhspan(*GOAL, color=PAPER, alpha=0.3, label="goal")
    axes.set_ylim(0, 1)
    axes.set_ylabel("errors within two standard deviations")
    axes.legend()
