"""Figures of a payload's report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from autourdf_ros.model.inertial.held_payload import inertia_ellipsoid
from autourdf_ros.report.figures.drawing import ACCENT, ALARM, FAINT, INK, WIDTH, figure, panel
from autourdf_ros.report.payload.payload_account import PayloadAccount

Array = NDArray[np.float64]

_VIEWS = ((0, 1), (0, 2), (1, 2))
_MOST_POINTS = 3000
"""Points drawn: a resource bound."""
_ROUND = np.linspace(0, 2 * np.pi, 73)
_CIRCLE = np.column_stack([np.cos(_ROUND), np.sin(_ROUND)])


def draw_body(account: PayloadAccount, path: Path) -> None:
    """Draw the object along the sensor's three axes: its ellipsoid and its centre of mass.

    The ellipsoid is the homogeneous one with the mass and inertia that were found; the ring about
    the centre of mass is two standard deviations.
    """
    payload = account.payload
    lengths, axes = inertia_ellipsoid(payload.mass, payload.inertia)
    shape = axes @ np.diag(lengths**2) @ axes.T
    covariance = payload.central_covariance()
    side = (WIDTH - 1.5) / 3
    with figure(path, WIDTH, side + 0.9) as canvas:
        for number, view in enumerate(_VIEWS):
            place = panel(canvas, 0.6 + number * (side + 0.3), 0.6, side - 0.3, side - 0.2)
            _draw_view(place, account, view)
            _ring(place, payload.centre, shape, view, 1.0, ACCENT)
            if covariance is not None:
                _ring(place, payload.centre, covariance[1:4, 1:4], view, 2.0, ALARM)
            place.plot(*(1e3 * payload.centre[list(view)]), "+", color=ALARM, markersize=9)
            place.set_aspect("equal", "datalim")


def _draw_view(axes: Axes, account: PayloadAccount, view: tuple[int, int]) -> None:
    step = max(1, len(account.points) // _MOST_POINTS)
    points = 1e3 * account.points[::step][:, list(view)]
    seen = np.ones(len(account.points), bool) if account.observed is None else account.observed
    seen = seen[::step]
    colours = FAINT if account.colours is None else account.colours[::step][seen]
    axes.plot(*points[~seen].T, "x", color=ALARM, markersize=1.5, alpha=0.4, rasterized=True)
    across, up = points[seen].T
    axes.scatter(across, up, s=2, c=colours, alpha=0.5, linewidths=0, rasterized=True)
    axes.plot(0, 0, "s", color=INK, markersize=5)
    axes.set(xlabel=f"{'xyz'[view[0]]}, mm", ylabel=f"{'xyz'[view[1]]}, mm")


def _ring(
    axes: Axes, centre: Array, shape: Array, view: tuple[int, int], times: float, colour: str
) -> None:
    """Draw the outline of an ellipsoid (3, 3), as seen along the third axis."""
    seen = shape[np.ix_(view, view)]
    values, vectors = np.linalg.eigh(seen)
    ring = centre[list(view)] + times * (_CIRCLE * np.sqrt(np.maximum(values, 0))) @ vectors.T
    axes.add_patch(Polygon(1e3 * ring, closed=True, fill=False, edgecolor=colour, linewidth=1.4))


def draw_wrenches(account: PayloadAccount, path: Path) -> None:
    """Draw measured and predicted forces and torques over time."""
    with figure(path, WIDTH, 4.6) as canvas:
        for number, (part, unit) in enumerate((("force", "N"), ("torque", "N m"))):
            for axis in range(3):
                left = 0.7 + axis * (WIDTH - 0.4) / 3
                place = panel(canvas, left, 2.7 - 2.2 * number, (WIDTH - 2.6) / 3, 1.6)
                channel = 3 * number + axis
                times = account.times - account.times[0]
                place.plot(times, account.measured[:, channel], color=FAINT, linewidth=0.6)
                place.plot(times, account.predicted[:, channel], color=ACCENT, linewidth=1.2)
                place.set_title(f"{part} {'xyz'[axis]}, {unit}")
                if number:
                    place.set_xlabel("time, s")
