"""Clouds that can be no robot."""

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.recording.frame import Frame, Recording, Sequence
from autourdf_ros.recording.validate import validate

LINE = np.linspace(0, 1, 500)[:, None]


def recording(*clouds):
    frames = [
        Frame(np.asarray(cloud, np.float32), None, float(i)) for i, cloud in enumerate(clouds)
    ]
    return Recording((Sequence(tuple(frames), "0000"),))


@pytest.mark.parametrize(
    ("clouds", "told"),
    [
        ([np.zeros((2, 3))] * 3, "has 2 points; accepted is at least 100"),
        ([np.ones((500, 3))] * 3, "measures 0 m"),
        ([LINE * [1, 0, 0]] * 3, "nothing moves"),
        ([np.full((500, 3), np.nan)] * 2, "not finite"),
    ],
    ids=["two points", "all equal", "collinear", "NaN"],
)
def test_clouds_that_can_be_no_robot_are_refused(clouds, told):
    with pytest.raises(InputError, match=told):
        validate(recording(*clouds))
