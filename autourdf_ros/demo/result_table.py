"""The result of the demo as tables: the model, its errors, the timings and the paths."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autourdf_ros.assessment.metrics.evaluation import Evaluation, Summary


def result_table(evaluation: Evaluation, verdict: str) -> str:
    """Return a table of the errors against the truth, and the model's own verdict."""
    whole, seen = evaluation.all, evaluation.observable or evaluation.all
    rows = [
        ("joints found / observable / true", f"{whole.found} / {seen.true} / {whole.true}"),
        ("observable joints found", f"{100 * seen.recall:.0f} %"),
        (
            "right tree",
            _right(seen, "of what could be seen") if evaluation.missed else _right(whole),
        ),
        ("E_JA    mean axis angle", _figure(whole.angle, "°")),
        ("E_perp  mean distance from joint to axis", _figure(whole.perpendicular, "mm")),
        ("        after the best shift of the whole", _figure(whole.shifted, "mm")),
        ("E_JD    mean line distance", _figure(whole.line_distance, "mm")),
    ]
    rows.append(("the model's own verdict", verdict))
    if evaluation.missed:
        rows.append(("missed", ", ".join(evaluation.missed)))
    if evaluation.spurious:
        rows.append(("invented", ", ".join(evaluation.spurious)))
    return _aligned(rows)


def joint_table(evaluation: Evaluation) -> str:
    """Return a table of the errors of every joint that was found."""
    head = ("true joint", "found as", "type", "angle", "E_perp", "E_JD", "parent")
    rows = [
        (
            joint.name,
            joint.estimate,
            joint.type,
            _figure(joint.angle, "°"),
            _figure(joint.perpendicular, "mm"),
            _figure(joint.line_distance, "mm"),
            "right" if joint.parent_right else "WRONG",
        )
        for joint in evaluation.joints
    ]
    return _columns([head, *rows])


def timing_table(seconds: Mapping[str, float], within: Mapping[str, float]) -> str:
    """Return a table of the durations by stage (s), and within the reconstruction (s)."""
    rows = [(name, f"{value:6.1f} s") for name, value in seconds.items()]
    rows.append(("all", f"{sum(seconds.values()):6.1f} s"))
    if within:
        parts = ", ".join(f"{name} {value:.1f}" for name, value in within.items())
        rows.append(("within the reconstruction", f"{parts} s"))
    return _aligned(rows)


def paths_table(model: Path, recording: Path, logs: Path) -> str:
    """Return a table of the paths of all results."""
    pictures = sorted((model / "figures").glob("*.svg"))
    rows = [
        ("URDF", str(model / "robot.urdf")),
        ("report", str(model / "report.html")),
        ("pictures", f"{model / 'figures'} ({len(pictures)})"),
        ("recording", str(recording)),
        ("logs", str(logs)),
    ]
    return _aligned(rows)


def _right(summary: Summary, of: str = "") -> str:
    if summary.right_tree:
        return f"yes {of}".strip()
    return f"no ({summary.ted} edits)"


def _figure(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:.2f} {unit}"


def _aligned(rows: list[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"  {label:<{width}}  {value}" for label, value in rows)


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(f"  {line}" for line in lines)
