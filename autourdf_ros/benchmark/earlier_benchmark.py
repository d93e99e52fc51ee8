"""Comparison with an earlier benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autourdf_ros.benchmark.pages.benchmark_table import figures, title

FIGURES = (("found", 0), ("ted", 0), ("angle", 2), ("perpendicular", 2))
TIMES = (("engine", 1), ("memory", 0))


def comparison(rows: Sequence[Mapping[str, Any]], earlier: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each robot with every figure before and after."""
    before = {title(row): row for row in earlier if "error" not in row}
    lines = []
    for row in rows:
        name = title(row)
        if name not in before:
            lines.append(f"{name}: new")
        elif "error" in row:
            lines.append(f"{name}: now fails: {row['error']}")
        else:
            lines.append(f"{name}: {_changes(before[name], row)}")
    gone = sorted(set(before) - {title(row) for row in rows})
    return "\n".join(lines + [f"{name}: not run" for name in gone])


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    parts = [
        _change(key, figures(before)[key], figures(after)[key], digits) for key, digits in FIGURES
    ]
    parts += [_change(key, before[key], after[key], digits) for key, digits in TIMES]
    return ", ".join(parts)


def _change(name: str, before: float | None, after: float | None, digits: int) -> str:
    texts = ["-" if value is None else f"{value:.{digits}f}" for value in (before, after)]
    return f"{name} {texts[0]}" if texts[0] == texts[1] else f"{name} {texts[0]} -> {texts[1]}"
