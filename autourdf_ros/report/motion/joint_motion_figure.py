"""What every joint did, frame by frame, one lane below the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.reconstruction import SequenceMotion
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.report.figures.drawing import (
    ALARM,
    FAINT,
    INK,
    LINE,
    PAPER,
    WIDTH,
    figure,
    panel,
    shortened,
)

_RIGHT, _LANE, _LETTER, _LONGEST = 1.7, 0.5, 0.082, 24  # inches; letters


def draw_joint_motion(model: SelfModel, motions: tuple[SequenceMotion, ...], path: Path) -> None:
    """Draw the values of every joint that moves, each in a lane between its limits.

    Hollow: frames held out. Crosses: frames that do not fit the model.
    """
    joints = [(i, joint) for i, joint in enumerate(model.joints) if joint.type != "fixed"]
    children = {link.name: i for i, link in enumerate(model.links)}
    lengths = [len(motion.used) for motion in motions]
    left = 0.4 + _LETTER * min(_LONGEST, max((len(j.name) for _, j in joints), default=0))
    height = 0.65 + _LANE * max(1, len(joints))
    with figure(path, WIDTH, height) as canvas:
        axes = panel(canvas, left, 0.5, WIDTH - left - _RIGHT, height - 0.6)
        for lane, (index, joint) in enumerate(joints):
            values = [motion.joint_values[:, index] for motion in motions]
            color = link_color(children[joint.child])
            _draw_lane(axes, -lane, joint, values, motions, color)
        for start in np.cumsum(lengths)[:-1]:
            axes.axvline(start - 0.5, color=LINE, lw=1, zorder=0)
        axes.set(
            xlim=(-0.7, sum(lengths) - 0.3),
            ylim=(0.4 - max(1, len(joints)), 0.6),
            xlabel="frame",
            yticks=[],
        )
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=False)
        axes.spines.left.set_visible(False)


def _draw_lane(
    axes: Axes,
    middle: float,
    joint: Joint,
    values: list[NDArray[np.float64]],
    motions: tuple[SequenceMotion, ...],
    color: NDArray[np.float64],
) -> None:
    low, high = _bounds(joint, np.concatenate(values))
    scale, unit = (1e3, "mm") if joint.type == "prismatic" else (180 / np.pi, "°")
    axes.axhspan(middle - 0.4, middle + 0.4, color=LINE, alpha=0.2, lw=0, zorder=0)
    start = 0
    for own, motion in zip(values, motions, strict=True):
        heights = middle + 0.8 * ((own - low) / (high - low) - 0.5)
        at = start + np.arange(len(own))
        axes.plot(at, heights, color=color, lw=1.5, zorder=2)
        held_out = motion.used & motion.held_out
        fitted = motion.used & ~motion.held_out
        axes.plot(at[fitted], heights[fitted], "o", ms=2.6, color=INK, zorder=3)
        axes.plot(at[held_out], heights[held_out], "o", ms=4, mfc=PAPER, mec=INK, zorder=3)
        axes.plot(at[~motion.used], heights[~motion.used], "x", ms=5, color=ALARM, zorder=4)
        start += len(own)
    sides: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "clip_on": False}
    axes.text(-0.01, middle, shortened(joint.name, _LONGEST), ha="right", va="center", **sides)
    words = f"{scale * low:.1f} … {scale * high:.1f} {unit}"
    axes.text(1.01, middle, words, color=FAINT, va="center", fontsize=8, **sides)


def _bounds(joint: Joint, values: NDArray[np.float64]) -> tuple[float, float]:
    """The limits, or what was seen beyond them or where there are none; never of no extent."""
    both = np.append(values, [joint.lower, joint.upper])
    both = both[np.isfinite(both)]
    low, high = (both.min(), both.max()) if len(both) else (0.0, 0.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)
