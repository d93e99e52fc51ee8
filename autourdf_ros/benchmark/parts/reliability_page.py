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


def edge_confidence(rows: Sequence[Mapping[str, Any]]) -> Pairs:
    """Return the probability of every estimated edge, and whether it is right."""
    guesses = [guess for row in rows for guess in row["errors"]["guesses"]]
    known = [guess for guess in guesses if guess["probability"] is not None]
    return [guess["probability"] for guess in known], [guess["right"] for guess in known]


def joint_confidence(rows: Sequence[Mapping[str, Any]]) -> Pairs:
    """Return the probability of every joint on a right edge, and whether it is right."""
    joints = [joint for row in rows for joint in row["errors"]["joints"]]
    known = [joint for joint in joints if joint["probability"] is not None]
    return [joint["probability"] for joint in known], [joint["right"] for joint in known]


def reliability_svg(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return diagrams of edges and joints: stated probability against the share that is right."""
    figure, both = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
    panels = {"edges": edge_confidence(rows), "joints on right edges": joint_confidence(rows)}
    for axes, (name, (said, right)) in zip(both, panels.items(), strict=True):
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
        axes.set_title(f"{len(said)} {name}: expected error {error:.1f} points")
        axes.set_xlabel("stated probability")
        axes.set_aspect("equal")
        axes.grid(True, alpha=0.3)
        axes.legend()
    both[0].set_ylabel("share that is right")
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return buffer.getvalue()[buffer.getvalue().index("<svg") :]
