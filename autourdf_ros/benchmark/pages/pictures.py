"""Figures for the benchmark's pages."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

OURS, PAPER = "#2b6cb0", "#c05621"


def picture(draw: Any, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the PNG, base64, of the figure that `draw` makes of the rows."""
    figure = draw(rows)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
