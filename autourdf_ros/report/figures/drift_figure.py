"""How zeros, axes and cameras stood over days, with their standard deviations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from autourdf_ros.model.palette import link_color
from autourdf_ros.report.figures.drawing import FAINT, LINE, WIDTH, figure, panel, shortened

_PANELS = {
    ("joint_zero", "rad"): "zeros (°)",
    ("joint_zero", "m"): "zeros (mm)",
    ("joint_axis", "rad"): "directions of axes (°)",
    ("joint_axis", "m"): "lines of axes (mm)",
    ("camera_pose", "rad"): "turns of cameras (°)",
    ("camera_pose", "m"): "shifts of cameras (mm)",
}
_SCALES = {"rad": 180 / np.pi, "m": 1e3}
_HEIGHT, _LEFT, _RIGHT, _GAP = 1.5, 0.7, 2.3, 0.55  # inches
_DAY, _HOUR = 86400.0, 3600.0  # s
_LONGEST = 26  # letters


def draw_drift(drift: Mapping[str, Any], path: Path) -> None:
    """Draw `drift` of a reconstruction.json: a panel for every kind of quantity.

    Values are against the first bin of the same model.
    """
    bins = drift["bins"]
    starts = np.array([(one["start"] + one["end"]) / 2 for one in bins])
    since = starts - starts.min()
    scale, unit = (_DAY, "days") if since.max() > 2 * _DAY else (_HOUR, "hours")
    values, stds = _changes(bins)
    names = [(one["kind"], one["unit"]) for one in drift["parameters"]]
    shown = [kind for kind in _PANELS if kind in names]
    height = 0.2 + len(shown) * (_HEIGHT + _GAP)
    with figure(path, WIDTH, height) as canvas:
        for number, kind in enumerate(shown):
            bottom = height - (number + 1) * (_HEIGHT + _GAP) + 0.25
            axes = panel(canvas, _LEFT, bottom, WIDTH - _LEFT - _RIGHT, _HEIGHT)
            columns = [place for place, name in enumerate(names) if name == kind]
            subjects = [drift["parameters"][column]["subject"] for column in columns]
            factor = _SCALES[kind[1]]
            _draw_lines(
                axes,
                since / scale,
                factor * values[:, columns],
                factor * stds[:, columns],
                subjects,
            )
            for place in _replaced(bins):
                axes.axvline(since[place - 1 : place + 1].mean() / scale, color=LINE, ls="--")
            axes.set_title(_PANELS[kind])
            if number == len(shown) - 1:
                axes.set_xlabel(unit)


def _draw_lines(
    axes: Axes,
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    stds: NDArray[np.float64],
    subjects: Sequence[str],
) -> None:
    order = list(dict.fromkeys(subjects))
    labelled = set()
    for subject, value, std in zip(subjects, values.T, stds.T, strict=True):
        color = link_color(order.index(subject) + 1)
        label = None if subject in labelled else shortened(subject, _LONGEST)
        labelled.add(subject)
        axes.fill_between(times, value - std, value + std, color=color, alpha=0.08, lw=0)
        axes.plot(times, value, "o-", ms=2.5, lw=1.2, color=color, label=label)
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.05))


def _changes(
    bins: Sequence[Mapping[str, Any]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """((bins, parameters) since the first bin of the same model, standard deviations)."""
    values = np.array([one["values"] for one in bins], float)
    stds = np.array([one["stds"] for one in bins], float)
    first = 0
    for place in (*_replaced(bins), len(bins)):
        values[first:place] -= values[first].copy()
        first = place
    return values, stds


def _replaced(bins: Sequence[Mapping[str, Any]]) -> list[int]:
    """Numbers of the bins with which another model comes."""
    lengths = [len(list(group)) for _, group in groupby(one["model"] for one in bins)]
    return np.cumsum(lengths)[:-1].tolist()
