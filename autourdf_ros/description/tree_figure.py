"""The kinematic tree, from the base on the left to the tips on the right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from autourdf_ros.description.drawing import FAINT, INK, figure
from autourdf_ros.description.palette import link_color
from autourdf_ros.description.robot_model import Joint, RobotModel

_STEP = 2.6


def draw_tree(model: RobotModel, path: Path) -> None:
    """Links as boxes in their colours; each joint's name, type and confidence on its edge."""
    places = _places(model)
    depth = max(x for x, _ in places.values())
    rows = max(y for _, y in places.values()) + 1
    with figure(path, max(4.0, 1.0 + 1.9 * (depth + 1)), 0.7 + 0.75 * rows) as canvas:
        axes = canvas.subplots()
        for joint in model.joints:
            _draw_joint(axes, joint, places)
        for index, link in enumerate(model.links):
            x, y = places[link.name]
            color = link_color(index)
            axes.text(
                _STEP * x,
                -y,
                link.name,
                ha="center",
                va="center",
                color="white" if color @ (0.299, 0.587, 0.114) < 0.7 else INK,
                fontsize=8.5,
                bbox={"boxstyle": "round,pad=0.5", "fc": tuple(color), "ec": "none"},
                zorder=3,
            )
        axes.set_xlim(-0.8, _STEP * depth + 0.8)
        axes.set_ylim(-rows + 0.3, 0.6)
        axes.set_axis_off()


def _places(model: RobotModel) -> dict[str, tuple[float, float]]:
    """Column and row of every link: leaves one below the other, parents amid their children."""
    children: dict[str, list[str]] = {link.name: [] for link in model.links}
    for joint in model.joints:
        children[joint.parent].append(joint.child)
    column = {model.links[0].name: 0}
    for link in model.links:
        for child in children[link.name]:
            column[child] = column[link.name] + 1
    row: dict[str, float] = {}
    leaves = 0
    stack = [(model.links[0].name, False)]
    while stack:
        name, done = stack.pop()
        if not children[name]:
            row[name], leaves = float(leaves), leaves + 1
        elif done:
            row[name] = float(np.mean([row[child] for child in children[name]]))
        else:
            stack.append((name, True))
            stack.extend((child, False) for child in reversed(children[name]))
    return {name: (column[name], row[name]) for name in row}


def _draw_joint(axes: Axes, joint: Joint, places: dict[str, tuple[float, float]]) -> None:
    (x0, y0), (x1, y1) = places[joint.parent], places[joint.child]
    middle = _STEP * (x1 - 0.62)
    axes.plot(
        [_STEP * x0, middle, middle, _STEP * x1],
        [-y0, -y0, -y1, -y1],
        color=FAINT,
        lw=1.4,
        zorder=1,
    )
    sure = "" if joint.estimate is None else f" · {100 * joint.estimate.confidence.total:.0f}%"
    axes.text(_STEP * (x1 - 0.37), -y1 + 0.1, joint.name, fontsize=7.5, ha="center", va="bottom")
    axes.text(
        _STEP * (x1 - 0.37),
        -y1 - 0.1,
        f"{joint.type}{sure}",
        fontsize=7,
        ha="center",
        va="top",
        color=FAINT,
    )
