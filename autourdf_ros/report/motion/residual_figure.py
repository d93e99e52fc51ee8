"""How well the model explains every frame, as a whole and by links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.reconstruction import LinkCost, SequenceMotion
from autourdf_ros.model.joint_grading import LARGEST_COST
from autourdf_ros.report.figures.drawing import (
    ACCENT,
    ALARM,
    FAINT,
    GRADE_SIGNS,
    INK,
    PAPER,
    WIDTH,
    figure,
    panel,
    shortened,
)

_RIGHT, _BARS, _ROW, _LETTER, _LONGEST = 2.3, 1.3, 0.24, 0.082, 24  # inches; letters
_LEAST_RANGE = 2.0  # noises that the colours span, at least: noise alone is not to look like a find


def draw_residuals(
    motions: Sequence[SequenceMotion],
    noise: float,
    links: Sequence[tuple[str, LinkCost]],
    residuals: NDArray[np.float64],
    path: Path,
) -> None:
    """Draw the residual of every frame; below, those of its links with their total cost.

    Hatched, and marked by triangles: frames held out.

    Args:
        noise: Of a point (m).
        links: Names to show, and costs.
        residuals: (L, F) of links and frames (m), NaN where none is known.
    """
    rows = _ROW * len(links)
    left = 0.75 + _LETTER * min(_LONGEST, max(len(name) for name, _ in links))
    width = WIDTH - left - _RIGHT
    ends = np.cumsum([len(motion.used) for motion in motions])
    with figure(path, WIDTH, rows + _BARS + 1.0) as canvas:
        bars = panel(canvas, left, rows + 0.85, width, _BARS)
        _draw_bars(bars, motions, 1e3 * noise)
        heat = panel(canvas, left, 0.5, width, rows)
        colors = _draw_heat(heat, 1e3 * residuals, _LEAST_RANGE * 1e3 * noise)
        _name_rows(heat, links)
        held_out = np.flatnonzero(np.concatenate([motion.held_out for motion in motions]))
        heat.plot(held_out, np.full(len(held_out), -0.85), "v", ms=5, color=INK, clip_on=False)
        canvas.colorbar(
            colors,
            cax=panel(canvas, WIDTH - 0.75, rows + 0.85, 0.14, _BARS),
            label="mm, of a link",
        )
        for axes in (bars, heat):
            axes.set_xlim(-0.7, ends[-1] - 0.3)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            for end in ends[:-1]:
                axes.axvline(end - 0.5, color=INK, lw=0.8)
        bars.tick_params(labelbottom=False)
        heat.set_xlabel("frame")


def _draw_bars(axes: Axes, motions: Sequence[SequenceMotion], noise: float) -> None:
    start = 0
    for motion in motions:
        at = start + np.arange(len(motion.residuals))
        used, residuals = motion.used, 1e3 * motion.residuals
        fitted, held_out = used & ~motion.held_out, used & motion.held_out
        axes.bar(at[fitted], residuals[fitted], color=ACCENT)
        axes.bar(at[held_out], residuals[held_out], color=PAPER, edgecolor=INK, hatch="////")
        left_out = ~used & np.isfinite(residuals)
        axes.bar(at[left_out], residuals[left_out], color=PAPER, edgecolor=ALARM)
        missing = ~used & ~np.isfinite(residuals)
        axes.plot(at[missing], np.zeros(missing.sum()), "x", color=ALARM, clip_on=False)
        start += len(at)
    axes.axhline(noise, color=INK, lw=1, ls="--")
    across = axes.get_yaxis_transform()
    axes.text(1.01, noise, f"noise {noise:.2g} mm", transform=across, va="center", fontsize=8)
    axes.set_ylabel("mm, of a frame")
    axes.grid(axis="x", visible=False)


def _draw_heat(axes: Axes, residuals: NDArray[np.float64], least: float) -> ScalarMappable:
    """Colours from 0 to `least` or, where larger, to what few residuals (mm) exceed."""
    known = residuals[np.isfinite(residuals)]
    most = max(least, float(np.quantile(known, 0.98)) if len(known) else 0.0)
    count, frames = residuals.shape
    axes.grid(visible=False)
    return axes.pcolormesh(
        np.arange(frames + 1) - 0.5,
        np.arange(count + 1) - 0.5,
        np.ma.masked_invalid(residuals),
        cmap="cividis",
        vmin=0,
        vmax=most,
        rasterized=True,
    )


def _name_rows(axes: Axes, links: Sequence[tuple[str, LinkCost]]) -> None:
    """Names on the left, mean costs on the right."""
    axes.set_ylim(len(links) - 0.5, -0.5)
    axes.set_yticks(range(len(links)), [shortened(name, _LONGEST) for name, _ in links])
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    across = axes.get_yaxis_transform()
    axes.text(1.01, -0.95, "cost: fitted, held out", transform=across, fontsize=8, color=FAINT)
    for row, (_, cost) in enumerate(links):
        both = [
            f"{value:.1f}" if np.isfinite(value) else "-" for value in (cost.fitted, cost.held_out)
        ]
        bad = max(cost.fitted, cost.held_out) >= LARGEST_COST
        remark = f" {GRADE_SIGNS['doubtful']} badly explained" if bad else ""
        axes.text(
            1.01,
            row,
            f"{', '.join(both)}{remark}",
            transform=across,
            fontsize=8,
            va="center",
            color=ALARM if bad else FAINT,
            weight="bold" if bad else "normal",
        )
