"""Draws a recording on one page: frames, joint positions, and points by camera."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.data.inspection import camera_shares, joint_table
from autourdf_ros.errors import InputError

SUFFIXES = (".png", ".svg", ".pdf")

_WIDTH = 12.0  # inches
_SHOWN = 8
_POINTS = 4000  # of a frame
_AZIMUTH, _ELEVATION = np.radians([-50.0, 25.0])


def draw_sheet(recording: Recording, path: Path) -> None:
    """Draw at most eight frames, spread evenly, the joints' curves, and the points by camera.

    Args:
        path: .png, .svg or .pdf.

    Raises:
        InputError: another suffix, or the file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: is {path.suffix or 'no suffix'}; accepted is {_accepted()}")
    figure = Figure(figsize=(_WIDTH, 9.5), layout="constrained", facecolor="white")
    areas: Any = figure.subfigures(3, 1, height_ratios=[4.6, 2.7, 2.2])
    top, middle, bottom = areas
    _draw_frames(top, recording.frames)
    _draw_joints(middle.subplots(), recording)
    _draw_cameras(bottom.subplots(), recording)
    try:
        figure.savefig(path, dpi=110, metadata={} if path.suffix == ".png" else None)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _accepted() -> str:
    return f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"


def _draw_frames(area: Any, frames: tuple[Frame, ...]) -> None:
    numbers = np.unique(np.linspace(0, len(frames) - 1, _SHOWN).round().astype(int))
    views = [_seen(frames[number]) for number in numbers]
    corners = np.concatenate([np.percentile(places, [0.5, 99.5], axis=0) for places, _ in views])
    low, high = corners.min(axis=0), corners.max(axis=0)
    grid = area.subplots(2, _SHOWN // 2, squeeze=False).ravel()
    for axes, number, (places, colors) in zip(grid, numbers, views, strict=False):
        axes.scatter(*places.T, s=0.6, c=colors, linewidths=0, rasterized=True)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.set_title(f"frame {number}, {len(frames[number].points)} points", fontsize=8)
    for axes in grid:
        axes.axis("off")


def _seen(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Return places (N, 2) of some points on the page, nearest last, and colours (N, 3)."""
    chosen = np.random.default_rng(0).permutation(len(frame.points))[:_POINTS]
    points = frame.points[chosen].astype(float)
    forward = np.array(
        [
            -np.cos(_ELEVATION) * np.cos(_AZIMUTH),
            -np.cos(_ELEVATION) * np.sin(_AZIMUTH),
            -np.sin(_ELEVATION),
        ]
    )
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    depth = points @ forward
    if frame.colors is not None:
        colors = frame.colors[chosen] / 255.0
    else:
        share = (depth - depth.min()) / max(float(np.ptp(depth)), 1e-9)
        colors = np.stack([0.15 + 0.6 * share, 0.35 + 0.45 * share, 0.65 + 0.25 * share], axis=1)
    order = np.argsort(-depth)
    places = np.stack([points @ right, points @ np.cross(right, forward)], axis=1)
    # White robots would vanish on white paper.
    return places[order], 0.85 * colors[order]


def _draw_joints(axes: Axes, recording: Recording) -> None:
    names, table = joint_table(recording.frames)
    if not names:
        axes.text(0.5, 0.5, "no joint readings in every frame", ha="center", va="center")
        axes.axis("off")
        return
    ends = np.cumsum([len(part.frames) for part in recording.sequences])
    for number, (name, column) in enumerate(zip(names, table.T, strict=True)):
        label = name if number < 20 else None
        for start, part in zip([0, *ends[:-1]], np.split(column, ends[:-1]), strict=True):
            frames = np.arange(start, start + len(part))
            axes.plot(frames, part, marker=".", ms=4, lw=1, color=f"C{number}", label=label)
            label = None
    axes.set(xlabel="frame", ylabel="joint position (rad, m)", xlim=(-0.5, ends[-1] - 0.5))
    axes.legend(fontsize=6, ncols=2, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _draw_cameras(axes: Axes, recording: Recording) -> None:
    frames = recording.frames
    counts = np.array([len(frame.points) for frame in frames])
    shares = camera_shares(frames)
    below = np.zeros(len(frames))
    places = np.arange(len(frames))
    columns = np.ones((len(frames), 1)) if shares is None else shares
    for camera, share in enumerate(columns.T):
        label = None if shares is None or camera >= 20 else f"camera {camera}"
        axes.bar(places, share * counts, bottom=below, width=1.0, label=label)
        below += share * counts
    axes.set(xlabel="frame", ylabel="points", xlim=(-0.5, len(frames) - 0.5))
    if shares is not None:
        axes.legend(fontsize=6, ncols=2, loc="center left", bbox_to_anchor=(1.0, 0.5))
