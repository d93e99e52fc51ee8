"""How the number of bodies was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.ticker import NullFormatter

from autourdf_ros.estimation.motion.reconstruction import ModelOrderStep
from autourdf_ros.report.figures.drawing import ACCENT, ALARM, FAINT, PAPER, figure, panel

_WIDTH, _HEIGHT = 5.5, 3.0  # inches
_TICKS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200)


def draw_model_order(steps: Sequence[ModelOrderStep], path: Path) -> None:
    """Draw the cost of every merge against the number of bodies left, and the stop."""
    steps = sorted(steps, key=lambda step: step.bodies)
    bodies = np.array([step.bodies for step in steps])
    costs = np.array([step.cost for step in steps])
    accepted = np.array([step.accepted for step in steps], bool)
    with figure(path, _WIDTH, _HEIGHT) as canvas:
        axes = panel(canvas, 0.75, 0.55, _WIDTH - 0.9, _HEIGHT - 0.7)
        axes.plot(bodies, costs, color=FAINT, lw=1, zorder=1)
        axes.plot(bodies[accepted], costs[accepted], "o", color=ACCENT, ms=5, label="merged")
        axes.plot(
            bodies[~accepted], costs[~accepted], "s", mfc=PAPER, mec=ALARM, ms=5, label="kept apart"
        )
        if (costs > 0).any():
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_xscale("log")  # the few bodies at the end are what matters
        ticks = [tick for tick in _TICKS if bodies[0] <= tick <= bodies[-1]]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.invert_xaxis()
        axes.set(xlabel="bodies left after a merge", ylabel="χ² of the merge")
        axes.legend(loc="best")
