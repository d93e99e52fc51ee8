"""The benchmark's table, as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.benchmark.coverage import coverages
from autourdf_ros.benchmark.pages.papers import AUTOURDF, AUTOURDF_MEAN, PaperFigures

HEAD = (
    "robot", "joints", "TED", "tree", "E_JA °", "E_JD mm", "E_perp mm", "shifted", "CD mm",
    "clusters", "CD_r mm", "floor", "Rand", "points", "engine s", "whole s", "MiB", "verdict",
)  # fmt: skip
_CLUSTERS = HEAD.index("clusters")
LEGEND = """x5: with five sequences. joints: found/observable/true. TED, tree, E_JA, E_JD, E_perp:
of the observable joints; one that could not be seen and was not found counts as rigid. shifted:
E_perp after the best single shift of the whole model. CD: of the model, moved as it was estimated
to move; clusters: of AutoURDF's clusters, as in its paper. CD_r, floor: re-posed at new
configurations, and what two samplings of the true robot differ by. Rand, points: agreement of the
segmentation, share on the right link."""


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return all rows, their means, and the paper's figures beside those of its robots."""
    lines: list[Sequence[str]] = [HEAD]
    failures = []
    ours = {_recorded(row): row for row in rows if "error" not in row and not _by_autourdf(row)}
    for number, row in enumerate(rows):
        if "error" in row:
            failures.append(f"{title(row)}: {row['error']}")
            continue
        lines.append(_row(row))
        if _by_autourdf(row) and _recorded(row) in ours:
            lines.append(_ratios(row, ours[_recorded(row)]))
        last = all(_recorded(row) != _recorded(later) for later in rows[number + 1 :])
        if last and _recorded(row) in AUTOURDF:
            lines.append(_paper(AUTOURDF[_recorded(row)], "  AutoURDF: "))
    measured = [row for row in rows if "error" not in row]
    kinds = dict.fromkeys((row["sequences"], method_of(row)) for row in measured)
    for count, method in sorted(kinds, key=lambda kind: kind[0]):
        alike = [row for row in measured if (row["sequences"], method_of(row)) == (count, method)]
        if len(alike) > 1:
            by = "" if method == "engine" else f" by {method}"
            lines.append(_means(f"mean of {len(alike)} x{count}{by}", alike, figures))
            lines.append(_means("  all joints", alike, lambda row: row["evaluation"]["all"]))
    lines.append(_paper(AUTOURDF_MEAN, ""))
    if not any(_by_autourdf(row) for row in measured):
        lines = [[*line[:_CLUSTERS], *line[_CLUSTERS + 1 :]] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    text[1:1] = ["-" * len(text[0])]
    shares = [f"{name} {_percent(share)}" for name, share in coverages(measured).items()]
    covered = f"errors below two standard deviations (95 % are right): {', '.join(shares)}."
    return "\n".join([*text, "", LEGEND, covered, *(f"FAILED {failure}" for failure in failures)])


def title(row: Mapping[str, Any]) -> str:
    """Return the robot's name, the number of sequences, and the method where it is not ours."""
    by = "" if method_of(row) == "engine" else f" by {method_of(row)}"
    return f"{row['name']} x{row['sequences']}{by}"


def method_of(row: Mapping[str, Any]) -> str:
    """Return what reconstructed a row; a row without a method is our engine's."""
    return str(row.get("method", "engine"))


def _by_autourdf(row: Mapping[str, Any]) -> bool:
    return method_of(row) == "autourdf"


def _recorded(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["name"], row["sequences"]


def figures(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the summary over the observable joints, or over all where these are unknown."""
    evaluation = row["evaluation"]
    chosen: Mapping[str, Any] = evaluation["observable"] or evaluation["all"]
    return chosen


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    evaluation, seen = row["evaluation"], figures(row)
    observable = "?" if evaluation["observable"] is None else str(seen["true"])
    return (
        title(row),
        f"{evaluation['all']['found']}/{observable}/{evaluation['all']['true']}",
        str(seen["ted"]),
        "right" if seen["right_tree"] else "wrong",
        _number(seen["angle"]),
        _number(seen["line_distance"]),
        _number(seen["perpendicular"]),
        _number(seen["shifted"]),
        _number(row["registration"]),
        _number(row.get("tracking")),
        _number(row["reposed"]),
        _number(row["floor"]),
        _number(row["rand_index"], 3),
        _number(row["right_link"], 3),
        _number(row["engine"], 1),
        _number(row["whole"], 1),
        _number(row["memory"], 0),
        row["verdict"],
    )


def _means(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    chosen: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> tuple[str, ...]:
    """Return means over robots, with recall and the number of right trees instead of counts."""
    seen = [chosen(row) for row in rows]
    found, true = sum(item["found"] for item in seen), sum(item["true"] for item in seen)

    def mean(values: Sequence[float | None], digits: int = 2) -> str:
        known = [value for value in values if value is not None]
        return _number(float(np.mean(known)) if known else None, digits)

    return (
        name,
        f"{100 * found / max(true, 1):.0f} %",
        mean([item["ted"] for item in seen]),
        f"{sum(item['right_tree'] for item in seen)}/{len(rows)}",
        *(mean([item[key] for item in seen])
          for key in ("angle", "line_distance", "perpendicular", "shifted")),
        *(mean([row.get(key) for row in rows])
          for key in ("registration", "tracking", "reposed", "floor")),
        *(mean([row[key] for row in rows], 3) for key in ("rand_index", "right_link")),
        *(mean([row[key] for row in rows], 1) for key in ("engine", "whole")),
        mean([row["memory"] for row in rows], 0),
        f"{sum(row['verdict'] == 'trusted' for row in rows)} trusted",
    )  # fmt: skip


def _ratios(row: Mapping[str, Any], ours: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ratios of AutoURDF's figures to our engine's."""
    pairs = {
        "E_JA °": ("angle", figures(row), figures(ours)),
        "E_JD mm": ("line_distance", figures(row), figures(ours)),
        "E_perp mm": ("perpendicular", figures(row), figures(ours)),
        "shifted": ("shifted", figures(row), figures(ours)),
        "CD mm": ("registration", row, ours),
        "engine s": ("engine", row, ours),
        "whole s": ("whole", row, ours),
        "MiB": ("memory", row, ours),
    }
    known = {"robot": "  times the engine's"}
    for column, (key, one, other) in pairs.items():
        if one[key] is not None and other[key]:
            known[column] = f"x {one[key] / other[key]:.1f}"
    return tuple(known.get(column, "") for column in HEAD)


def _paper(paper: PaperFigures, prefix: str) -> tuple[str, ...]:
    known = {
        "robot": prefix + paper.robot,
        "TED": _number(paper.ted),
        "E_JA °": _number(paper.angle),
        "E_JD mm": _number(paper.line_distance),
        "CD mm": _number(paper.registration),
        "CD_r mm": _number(paper.reposed),
    }
    return tuple(known.get(column, "") for column in HEAD)


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.0f} %"


def stage_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the seconds of every stage of the engine, by robot."""
    measured = [row for row in rows if "error" not in row]
    stages = list(dict.fromkeys(stage for row in measured for stage in row["stages"]))
    lines = [
        ("seconds", "frames", "points", *stages, "all", "CPU", "MiB"),
        *(
            (
                title(row),
                str(row["frames"]),
                _number(row["points"], 0),
                *(_number(row["stages"].get(stage), 1) for stage in stages),
                _number(row["engine"], 1),
                _number(row["engine_cpu"], 1),
                _number(row["memory"], 0),
            )
            for row in measured
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
