"""What all figures share: a canvas without global state, and one plain style."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK = "#22272e"
FAINT = "#8a939e"
ALARM = "#c8323c"
ACCENT = "#2667b8"

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#c5cbd3",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e8ebef",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@contextmanager
def figure(path: Path, width: float, height: float) -> Iterator[Figure]:
    """Yield a figure of width x height inches, written as PNG to `path` at the end."""
    with mpl.rc_context(_STYLE):
        canvas = Figure(figsize=(width, height), layout="constrained", facecolor="white")
        FigureCanvasAgg(canvas)
        yield canvas
        canvas.savefig(path, dpi=150, metadata={"Software": None})


def bare(axes: Axes) -> None:
    """Keep nothing of the axes but what is drawn in them."""
    axes.set_axis_off()
    axes.set_aspect("equal")
