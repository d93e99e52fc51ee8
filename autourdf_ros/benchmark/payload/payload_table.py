"""The tables of the suite of payloads: errors by level of noise, beside peers and paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.benchmark.pages.aligned_text import aligned
from autourdf_ros.benchmark.payload.added_noise import LEVELS
from autourdf_ros.benchmark.payload.paper_figures import TABLE_IV
from autourdf_ros.benchmark.payload.segment_table import segment_table

Row = Mapping[str, Any]
HEAD = (
    "tool",
    "method",
    "mass %",
    "COM %",
    "J %",
    "geodesic",
    "consistent",
    "2 std m/COM/J",
    "s",
    "MiB",
)
LEGEND = """Means over draws, then over tools. COM: % of the turned object's extents, mean of three
axes; J: % of a homogeneous box, about the sensor's origin, mean of six entries; geodesic: of the
consistent estimates. 2 std: share of true values within two standard deviations. "authors' way":
COM errors cut to whole per cent and extents as a turned vector; their lines are in that way. s: of
an estimate after the shape is there; with it in parentheses."""
_KEYS = ("mass", "centre", "inertia", "geodesic", "consistent")


def payload_tables(rows: Sequence[Row]) -> str:
    """Return a table for every level of noise, and failures."""
    whole = [row for row in rows if "levels" in row]
    text = segment_table([row for row in rows if "segments" in row])
    for level in LEVELS if whole else ():
        text += [f"noise: {level}", *aligned(_lines(whole, level)), ""]
    text += [LEGEND] if whole else []
    text += [
        f"FAILED {row['name']}, {row['method']}: {row['error']}" for row in rows if "error" in row
    ]
    return "\n".join(text)


def means(rows: Sequence[Row], level: str, way: str = "errors") -> dict[str, float]:
    """Return the means over rows of the means over draws.

    Args:
        rows: Of one method.
        level: Of noise.
        way: `errors`, or `authors_way`.
    """
    draws = [[one[way] for one in row["levels"][level]] for row in rows]
    return {
        key: float(np.nanmean([_finite([one[key] for one in each]) for each in draws]))
        if any(np.isfinite(_finite([one[key] for one in each])) for each in draws)
        else float("nan")
        for key in _KEYS
    }


def coverage(rows: Sequence[Row], level: str) -> dict[str, float] | None:
    """Return the share of true values within two deviations; None for methods without any."""
    inside = [one["inside"] for row in rows for one in row["levels"][level]]
    if any(one is None for one in inside):
        return None
    return {
        key: float(np.mean([flag for one in inside for flag in one[key]]))
        for key in ("mass", "centre", "inertia")
    }


def _finite(values: Sequence[float]) -> float:
    kept = [value for value in values if np.isfinite(value)]
    return float(np.mean(kept)) if kept else float("nan")


def _lines(rows: Sequence[Row], level: str) -> list[Sequence[str]]:
    lines: list[Sequence[str]] = [HEAD]
    for method in dict.fromkeys(row["method"] for row in rows):
        alike = [row for row in rows if row["method"] == method]
        if len(alike) > 1:
            lines += [_line(row["name"], [row], level) for row in alike]
        name = f"all {len(alike)}"
        lines.append(_line(name, alike, level))
        lines.append(_short("  authors' way", method, means(alike, level, "authors_way")))
        lines += _others(alike, method, level)
    return lines


def _line(name: str, rows: Sequence[Row], level: str) -> list[str]:
    found, inside = means(rows, level), coverage(rows, level)
    seconds = np.mean([row["seconds"] for row in rows])
    shape = np.mean([row["shape_seconds"] for row in rows])
    return [
        *_short(name, rows[0]["method"], found)[:7],
        "-" if inside is None else "/".join(f"{value:.2f}" for value in inside.values()),
        f"{seconds:.3f} ({shape:.1f})",
        f"{max(row['memory'] for row in rows):.0f}",
    ]


def _short(name: str, method: str, found: Mapping[str, float | None]) -> list[str]:
    numbers = [_number(found[key], 3 if key == "geodesic" else 2) for key in _KEYS[:4]]
    consistent = found["consistent"]
    share = "-" if consistent is None else f"{100 * consistent:.0f}%"
    return [name, method, *numbers, share, "", "", ""]


def _others(rows: Sequence[Row], method: str, level: str) -> list[Sequence[str]]:
    """The authors' own runs on these tools, and their table."""
    base = method.split("-")[0]
    base = base if base in ("ols", "geo") else "hps"
    lines: list[Sequence[str]] = []
    peers = [
        one
        for row in rows
        for one in row["peers"]
        if one["noise"] == level and one["method"].lower() == base
    ]
    if peers:
        mass, centre, inertia = np.mean([one["size_based"] for one in peers], axis=0).tolist()
        consistent = [one["geodesic"] for one in peers if one["geodesic"] >= 0]
        found = {
            "mass": mass,
            "centre": centre,
            "inertia": inertia,
            "geodesic": float(np.mean(consistent)) if consistent else None,
            "consistent": len(consistent) / len(peers),
        }
        lines.append(_short("  authors' runs", base.upper(), found))
    if paper := TABLE_IV.get((base, level)):
        values = {key: getattr(paper, key) for key in _KEYS}
        lines.append(
            _short(
                "  paper, 20 tools", base.upper(), {**values, "consistent": paper.consistent / 100}
            )
        )
    return lines


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"
