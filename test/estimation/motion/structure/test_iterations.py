"""Which of an iteration's candidates is taken."""

from types import SimpleNamespace

import numpy as np
import pytest

from autourdf_ros.estimation.motion.structure import iterations
from autourdf_ros.progress import silent


@pytest.mark.parametrize(
    ("scores", "taken"), [((0.553, 0.553), 0), ((0.55, 0.549), 0), ((0.8, 0.5), 1), ((0.5, 0.8), 0)]
)
def test_a_chain_is_taken_only_where_all_frames_fit_better(monkeypatch, scores, taken):
    """A knee that had moved wrongly by itself in one frame got two joints more."""
    monkeypatch.setattr(
        iterations,
        "track_recording",
        lambda _, found, progress: SimpleNamespace(scores=np.full(5, scores[found])),
    )
    found, motion = iterations._best_tracked(None, (0, 1), silent)
    assert found == taken
    assert motion.scores.mean() == pytest.approx(scores[taken])
