"""The robot as it was seen: points in the colours of their links, joint axes through them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from autourdf_ros.description.drawing import INK, bare, figure
from autourdf_ros.description.palette import UNKNOWN, link_color
from autourdf_ros.description.robot_model import Joint, RobotModel
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
    with figure(path, 12, 5.2) as canvas:
        panels = canvas.subplots(1, len(_VIEWS))
        for axes, (title, azimuth, elevation) in zip(panels, _VIEWS, strict=True):
            view = view_rotation(azimuth, elevation)
            _draw_cloud(axes, points @ view.T, palette[labels])
            for joint in model.joints:
                if joint.type != "fixed":
                    _draw_axis(axes, joint, model, view, size)
            axes.set_title(title)
            _draw_scale(axes, size)
            middle = view @ (points.min(0) + points.max(0)) / 2
            axes.set_xlim(middle[0] - 0.68 * size, middle[0] + 0.68 * size)
            axes.set_ylim(middle[1] - 0.75 * size, middle[1] + 0.68 * size)
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


def _draw_axis(
    axes: Axes, joint: Joint, model: RobotModel, view: NDArray[np.float64], size: float
) -> None:
    """The axis as a line in its child's colour; a ring where it points at the viewer."""
    child = next(i for i, link in enumerate(model.links) if link.name == joint.child)
    color = 0.75 * link_color(child)
    centre = view @ joint.point
    half = 0.11 * size * (view @ joint.axis)
    (tail_x, tail_y, _), (tip_x, tip_y, _) = centre - half, centre + half
    axes.annotate(
        "",
        xy=(tip_x, tip_y),
        xytext=(tail_x, tail_y),
        arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2.2, "shrinkA": 0, "shrinkB": 0},
        zorder=4,
    )
    marker = "s" if joint.type == "prismatic" else "o"
    axes.plot(*centre[:2], marker, ms=6, mfc="white", mec=color, mew=2, zorder=5)
    axes.annotate(
        joint.name,
        (tip_x, tip_y),
        xytext=(4, 4),
        textcoords="offset points",
        fontsize=7.5,
        color=color,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
        zorder=6,
    )


def _draw_scale(axes: Axes, size: float) -> None:
    length = 10 ** np.floor(np.log10(size / 2))
    left, bottom = axes.dataLim.x0, axes.dataLim.y0 - 0.06 * size
    axes.plot([left, left + length], [bottom, bottom], color=INK, lw=2, solid_capstyle="butt")
    axes.text(left + length / 2, bottom - 0.015 * size, f"{length:g} m", ha="center", va="top")
