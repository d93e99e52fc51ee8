"""The table of shapes and parts of the suite of payloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Row = Mapping[str, Any]
_HEAD = (
    "tool", "method", "volume", "geodesic", "Hausdorff", "parts", "USE", "GCE", "ARI",
    "TurboPixels", "s (shape)",
)  # fmt: skip
_LEGEND = """Volume: of the body from the cloud, per that of the mesh; geodesic: of the two at one
mass; Hausdorff: mm of a box of diagonal 1 m, of what the cloud shows. Parts: the method's number,
then the true one. USE: Neubert and Protzel; GCE: Martin et al.; ARI: adjusted Rand index;
TurboPixels: USE as Levinshtein et al. have it, which has no upper bound."""
_ERRORS = ("leakage", "global_consistency", "adjusted_rand", "undersegmentation")


def segment_table(rows: Sequence[Row]) -> list[str]:
    """Return the lines of the table of rows that `measure_segments` made; none without any."""
    if not rows:
        return []
    lines: list[Sequence[str]] = [_HEAD]
    for method in dict.fromkeys(row["method"] for row in rows):
        alike = [row for row in rows if row["method"] == method]
        for number in ("own", "true"):
            lines += [_line(row["name"], [row], number) for row in alike if len(alike) > 1]
            lines.append(_line(f"all {len(alike)}", alike, number))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return [text[0], "-" * max(map(len, text)), *text[1:], *_LEGEND.splitlines(), ""]


def _line(name: str, rows: Sequence[Row], number: str) -> list[str]:
    found = {key: np.mean([row["segments"][number][key] for row in rows]) for key in _ERRORS}
    parts = np.mean([row["segments"][number]["parts"] for row in rows])
    true = np.mean([row["true_parts"] for row in rows])
    means = {
        key: np.mean([row[key] for row in rows])
        for key in ("volume", "shape_geodesic", "hausdorff", "seconds", "shape_seconds")
    }
    return [
        name,
        rows[0]["method"],
        f"{means['volume']:.3f}",
        f"{means['shape_geodesic']:.3f}",
        f"{means['hausdorff']:.1f}",
        f"{parts:.3g} of {true:.3g}",
        *(f"{found[key]:.3f}" for key in _ERRORS[:3]),
        f"{found['undersegmentation']:.2f}",
        f"{means['seconds']:.2f} ({means['shape_seconds']:.2f})",
    ]
