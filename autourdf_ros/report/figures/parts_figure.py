"""The robot as it was seen or given, in the colours of its links, with joint axes through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from autourdf_ros.model.joint_grading import Judgement
from autourdf_ros.model.palette import UNKNOWN, link_color
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.report.figures.axis_region import axis_region
from autourdf_ros.report.figures.drawing import (
    ALARM,
    FAINT,
    GRADE_COLORS,
    GRADE_DASHES,
    GRADE_SIGNS,
    INK,
    LINE,
    PAPER,
    WIDTH,
    figure,
    panel,
    shortened,
)
from autourdf_ros.report.figures.viewpoint import view_rotation

_VIEWS = (("front", -90.0, 8.0), ("side", 0.0, 8.0), ("oblique", -50.0, 30.0))
_MOST_POINTS = 12_000
_TALLEST, _ROW, _LETTER, _LONGEST = 6.6, 0.18, 0.078, 20  # inches; letters
_HALF = 0.11  # robot sizes of an axis to either side of its joint


class Line(Protocol):
    """An axis in space."""

    @property
    def axis(self) -> NDArray[np.float64]:
        """(3,) unit."""

    @property
    def point(self) -> NDArray[np.float64]:
        """(3,) on it (m)."""


class Body(Protocol):
    """What is drawn behind the axes."""

    @property
    def points(self) -> NDArray[np.float64]:
        """(N, 3) whose box holds all of it (m)."""

    def draw(self, axes: Axes, view: NDArray[np.float64], palette: NDArray[np.float64]) -> None:
        """Draw it as `view` (3, 3) shows it, in colours (L + 1, 3) of links and of no link."""


@dataclass(frozen=True)
class Cloud:
    """Points (N, 3) (m) and the index (N,) of each point's link, -1 where unknown."""

    points: NDArray[np.float64]
    labels: NDArray[np.int64]

    def draw(self, axes: Axes, view: NDArray[np.float64], palette: NDArray[np.float64]) -> None:
        """Draw as many of the points as show anything."""
        kept = np.unique(np.linspace(0, len(self.points) - 1, _MOST_POINTS).astype(int))
        _draw_cloud(axes, self.points[kept] @ view.T, palette[self.labels[kept]])


def draw_parts(
    body: Body,
    model: SelfModel,
    judgements: Mapping[str, Judgement],
    path: Path,
    others: Sequence[Line] = (),
) -> None:
    """Draw three views of the body by link, with every joint's axis.

    Around every axis lies where it may be, to scale (`axis_region`). Names stand in a column beside
    each view, in the order of their axes' heights.

    Args:
        body: At the reference configuration, in the base frame.
        model: Under the names to show.
        judgements: By joint name.
        path: Of the figure.
        others: Axes that are not in the tree: of chains that close, or of alternatives.
    """
    points = body.points
    palette = np.array([link_color(i) for i in range(len(model.links))] + [UNKNOWN])
    joints = [joint for joint in model.joints if joint.type != "fixed"]
    half = _HALF * float(np.ptp(points, axis=0).max())
    views = [view_rotation(azimuth, elevation) for _, azimuth, elevation in _VIEWS]
    frames = [_extent(points, joints, half, view) for view in views]
    name_width = 0.5 + _LETTER * min(_LONGEST, max((len(j.name) for j in joints), default=0))
    widths = [float(high[0] - low[0]) for low, high in frames]
    tallest = max(float(high[1] - low[1]) for low, high in frames)
    rows = _ROW * (len(joints) + 1)
    scale = min((WIDTH - len(views) * name_width) / sum(widths), _TALLEST / tallest)
    height = max(rows, scale * tallest)
    gap = (WIDTH - scale * sum(widths)) / len(views) - name_width
    with figure(path, WIDTH, height + 0.6) as canvas:
        left = 0.0
        for (title, *_), view, (low, high), width in zip(
            _VIEWS, views, frames, widths, strict=True
        ):
            shown = scale * width + name_width
            axes = panel(canvas, left, 0.3, shown, height)
            axes.set_axis_off()
            middle = (low + high) / 2
            axes.set_xlim(low[0], low[0] + shown / scale)
            axes.set_ylim(middle[1] - height / scale / 2, middle[1] + height / scale / 2)
            axes.set_title(title)
            body.draw(axes, view, palette)
            for other in others:
                _draw_other(axes, other, half, view)
            for joint in joints:
                color = link_color([link.name for link in model.links].index(joint.child))
                _draw_axis(axes, joint, judgements[joint.name], half, view, color)
            _draw_names(axes, joints, judgements, (half, high[0] + 0.1 / scale, _ROW / scale), view)
            _draw_scale(axes, half / _HALF, scale)
            left += shown + gap


def _extent(
    points: NDArray[np.float64], joints: Sequence[Joint], half: float, view: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower left and upper right corner of all that a view shows but the names."""
    ends = [joint.point + sign * half * joint.axis for joint in joints for sign in (-1, 1)]
    seen = np.vstack([points, *ends]) @ view[:2].T
    return seen.min(0), seen.max(0)


def _draw_cloud(axes: Axes, seen: NDArray[np.float64], colors: NDArray[np.float64]) -> None:
    order = np.argsort(seen[:, 2])
    depth = seen[order, 2]
    nearness = (depth - depth.min()) / max(float(np.ptp(depth)), 1e-9)
    see_through = np.column_stack([colors[order], 0.5 + 0.5 * nearness])
    axes.scatter(seen[order, 0], seen[order, 1], s=4, c=see_through, linewidths=0, rasterized=True)


def _draw_axis(
    axes: Axes,
    joint: Joint,
    judgement: Judgement,
    half: float,
    view: NDArray[np.float64],
    color: NDArray[np.float64],
) -> None:
    """An arrow; a ring at the joint's point, a square where it slides; where it may be, shaded."""
    grade = judgement.grade
    shade = INK if grade == "good" else GRADE_COLORS[grade]
    region = axis_region(joint, half, view)
    if region is not None:
        axes.fill(*region.T, color=shade, alpha=0.35, lw=0, zorder=3)
    point, step = view[:2] @ joint.point, half * (view[:2] @ joint.axis)
    axes.plot(*np.array([point - step, point + step]).T, color=PAPER, lw=4.2, alpha=0.7, zorder=3.5)
    axes.annotate(
        "",
        xy=tuple(point + step),
        xytext=tuple(point - step),
        arrowprops={
            "arrowstyle": "-|>",
            "color": shade,
            "lw": 1.5 if grade == "good" else 2.4,
            "ls": GRADE_DASHES[grade],
            "shrinkA": 0,
            "shrinkB": 0,
        },
        zorder=4,
    )
    marker = "s" if joint.type == "prismatic" else "o"
    axes.plot(*point, marker, ms=6, mfc=PAPER, mec=tuple(color), mew=2.2, zorder=5)


def _draw_other(axes: Axes, line: Line, half: float, view: NDArray[np.float64]) -> None:
    """An axis that is not in the tree, as a thin dashed line with a diamond."""
    point, step = view[:2] @ line.point, half * (view[:2] @ line.axis)
    ends = np.array([point - step, point + step])
    axes.plot(*ends.T, color=INK, lw=1.2, ls=(0, (6, 3)), zorder=4)
    axes.plot(*point, "D", ms=5, mfc=PAPER, mec=INK, mew=1.4, zorder=5)


def _draw_names(
    axes: Axes,
    joints: Sequence[Joint],
    judgements: Mapping[str, Judgement],
    column: tuple[float, float, float],
    view: NDArray[np.float64],
) -> None:
    """The names in a column, each with a line to the tip of its axis.

    column: length of half an axis, where the names begin, and how far apart they stand.
    """
    half, left, row = column
    tips = np.array([view[:2] @ (j.point + half * j.axis) for j in joints]).reshape(-1, 2)
    heights = spread(tips[:, 1], row, axes.get_ylim())
    for joint, tip, height in zip(joints, tips, heights, strict=True):
        grade = judgements[joint.name].grade
        doubtful = grade == "doubtful"
        color = INK if grade == "good" else GRADE_COLORS[grade]
        axes.plot(
            [tip[0], left - 0.25 * row, left],
            [tip[1], height, height],
            color=ALARM if doubtful else LINE,
            lw=1.0 if doubtful else 0.8,
            zorder=2,
        )
        sign = "" if grade == "good" else f"{GRADE_SIGNS[grade]} "
        axes.text(
            left + 0.2 * row,
            height,
            sign + shortened(joint.name, _LONGEST),
            fontsize=8.5,
            va="center",
            color=color,
            weight="bold" if doubtful else "normal",
            zorder=6,
        )


def spread(
    heights: NDArray[np.float64], gap: float, bounds: tuple[float, float]
) -> NDArray[np.float64]:
    """Return heights (N,) that are `gap` apart, nearest to the given ones by least squares.

    In their order, between the bounds (lower, upper) where these are far enough apart. Without
    the bounds, it is an isotonic regression of the heights less the gaps below them.
    """
    if not len(heights):
        return heights
    order = np.argsort(heights, kind="stable")
    below = gap * np.arange(len(heights))
    free = _rising(heights[order] - below)
    lowest, highest = bounds[0] + gap / 2, bounds[1] - gap / 2 - below[-1]
    placed = np.empty_like(heights)
    placed[order] = np.clip(free, lowest, max(lowest, highest)) + below
    return placed


def _rising(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values (N,), none less than the one before, that are nearest to these (least squares).

    Source: the max-min formula of isotonic regression (Robertson, Wright and Dykstra, Order
    Restricted Statistical Inference, 1988, section 1.4).
    """
    count = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first, last = np.indices((count, count))
    means = (sums[last + 1] - sums[first]) / np.maximum(last - first + 1, 1)
    return np.array([means[: i + 1, i:].min(axis=1).max() for i in range(count)])


def _draw_scale(axes: Axes, size: float, scale: float) -> None:
    """A bar of a round length, and what it is, in the lower left corner."""
    length = 10 ** np.floor(np.log10(size / 2))
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0] - 0.08 / scale
    axes.plot([left, left + length], [bottom, bottom], color=INK, lw=2, clip_on=False)
    axes.text(left + length, bottom, f" {length:g} m", color=FAINT, va="center", fontsize=8)
