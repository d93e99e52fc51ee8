"""The table of self-models from images alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.benchmark.pages.aligned_text import aligned

Row = Mapping[str, Any]

_HEAD = ("robot", "seed", "joints", "missing", "wrong", "deg", "worst", "mm", "worst")
_REST = ("PSNR", "robot", "mask", "verdict", "s", "CPU s", "MiB")
LEGEND = """joints: of the robot that move; missing: not found; wrong: another parent or type. deg,
mm: mean and worst angle between the directions of axes, with sign, and distance of a true joint's
origin from the axis that was found. PSNR: of whole held-out images before black (dB); robot: of its
pixels; mask: intersection over union."""


def images_alone_table(rows: Sequence[Row]) -> str:
    """Return a line for every run, how many are right, and failures."""
    done = [row for row in rows if "error" not in row]
    lines: list[Sequence[str]] = [(*_HEAD, *_REST), *map(_line, done)]
    right = [row for row in done if not row["missing"] and not row["wrong"]]
    lied = [row for row in done if row["trust"] == "trusted" and (row["missing"] or row["wrong"])]
    text = [
        *aligned(lines),
        "",
        f"{len(right)} of {len(rows)} with all joints and the right tree; {len(lied)} trusted "
        "without",
        LEGEND,
    ]
    text += [
        f"FAILED {row['name']}, seed {row['seed']}: {row['error']}"
        for row in rows
        if "error" in row
    ]
    return "\n".join(text)


def _line(row: Row) -> Sequence[str]:
    angles = list(row["angles"].values()) or [np.nan]
    distances = 1e3 * np.array(list(row["distances"].values()) or [np.nan])
    return (
        row["name"],
        str(row["seed"]),
        str(row["joints"]),
        ", ".join(row["missing"]) or "-",
        ", ".join(row["wrong"]) or "-",
        f"{np.mean(angles):.2f}",
        f"{np.max(angles):.2f}",
        f"{np.mean(distances):.2f}",
        f"{np.max(distances):.2f}",
        f"{row['psnr']:.1f}",
        f"{row['robot_psnr']:.1f}",
        f"{row['overlap']:.3f}",
        row["trust"],
        f"{row['seconds']['fit']:.0f}",
        f"{row['seconds']['processors']:.0f}",
        f"{row['memory']:.0f}",
    )
