"""What `autourdf pose` prints."""

from types import SimpleNamespace

import numpy as np

from autourdf_ros.cli.appearance.pose import _summary
from autourdf_ros.model.layers.layer import Verdict


def test_whole_turns_are_no_difference_from_a_recorded_value():
    found = SimpleNamespace(
        names=("wrist", "slide"),
        free=np.array([0.21, 0.05]),
        stds=np.array([0.001, 0.001]),
        slides=np.array([False, True]),
        shown=np.array([True, False]),
        psnr=30.0,
        overlap=0.97,
        verdict=Verdict("doubtful", ("the images do not determine slide",)),
    )
    text = _summary(found, {"wrist": 0.21 - 2 * np.pi - 0.001, "slide": 0.04})
    assert "wrist: 0.2100 rad = 12.03 +- 0.06 degrees (+0.06 degrees from the recorded" in text
    assert "not determined by the images (+10.0 mm from the recorded value)" in text
    assert text.endswith("verdict: doubtful\n  ! the images do not determine slide")
