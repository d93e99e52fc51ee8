"""The robot as it was seen: points in the colours of their links, joint axes through them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from autourdf_ros.description.drawing import INK, bare, figure
from autourdf_ros.description.palette import UNKNOWN, link_color
from autourdf_ros.description.robot_model import RobotModel
from autourdf_ros.kinematics.reconstruction import Reconstruction

_VIEWS = (("front", -90.0, 8.0), ("side", 0.0, 8.0), ("oblique", -50.0, 30.0))
_MOST_POINTS = 12_000


def draw_parts(reconstruction: Reconstruction, path: Path) -> None:
    """Three views of the reference frame's points by link, with the axis of every joint."""
    points, labels = reconstruction.reference_points, reconstruction.labels
    kept = np.unique(np.linspace(0, len(points) - 1, _MOST_POINTS).astype(int))
    points, labels = points[kept], labels[kept]
    model = reconstruction.model
    palette = np.array([link_color(i) for i in range(len(model.links))] + [UNKNOWN])
    size = float(np.ptp(points, axis=0).max())
    views = [view_rotation(azimuth, elevation) for _, azimuth, elevation in _VIEWS]
    seen = [points @ view.T for view in views]
    widths = [float(np.ptp(cloud[:, 0])) + 0.35 * size for cloud in seen]
    height = max(float(np.ptp(cloud[:, 1])) for cloud in seen) + 0.3 * size
    with figure(path, 12, min(7.0, 12 * height / sum(widths)) + 0.3) as canvas:
        panels = canvas.subplots(1, len(_VIEWS), width_ratios=widths)
        for axes, view, cloud, width, (title, *_) in zip(
            panels, views, seen, widths, _VIEWS, strict=True
        ):
            x, y = (cloud.min(0) + cloud.max(0))[:2] / 2
            axes.set_xlim(x - width / 2, x + width / 2)
            axes.set_ylim(y - height / 2, y + height / 2)
            _draw_cloud(axes, cloud, palette[labels])
            _draw_axes(axes, model, view, size)
            _draw_scale(axes, cloud, size)
            axes.set_title(title)
            bare(axes)


def view_rotation(azimuth: float, elevation: float) -> NDArray[np.float64]:
    """(3, 3) whose rows are right, up and towards the viewer; degrees, z up."""
    a, e = np.radians([azimuth, elevation])
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return np.stack([right, np.cross(toward, right), toward])


def _draw_cloud(axes: Axes, seen: NDArray[np.float64], colors: NDArray[np.float64]) -> None:
    order = np.argsort(seen[:, 2])
    depth = seen[order, 2]
    nearness = (depth - depth.min()) / max(float(np.ptp(depth)), 1e-9)
    fade = 0.45 * (1 - nearness)[:, None]
    axes.scatter(
        seen[order, 0],
        seen[order, 1],
        s=4,
        c=colors[order] * (1 - fade) + fade,
        linewidths=0,
        rasterized=True,
    )


def _draw_axes(axes: Axes, model: RobotModel, view: NDArray[np.float64], size: float) -> None:
    """Every joint's axis as an arrow in its child's colour; a ring at its point, square to slide.

    Names stand right of the arrows' tips, moved apart where they would overlap.
    """
    colors = {link.name: 0.75 * link_color(i) for i, link in enumerate(model.links)}
    joints = [joint for joint in model.joints if joint.type != "fixed"]
    points = np.array([joint.point for joint in joints]).reshape(-1, 3) @ view.T
    halves = 0.11 * size * np.array([joint.axis for joint in joints]).reshape(-1, 3) @ view.T
    tips = points + halves
    heights = _apart(tips[:, :2], 0.045 * size, 0.3 * size)
    for joint, point, half, tip, height in zip(joints, points, halves, tips, heights, strict=True):
        color = colors[joint.child]
        axes.annotate(
            "",
            xy=(tip[0], tip[1]),
            xytext=(tip[0] - 2 * half[0], tip[1] - 2 * half[1]),
            arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2.2, "shrinkA": 0, "shrinkB": 0},
            zorder=4,
        )
        marker = "s" if joint.type == "prismatic" else "o"
        axes.plot(*point[:2], marker, ms=6, mfc="white", mec=color, mew=2, zorder=5)
        axes.text(
            tip[0] + 0.02 * size,
            height,
            joint.name,
            fontsize=7.5,
            va="center",
            color=color,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            zorder=6,
        )


def _apart(places: NDArray[np.float64], gap: float, reach: float) -> NDArray[np.float64]:
    """Heights of (N, 2) places, raised where one would stand within `gap` above a near other."""
    heights = places[:, 1].copy()
    done: list[int] = []
    for index in np.argsort(heights, kind="stable"):
        for other in done:
            near = abs(places[index, 0] - places[other, 0]) < reach
            if near and abs(heights[index] - heights[other]) < gap:
                heights[index] = heights[other] + gap
        done.append(int(index))
    return heights


def _draw_scale(axes: Axes, cloud: NDArray[np.float64], size: float) -> None:
    length = 10 ** np.floor(np.log10(size / 2))
    left, bottom = cloud[:, 0].min(), cloud[:, 1].min() - 0.06 * size
    axes.plot([left, left + length], [bottom, bottom], color=INK, lw=2, solid_capstyle="butt")
    axes.text(left + length / 2, bottom - 0.015 * size, f"{length:g} m", ha="center", va="top")
