"""Figures of a video: where every body was, and what every joint did, over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.model.names import legal_names
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.report.figures.drawing import (
    ALARM,
    FAINT,
    LINE,
    WIDTH,
    figure,
    panel,
    shortened,
)

Array = NDArray[np.float64]
_RIGHT, _LANE, _LETTER, _LONGEST = 1.9, 0.6, 0.082, 24  # inches; letters
_BAND = 2.0  # standard deviations to either side
_DASHES = ("-", "--", ":")


def draw_body_tracks(track: PoseTrack, model: SelfModel, path: Path) -> None:
    """Draw x, y and z of every body's centre over time, each body in a lane.

    Solid x, dashed y, dotted z, each from its own mean. Red crosses: frames without the body.

    Args:
        track: Where the bodies were.
        model: Under the names to show, in whose colours.
        path: Of the figure.
    """
    names = _shown(model, track.bodies)
    axes_of = _Lanes(path, names, track.stamps)
    with axes_of as axes:
        for lane, body in enumerate(track.bodies):
            index = list(track.bodies).index(body)
            centre = np.append(track.centres[index], 1.0)
            places = (track.poses[index] @ centre)[:, :3]
            seen = track.seen[index]
            if not seen.any():
                axes_of.mark(axes, -lane, ~seen, "never seen")
                continue
            places = places - np.nanmean(places, axis=0)
            reach = float(np.nanmax(np.abs(places))) or 1.0
            color = link_color(list(model.tree.links).index(names[lane]))
            for column, dashes in enumerate(_DASHES):
                heights = -lane + 0.4 * places[:, column] / reach
                axes.plot(track.stamps, heights, dashes, color=color, lw=1.3)
            axes_of.mark(axes, -lane, ~seen, f"± {1e3 * reach:.0f} mm")


def draw_joint_values(
    model: SelfModel, stamps: Array, values: Array, stds: Array, path: Path
) -> None:
    """Draw the values (T, J) of every joint that moves over time (T,), with two std to either side.

    Red crosses: frames in which the value is not known.
    """
    moving = [(i, joint) for i, joint in enumerate(model.joints) if joint.type != "fixed"]
    axes_of = _Lanes(path, [joint.name for _, joint in moving], stamps)
    with axes_of as axes:
        for lane, (index, joint) in enumerate(moving):
            own, known = values[:, index], np.isfinite(values[:, index])
            scale, unit = (1e3, "mm") if joint.type == "prismatic" else (180 / np.pi, "°")
            if not known.any():
                axes_of.mark(axes, -lane, ~known, "not known")
                continue
            low, high = float(np.nanmin(own)), float(np.nanmax(own))
            extent = max(high - low, 1e-9)
            heights = -lane + 0.8 * ((own - low) / extent - 0.5)
            band = 0.8 * _BAND * stds[:, index] / extent
            color = link_color(list(model.tree.links).index(joint.child))
            axes.fill_between(stamps, heights - band, heights + band, color=color, alpha=0.3, lw=0)
            axes.plot(stamps, heights, color=color, lw=1.4)
            words = f"{scale * low:.1f} … {scale * high:.1f} {unit}"
            axes_of.mark(axes, -lane, ~known, words)


def _shown(model: SelfModel, bodies: tuple[str, ...]) -> list[str]:
    """Names of the bodies' links, which the model may have made legal: in the order of both."""
    legal, known = legal_names(bodies), set(model.tree.links)
    return [body if body in known else legal[body] for body in bodies]


class _Lanes:
    """A figure with one lane for each name, over time."""

    def __init__(self, path: Path, names: list[str], stamps: Array) -> None:
        self._names, self._stamps = names, stamps
        self._left = 0.4 + _LETTER * min(_LONGEST, max((len(n) for n in names), default=0))
        self._height = 0.65 + _LANE * max(1, len(names))
        self._figure = figure(path, WIDTH, self._height)

    def __enter__(self) -> Axes:
        canvas = self._figure.__enter__()
        axes = panel(canvas, self._left, 0.5, WIDTH - self._left - _RIGHT, self._height - 0.6)
        axes.set(
            xlim=(self._stamps[0], max(self._stamps[-1], self._stamps[0] + 1e-9)),
            ylim=(0.5 - max(1, len(self._names)), 0.5),
            xlabel="time (s)",
            yticks=[],
        )
        axes.grid(visible=False)
        axes.spines.left.set_visible(False)
        for lane, name in enumerate(self._names):
            axes.axhspan(-lane - 0.4, -lane + 0.4, color=LINE, alpha=0.2, lw=0, zorder=0)
            sides: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "clip_on": False}
            text = shortened(name, _LONGEST)
            axes.text(-0.01, -lane, text, ha="right", va="center", **sides)
        return axes

    def __exit__(self, *error: Any) -> None:
        self._figure.__exit__(*error)

    def mark(self, axes: Axes, middle: float, lacking: NDArray[np.bool_], words: str) -> None:
        """Cross the frames that lack, and say the lane's extent beside it."""
        at = self._stamps[lacking]
        axes.plot(at, np.full(len(at), middle), "x", ms=4, color=ALARM, zorder=4)
        axes.text(
            1.01,
            middle,
            words,
            color=FAINT,
            va="center",
            fontsize=8,
            transform=axes.get_yaxis_transform(),
            clip_on=False,
        )
