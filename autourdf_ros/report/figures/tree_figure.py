"""The kinematic tree as an outline: a line for every link, below the one that it hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes

from autourdf_ros.model.joint_grading import Judgement
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.report.figures.drawing import (
    ALARM,
    FAINT,
    GRADE_COLORS,
    GRADE_DASHES,
    GRADE_SIGNS,
    GRADE_WIDTHS,
    INK,
    LINE,
    PAPER,
    WIDTH,
    figure,
    in_inches,
    shortened,
)

_ROW, _INDENT, _LETTER = 0.34, 0.42, 0.078  # inches
_DEEPEST = 3.6  # inches that all indents take together, at most
_LONGEST = 22  # letters


def draw_tree(
    model: SelfModel,
    judgements: Mapping[str, Judgement],
    remarks: Mapping[str, str],
    path: Path,
    sure: Mapping[str, float] | None = None,
) -> None:
    """Draw links in their colours, and joints with type, probability and grade.

    Args:
        judgements: By joint name.
        remarks: More to say, by link name.
        path: Of the figure.
        sure: Probability that a joint is right, by joint name, where one is known.
    """
    inward = {joint.child: joint for joint in model.joints}
    order = _outline(model)
    depths: dict[str, int] = {}
    for name in order:
        depths[name] = depths[inward[name].parent] + 1 if name in inward else 0
    indent = min(_INDENT, _DEEPEST / max(1, *depths.values()))
    box = 0.25 + _LETTER * min(_LONGEST, max(len(name) for name in order))
    text_at = 0.1 + indent * max(depths.values()) + box + 0.35
    height = _ROW * len(order) + 0.1
    colors = {link.name: index for index, link in enumerate(model.links)}
    with figure(path, WIDTH, height) as canvas:
        axes = in_inches(canvas)
        places = {
            name: (0.1 + indent * depths[name], height - 0.05 - _ROW * (row + 0.5))
            for row, name in enumerate(order)
        }
        for name, (x, y) in places.items():
            if name in inward:
                joint = inward[name]
                _draw_edge(axes, judgements[joint.name], places[joint.parent], (x, y))
                axes.plot([x + box, text_at - 0.08], [y, y], color=LINE, lw=0.6, ls=(0, (1, 3)))
                words = f"{100 * sure[joint.name]:.0f}%" if sure and joint.name in sure else ""
                _draw_joint(axes, joint, judgements[joint.name], words, (text_at, y))
            _draw_link(axes, name, colors[name], (x, y), box)
            if name in remarks:
                color = ALARM if GRADE_SIGNS["doubtful"] in remarks[name] else FAINT
                axes.text(
                    WIDTH - 0.1, y, remarks[name], color=color, fontsize=8, va="center", ha="right"
                )


def _outline(model: SelfModel) -> list[str]:
    """Names of the links, each followed by all that hangs on it."""
    children: dict[str, list[str]] = {link.name: [] for link in model.links}
    for joint in model.joints:
        children[joint.parent].append(joint.child)
    order, stack = [], [model.links[0].name]
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(children[order[-1]]))
    return order


def _draw_edge(
    axes: Axes, judgement: Judgement, parent: tuple[float, float], child: tuple[float, float]
) -> None:
    grade, trunk = judgement.grade, parent[0] + 0.14
    x, top = [trunk, trunk, child[0]], parent[1] - 0.12
    axes.plot(x, [top, child[1], child[1]], color=FAINT, lw=GRADE_WIDTHS["good"], zorder=1)
    if grade == "good":
        return
    color, low, high = GRADE_COLORS[grade], child[1] - _ROW / 2, child[1] + _ROW / 2
    axes.axhspan(low, high, color=color, alpha=0.12, lw=0)
    # Above it, the same trunk leads to other children.
    y = [min(top, high), child[1], child[1]]
    axes.plot(x, y, color=PAPER, lw=GRADE_WIDTHS[grade] + 3, zorder=1.5)
    axes.plot(x, y, color=color, ls=GRADE_DASHES[grade], lw=GRADE_WIDTHS[grade], zorder=2)


def _draw_link(axes: Axes, name: str, index: int, place: tuple[float, float], width: float) -> None:
    color = link_color(index)
    light = color @ (0.299, 0.587, 0.114)
    axes.text(
        place[0] + width / 2,
        place[1],
        shortened(name, _LONGEST),
        ha="center",
        va="center",
        color="#fefefe" if light < 0.55 else "#111111",
        fontsize=8.5,
        zorder=4,
    )
    axes.fill(
        [place[0], place[0] + width, place[0] + width, place[0]],
        [place[1] - 0.12, place[1] - 0.12, place[1] + 0.12, place[1] + 0.12],
        color=tuple(color),
        lw=0,
        zorder=3,
    )


def _draw_joint(
    axes: Axes, joint: Joint, judgement: Judgement, sure: str, place: tuple[float, float]
) -> None:
    x, y = place
    color = GRADE_COLORS[judgement.grade]
    bold = "bold" if judgement.grade == "doubtful" else "normal"
    words = f"{judgement.grade}: {judgement.reasons[0]}" if judgement.reasons else judgement.grade
    for offset, text, shade in (
        (0.0, GRADE_SIGNS[judgement.grade], color),
        (0.22, shortened(joint.name, 26), INK if judgement.grade == "good" else color),
        (2.2, joint.type, FAINT),
        (3.05, sure, FAINT),
        (3.6, words, color),
    ):
        axes.text(x + offset, y, text, color=shade, fontsize=8.5, va="center", weight=bold)
