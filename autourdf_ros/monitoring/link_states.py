"""Fit of every link in one observation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.observation_report import LinkState
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel


def link_states(
    model: WatchedModel, comparison: Comparison, statistics: NDArray[np.float64]
) -> dict[tuple[str, str], LinkState]:
    """Return the state of every link, by camera and link.

    Args:
        model: The watched model.
        comparison: One observation, compared with the model.
        statistics: (S,) chi-square per degree of freedom of the segments in the window.
    """
    observation, bodies = comparison.observation, model.segment_body
    sums = np.column_stack(
        [
            comparison.squares,
            comparison.means,
            comparison.counts,
            observation.seen,
            observation.missing,
        ]
    ).astype(float)
    states = {}
    for body in np.unique(bodies):
        squares, means, counts, seen, missing = sums[bodies == body].sum(axis=0)
        states[observation.camera, model.links[body]] = LinkState(
            float(np.sqrt(squares / means)) if means else np.nan,
            int(counts),
            float(seen / (seen + missing)) if seen + missing else np.nan,
            float(statistics[bodies == body].mean()),
        )
    return states
