"""The suite's result as a self-contained web page with the reliability of the confidence."""

from __future__ import annotations

import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autourdf_ros.assessment.metrics.parts.reliability import expected_error, reliability
from autourdf_ros.benchmark.pages.pictures import OURS, PAPER, plt
from autourdf_ros.benchmark.parts.parts_table import parts_table

Pairs = tuple[list[float], list[bool]]


def write_parts_page(result: Mapping[str, Any], path: Path) -> None:
    """Write the table and the reliability diagrams of a result to one HTML file."""
    rows = [row for row in result["rows"] if "error" not in row]
    path.write_text(
        "<!doctype html><meta charset='utf-8'><title>autourdf benchmark</title>"
        "<style>body{font:15px sans-serif;margin:2em}svg{max-width:100%}"
        "pre{overflow-x:auto;font-size:12px}</style><h1>Benchmark: suite parts</h1>"
        f"<pre>{html.escape(parts_table(result['rows']))}</pre>"
        f"<h2>Reliability of the confidence</h2>{reliability_svg(rows)}",
        encoding="utf-8",
    )


def confidence(rows: Sequence[Mapping[str, Any]]) -> dict[str, Pairs]:
    """Return stated probabilities, and whether each is right, by what they are of."""
    whole = [row["errors"] for row in rows if row["degradation"] == "given"]
    guesses = [guess for errors in whole for guess in errors["guesses"]]
    edges = [guess for guess in guesses if guess["probability"] is not None]
    joints = [guess for guess in guesses if guess["joint_probability"] is not None]
    given = [guess for guess in joints if guess["right"]]
    both = [guess for guess in joints if guess["probability"] is not None]
    return {
        "edges": ([one["probability"] for one in edges], [one["right"] for one in edges]),
        "joints on right edges": (
            [one["joint_probability"] for one in given],
            [one["joint_right"] for one in given],
        ),
        "edges with their joints": (
            [one["probability"] * one["joint_probability"] for one in both],
            [one["joint_right"] for one in both],
        ),
    }


def reliability_svg(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return diagrams of edges and joints: stated probability against the share that is right."""
    panels = confidence(rows)
    figure, across = plt.subplots(1, len(panels), figsize=(13, 4.5), sharey=True)
    for axes, (name, (said, right)) in zip(across, panels.items(), strict=True):
        bins = reliability(said, right)
        axes.plot([0, 1], [0, 1], "--", color=PAPER, label="calibrated")
        axes.plot(
            [one.probability for one in bins],
            [one.right for one in bins],
            "o-",
            color=OURS,
            label=f"{len(bins)} bins of equal count",
        )
        error = 100 * expected_error(bins)
        axes.set_title(f"{len(said)} {name}:\nexpected error {error:.1f} points")
        axes.set_xlabel("stated probability")
        axes.set_aspect("equal")
        axes.grid(True, alpha=0.3)
        axes.legend()
    across[0].set_ylabel("share that is right")
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return buffer.getvalue()[buffer.getvalue().index("<svg") :]
