"""Share of the errors below two standard deviations, over all robots of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.assessment.metrics.calibration import COMPONENTS, covered

GOAL = (0.90, 0.98)


def coverages(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the share of errors below two standard deviations, by component; NaN without any.

    Components of the lines count by joint, the joint values by joint and frame.

    Args:
        rows: Rows as JSON values.
    """
    lines = [score for row in rows for score in row["scores"]]
    columns = np.array(lines, dtype=float).reshape(-1, len(COMPONENTS)).T
    values = [score for row in rows for joint in row["value_scores"] for score in joint]
    return {
        name: covered(np.asarray(column, dtype=float))
        for name, column in (*zip(COMPONENTS, columns, strict=True), ("values", values))
    }
