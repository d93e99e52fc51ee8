"""The contact graph of the parts, with the chosen tree and what the runner-up has otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace, RankedTree
from autourdf_ros.model.palette import link_color
from autourdf_ros.report.figures.drawing import (
    ACCENT,
    FAINT,
    INK,
    LINE,
    PAPER,
    WIDTH,
    figure,
    in_inches,
    shortened,
)

_ROW, _LETTER, _LONGEST, _BOX = 0.52, 0.082, 20, 0.26  # inches; letters
_THIN, _STRONG = 0.8, 4.5  # points of a line without contact, and what full strength adds
_SAG = 0.42  # inches that an edge which is not in the tree bends aside, at most
_BEND = 0.25  # of its length, likewise
_NUMBER = 0.5  # inches that a number takes

_Edge = frozenset[int]


def draw_contact_graph(
    trace: AssemblyTrace, names: Sequence[str], order: Sequence[str], path: Path
) -> None:
    """Draw parts in the order of the chosen tree, root on the left, and all contacts.

    Solid and dark: edges of the chosen tree. Dashed: edges of the runner-up that the chosen tree
    has not. Pale: other contacts. The wider a line, the stronger the contact; numbers are the
    quality of the best joint between the two parts.

    Args:
        trace: With contacts and trees.
        names: Of the links, by the parts' numbers.
        order: Names of the links in the palette's order.
        path: Of the figure.
    """
    places, size = _places(trace.tree, names)
    with figure(path, WIDTH, size[1]) as canvas:
        axes = in_inches(canvas)
        _draw_edges(axes, trace, places, size[0])
        for number, (x, y) in places.items():
            color = link_color(list(order).index(names[number]))
            _draw_part(axes, shortened(names[number], _LONGEST), color, (x, y), size[0])


def _places(
    tree: RankedTree, names: Sequence[str]
) -> tuple[dict[int, tuple[float, float]], tuple[float, float]]:
    """Middle of every part's box (inches); width of the boxes, and height of the figure."""
    children: dict[int, list[int]] = {tree.root: []}
    depths = {tree.root: 0}
    for parent, child in tree.edges:
        children.setdefault(parent, []).append(child)
        depths[child] = depths[parent] + 1
    box = 0.24 + _LETTER * min(_LONGEST, max(len(name) for name in names))
    deepest = max(depths.values())
    box = min(box, (WIDTH - 0.2) / (1.35 * deepest + 1))
    step = (WIDTH - 0.2 - box) / max(deepest, 1)
    rows: dict[int, float] = {}
    taken = 0.0

    def place(number: int) -> None:
        nonlocal taken
        own = children.get(number, [])
        for child in own:
            place(child)
        if own:
            rows[number] = float(np.mean([rows[child] for child in own]))
        else:
            rows[number], taken = taken, taken + 1

    place(tree.root)
    height = _ROW * (max(rows.values()) + 1) + 2 * _SAG
    step = min(step, 2.6 + box)
    return {
        number: (0.1 + box / 2 + step * depths[number], height - _SAG - _ROW * (row + 0.5))
        for number, row in rows.items()
    }, (box, height)


def _draw_edges(
    axes: Axes, trace: AssemblyTrace, places: dict[int, tuple[float, float]], box: float
) -> None:
    """box: width of the parts (inches), beside which a number needs room."""
    strengths = {frozenset(contact.parts): contact for contact in trace.contacts}
    chosen = _edges(trace.tree)
    other = _edges(trace.runner_up) - chosen if trace.runner_up is not None else set()
    ordered = [edge for edge in strengths if edge not in chosen | other]
    for edge in [*ordered, *other, *chosen]:
        one, two = sorted(edge, key=lambda number: places[number][0])
        if one not in places or two not in places:
            continue
        contact = strengths.get(edge)
        width = _THIN + _STRONG * (0.0 if contact is None else contact.strength)
        kept = edge in chosen
        start, end = np.array(places[one]), np.array(places[two])
        length = max(float(np.linalg.norm(end - start)), 1e-6)
        bend = 0.0 if kept else min(_BEND, 2 * _SAG / length)
        axes.add_patch(
            FancyArrowPatch(
                tuple(start),
                tuple(end),
                connectionstyle=f"arc3,rad={bend}",
                arrowstyle="-",
                color=INK if kept else ACCENT if edge in other else LINE,
                lw=width,
                ls=(0, (3, 1.5)) if edge in other else "-",
                shrinkA=0,
                shrinkB=0,
                zorder=2 if kept else 1,
            )
        )
        room = edge in other or length > box + _NUMBER
        if contact is not None and np.isfinite(contact.quality) and edge in chosen | other and room:
            across = np.array([end[1] - start[1], start[0] - end[0]])
            middle = (start + end) / 2 + bend * across / 2
            axes.text(
                float(middle[0]),
                float(middle[1]),
                f"{contact.quality:.2f}",
                fontsize=8,
                ha="center",
                va="center",
                color=FAINT if kept else ACCENT,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.2},
                zorder=3,
            )


def _edges(tree: RankedTree) -> set[_Edge]:
    return {frozenset(edge) for edge in tree.edges}


def _draw_part(
    axes: Axes,
    name: str,
    color: NDArray[np.float64],
    place: tuple[float, float],
    width: float,
) -> None:
    left, right = place[0] - width / 2, place[0] + width / 2
    low, high = place[1] - _BOX / 2, place[1] + _BOX / 2
    light = float(color @ (0.299, 0.587, 0.114))
    axes.fill(
        [left, right, right, left], [low, low, high, high], color=tuple(color), lw=0, zorder=4
    )
    axes.text(
        *place,
        name,
        ha="center",
        va="center",
        color="#fefefe" if light < 0.55 else "#111111",
        fontsize=8.5,
        zorder=5,
    )
