"""Measured and predicted efforts of every joint over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.palette import link_color
from autourdf_ros.report.figures.drawing import FAINT, WIDTH, figure, panel, shortened

_HEIGHT, _LEFT, _RIGHT, _GAP = 0.95, 0.7, 0.15, 0.42  # inches
_MOST = 800  # points of a line: what a page shows
_LONGEST = 40  # letters


@dataclass(frozen=True)
class EffortSeries:
    """Efforts of H joints.

    Attributes:
        joints: Names.
        times: (n,) s.
        measured: (n, H) N m or N.
        predicted: (n, H) by an estimate that saw the records before `held_out` only.
        held_out: Number of the first record that was held out.
    """

    joints: Sequence[str]
    times: NDArray[np.float64]
    measured: NDArray[np.float64]
    predicted: NDArray[np.float64]
    held_out: int


def draw_efforts(series: EffortSeries, path: Path) -> None:
    """Draw a panel for every joint; the records that were held out have a darker ground."""
    times = series.times - series.times[0]
    step = max(1, len(times) // _MOST)
    height = 0.3 + len(series.joints) * (_HEIGHT + _GAP)
    with figure(path, WIDTH, height) as canvas:
        for number, name in enumerate(series.joints):
            bottom = height - (number + 1) * (_HEIGHT + _GAP) + 0.1
            axes = panel(canvas, _LEFT, bottom, WIDTH - _LEFT - _RIGHT, _HEIGHT)
            axes.axvspan(times[series.held_out], times[-1], color=FAINT, alpha=0.35, lw=0)
            measured = series.measured[::step, number]
            axes.plot(times[::step], measured, ".", ms=1.5, color=link_color(0), label="measured")
            predicted = series.predicted[::step, number]
            axes.plot(times[::step], predicted, lw=1.1, color=link_color(1), label="predicted")
            axes.set_title(shortened(name, _LONGEST))
            if number == 0:
                axes.legend(loc="upper right", ncols=2)
            if number == len(series.joints) - 1:
                axes.set_xlabel("s")
