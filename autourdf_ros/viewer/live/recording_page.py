"""A recording that grows on the page: its newest points, and where its joints stand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import viser

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.viewer.frame_controls import plain
from autourdf_ros.viewer.page import set_the_stage

_MOST_POINTS = 20_000  # shown of a frame
_INK = (45, 50, 58)  # of points without a colour
_POINT = 0.0025  # share of the size of what is seen
_ROOM = 1.4  # what is seen at first, within what the robot will reach
_LEAST = 1e-3  # rad or m; a joint that has moved less has no range


class RecordingPage:
    """What was recorded so far, on an empty page."""

    def __init__(self, server: viser.ViserServer) -> None:
        """Fill the page; nothing is shown yet.

        Args:
            server: The page's server, without anything on it.
        """
        self._server = server
        self._placed = False
        gui = server.gui
        gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        self._text = gui.add_markdown("nothing is recorded yet")
        self._joints = gui.add_folder("joints: from the lowest to the highest recorded value")
        self._bars: dict[str, tuple[viser.GuiMarkdownHandle, Any]] = {}

    def show(self, recording: Recording) -> None:
        """Show the newest frame of a recording of at least one."""
        newest = recording.frames[-1]
        self._server.gui.set_panel_label(_name(recording))
        self._text.content = describe(recording)
        self._show_points(newest)
        self._show_joints(recording, newest)

    def _show_points(self, frame: Frame) -> None:
        if not len(frame.points):
            return
        step = -(-len(frame.points) // _MOST_POINTS)
        corners = np.array([frame.points.min(0), frame.points.max(0)], float)
        size = float(np.linalg.norm(np.ptp(corners, axis=0)))
        self._server.scene.add_point_cloud(
            "/points",
            frame.points[::step],
            _INK if frame.colors is None else frame.colors[::step],
            point_size=_POINT * size,
            point_shape="circle",
            precision="float32",
        )
        if not self._placed:
            middle = corners.mean(0)
            set_the_stage(self._server, middle + _ROOM * (corners - middle))
            self._placed = True

    def _show_joints(self, recording: Recording, newest: Frame) -> None:
        for name, value in (newest.joint_positions or {}).items():
            seen = [
                frame.joint_positions[name]
                for frame in recording.frames
                if frame.joint_positions and name in frame.joint_positions
            ]
            if name not in self._bars:
                with self._joints:
                    gui = self._server.gui
                    self._bars[name] = gui.add_markdown(""), gui.add_progress_bar(0.0)
            text, bar = self._bars[name]
            text.content, bar.value = joint_line(name, value), share(value, min(seen), max(seen))


def describe(recording: Recording) -> str:
    """Return what is recorded so far, as Markdown."""
    counts = [len(sequence.frames) for sequence in recording.sequences if sequence.frames]
    frame = recording.frames[-1]
    return (
        f"**{plain(_name(recording))}**: sequence {len(counts)}, frame {counts[-1]}; "
        f"{sum(counts)} frames in all, {len(frame.points):,} points in the newest. "
        "The model takes the place of the points as soon as it is written."
    )


def joint_line(name: str, value: float) -> str:
    """Return a reading (rad or m) as Markdown; which of the two it is nobody knows yet."""
    return f"{plain(name)}: {value:.3f} ({math.degrees(value):.1f}° if it turns)"


def share(value: float, lowest: float, highest: float) -> float:
    """Return where a value is between two others, in percent; 50 where these are alike."""
    if highest - lowest < _LEAST:
        return 50.0
    return min(100.0 * (value - lowest) / (highest - lowest), 100.0)


def _name(recording: Recording) -> str:
    return recording.source.name if recording.source is not None else "recording"
