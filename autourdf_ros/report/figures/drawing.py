"""What all figures share: SVG in a light and a dark look, a canvas in inches, one plain style."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

from autourdf_ros.model.joint_grading import Grade

INK = "#22272e"
FAINT = "#66707b"
LINE = "#c5cbd3"
PAPER = "#ffffff"
ACCENT = "#2667b8"
CAUTION = "#8f5f00"
ALARM = "#c8323c"
_GRID = "#e8ebef"

WIDTH = 11.4
"""Inches of a figure as wide as the report; text then has its own size on the screen."""

GRADE_COLORS: dict[Grade, str] = {"good": FAINT, "fair": CAUTION, "doubtful": ALARM}
GRADE_DASHES: dict[Grade, str] = {"good": "-", "fair": "--", "doubtful": ":"}
GRADE_WIDTHS: dict[Grade, float] = {"good": 1.5, "fair": 2.0, "doubtful": 2.8}
GRADE_SIGNS: dict[Grade, str] = {"good": "✓", "fair": "~", "doubtful": "⚠"}
"""So that no grade is shown by its colour alone."""

_AT_NIGHT = {
    INK: "#e3e7ec",
    FAINT: "#9aa4b0",
    LINE: "#4b5561",
    PAPER: "#1b2027",
    ACCENT: "#6ea8fe",
    CAUTION: "#e3b341",
    ALARM: "#ff7b80",
    _GRID: "#2d343d",
}

_RASTER_DPI = 200
_RASTER = re.compile(r"(?<=data:image/png;base64,)[^\"]+")

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "autourdf_ros",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,
    "axes.labelcolor": INK,
    "axes.edgecolor": LINE,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.facecolor": PAPER,
    "grid.color": _GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@contextmanager
def figure(path: Path, width: float, height: float) -> Iterator[Figure]:
    """Yield a figure of width x height inches, written as SVG to `path` at the end.

    Dark where its viewer is, by the colours above; others stay as they are.
    """
    with mpl.rc_context(_STYLE):
        canvas = Figure(figsize=(width, height), facecolor=PAPER)
        FigureCanvasSVG(canvas)
        yield canvas
        text = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        canvas.savefig(text, format="svg", dpi=_RASTER_DPI, metadata=nothing)
    drawn = text.getvalue().replace("<defs>", f"<defs>{_night()}", 1)
    path.write_text(_RASTER.sub(_of_few_colors, drawn), encoding="utf-8")


def _of_few_colors(image: re.Match[str]) -> str:
    """A PNG in base64 with a palette of 256 colours, which is a sixth of one without."""
    smaller = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(image[0]))) as full:
        full.quantize(256, method=Image.Quantize.FASTOCTREE).save(smaller, "PNG")
    return base64.b64encode(smaller.getvalue()).decode()


def _night() -> str:
    """Other colours for dark surroundings, on top of an SVG that any program can show."""
    rules = "".join(
        f'[style*="{what}: {day}"]{{{what}:{night} !important}}'
        for day, night in _AT_NIGHT.items()
        for what in ("fill", "stroke")
    ) + "".join(f'[fill="{day}"]{{fill:{night}}}' for day, night in _AT_NIGHT.items())
    return f'<style type="text/css">@media (prefers-color-scheme: dark){{{rules}}}</style>'


def in_inches(canvas: Figure) -> Axes:
    """Add axes over all of the figure, in inches from its lower left corner."""
    axes = canvas.add_axes((0, 0, 1, 1))
    width, height = canvas.get_size_inches()
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return axes


def panel(canvas: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Add axes at a place given in inches."""
    full_width, full_height = canvas.get_size_inches()
    return canvas.add_axes(
        (left / full_width, bottom / full_height, width / full_width, height / full_height)
    )


def shortened(name: str, most: int) -> str:
    """Return the name, with an ellipsis for its middle if it has more than `most` letters."""
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"
