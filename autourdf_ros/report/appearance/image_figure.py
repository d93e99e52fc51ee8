"""Held-out images beside what is drawn in their places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.drawn_examples import DrawnExample, around_robot
from autourdf_ros.estimation.appearance.held_out_images import psnr
from autourdf_ros.report.figures.drawing import INK, WIDTH, figure, panel

_ROWS = ("recorded", "drawn", "difference")
_SIDE, _GAP, _LEFT, _TOP = 2.5, 0.12, 0.9, 0.3  # inches
_WHITE = 0.5  # difference that is shown white, of 1
_PIXELS = 320  # a side, that a picture is thinned to


def draw_images(examples: Sequence[DrawnExample], path: Path) -> None:
    """Draw them, a column each: recorded, drawn, and the largest difference of a channel.

    Args:
        examples: From the best to the worst.
        path: Of the SVG file.
    """
    height = _TOP + len(_ROWS) * (_SIDE + _GAP)
    with figure(path, WIDTH, height) as canvas:
        for row, name in enumerate(_ROWS):
            middle = 1 - (_TOP + row * (_SIDE + _GAP) + _SIDE / 2) / height
            canvas.text(0.1 / WIDTH, middle, name, color=INK, va="center")
        for place, one in enumerate(examples):
            part = around_robot(one.mask)
            recorded, drawn = one.recorded[part], one.drawn[part]
            off = np.abs(recorded.clip(0, 1) - drawn).max(axis=2)
            left = _LEFT + place * (_SIDE + _GAP)
            for row, pixels in enumerate((recorded.clip(0, 1), drawn, off)):
                below = height - _TOP - row * (_SIDE + _GAP) - _SIDE
                _show(panel(canvas, left, below, _SIDE, _SIDE), pixels)
            canvas.text(
                left / WIDTH,
                1 - 0.2 / height,
                f"image {one.frame}: {float(psnr(one.error)):.1f} dB",
                color=INK,
            )


def _show(axes: Axes, pixels: NDArray[np.float32]) -> None:
    step = -(-max(pixels.shape[:2]) // _PIXELS)
    axes.imshow(pixels[::step, ::step], cmap="magma", vmin=0, vmax=_WHITE, interpolation="nearest")
    axes.set_axis_off()
