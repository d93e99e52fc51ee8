"""The ablations as a table and as a web page."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.benchmark.pages.pictures import OURS, PAPER, picture, plt

Row = Mapping[str, Any]

HEAD = ("variant", "joints", "TED", "E_JA °", "E_JD mm", "CD mm", "clusters mm", "s", "MiB")
WIDTH = 34
PAPER_CD = "the paper's CD of its WX200 is 7.49 mm"


def groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows by group, each with our engine's row for as many sequences."""
    ours = {row["sequences"]: row for row in rows if row["method"] == "engine"}
    result: dict[str, list[Row]] = {}
    for row in rows:
        own = result.setdefault(row["group"], [])
        if not own and row["group"] != "sequences" and row["sequences"] in ours:
            own.append(ours[row["sequences"]])
        own.append(row)
    return result


def ablation_table(rows: Sequence[Row]) -> str:
    """Return all groups as text."""
    lines = []
    for group, members in groups(rows).items():
        lines += [f"{group} ({members[-1]['name']}, sequences: {_counts(members)})"]
        cells = [HEAD, *(_cells(row) for row in members)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        widths[0] = max(widths[0], WIDTH)
        lines += ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells] + [""]
    return "\n".join(lines).rstrip()


def write_ablation_page(rows: Sequence[Row], path: Path) -> None:
    """Write the tables and the figures to one HTML file."""
    measured = [row for row in rows if "error" not in row]
    plots: dict[str, Callable[[Sequence[Row]], Any]] = {
        "Number of clusters": _clusters,
        "Silhouettes": _silhouettes,
    }
    pictures = "".join(
        f"<h2>{name}</h2><img alt='{name}' src='data:image/png;base64,{picture(draw, measured)}'>"
        for name, draw in plots.items()
    )
    path.write_text(
        "<!doctype html><meta charset='utf-8'><title>autourdf: ablations</title>"
        "<style>body{font:15px sans-serif;margin:2em}img{max-width:100%}"
        "pre{overflow-x:auto;font-size:12px}</style><h1>Ablations of AutoURDF's method</h1>"
        f"<p>Lin et al., CVPR 2025; {PAPER_CD}.</p>"
        f"<pre>{html.escape(ablation_table(rows))}</pre>{pictures}"
    )


def _counts(rows: Sequence[Row]) -> str:
    return ", ".join(map(str, sorted({row["sequences"] for row in rows})))


def _cells(row: Row) -> tuple[str, ...]:
    name = row["variant"] if row["method"] == "autourdf" else "our engine"
    if row["method"] == "autourdf" and row["group"] == "sequences":
        name = f"{name} sequences"
    if "error" in row:
        return (name, f"FAILED {row['error']}", *[""] * (len(HEAD) - 2))
    whole = row["evaluation"]["all"]
    return (
        f"{name}, {row['sequences']} sequences" if row["method"] == "engine" else name,
        f"{whole['found']}/{whole['true']}",
        str(whole["ted"]),
        _number(whole["angle"]),
        _number(whole["line_distance"]),
        _number(row["registration"]),
        _number(row["tracking"]),
        _number(row["engine"], 1),
        _number(row["memory"], 0),
    )


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


def _clusters(rows: Sequence[Row]) -> Any:
    """Draw errors and time against the number of clusters, with our engine as a line."""
    own = [row for row in rows if row["group"] == "clusters"]
    ours = next((row for row in rows if row["method"] == "engine" and row["sequences"] == 1), None)
    panels: tuple[tuple[str, Callable[[Row], float | None]], ...] = (
        ("E_JA (°)", lambda row: row["evaluation"]["all"]["angle"]),
        ("TED", lambda row: row["evaluation"]["all"]["ted"]),
        ("CD of the clusters (mm); ours: of the model",
         lambda row: row["registration"] if row["tracking"] is None else row["tracking"]),
        ("s", lambda row: row["engine"]),
    )  # fmt: skip
    figure, all_axes = plt.subplots(1, len(panels), figsize=(15, 3.5))
    for axes, (label, value) in zip(all_axes, panels, strict=True):
        values = [value(row) for row in own]
        numbers = [int(row["variant"]) for row in own]
        shown = [np.nan if item is None else item for item in values]
        axes.plot(numbers, shown, "o-", color=PAPER, label="AutoURDF's method")
        beside = None if ours is None else value(ours)
        if beside is not None:
            axes.axhline(beside, color=OURS, label="our engine")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("clusters")
        axes.set_ylabel(label)
        axes.grid(True, alpha=0.3)
    all_axes[0].legend()
    return figure


def _silhouettes(rows: Sequence[Row]) -> Any:
    """Draw the mean silhouette against the number of links; the largest determines that number."""
    figure, axes = plt.subplots(figsize=(8, 4))
    shown = [row for row in rows if row["silhouettes"] and row["group"] != "clusters"]
    for row in shown:
        if row["group"] in ("sequences", "correlation", "silhouette"):
            curve = sorted((int(links), value) for links, value in row["silhouettes"].items())
            label = f"{row['group']}: {row['variant']}"
            axes.plot(*np.transpose(curve), "o-", label=label, markersize=3)
    if shown:
        true = shown[0]["evaluation"]["all"]["true"] + 1
        axes.axvline(true, color="gray", linestyle=":", label=f"the robot has {true}")
    axes.set_xlabel("links")
    axes.set_ylabel("mean silhouette")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
