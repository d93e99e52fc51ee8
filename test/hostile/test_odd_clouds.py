"""Clouds that cannot be a robot are refused."""

import numpy as np
import pytest

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.validate import validate
from autourdf_ros.errors import InputError

LINE = np.linspace(0, 1, 500)[:, None]
CUBE = np.random.default_rng(0).random((500, 3))


def recording(*clouds):
    frames = [
        Frame(np.asarray(cloud, np.float32), None, float(i)) for i, cloud in enumerate(clouds)
    ]
    return Recording((Sequence(tuple(frames), "0000"),))


@pytest.mark.parametrize(
    ("clouds", "message"),
    [
        ([np.zeros((2, 3))] * 3, "has 2 points; accepted is at least 100"),
        ([np.ones((500, 3))] * 3, "at 1 different places"),
        ([CUBE, np.repeat(CUBE[:90], 6, axis=0)], "at 90 different places"),
        ([np.full((500, 3), 0.1) + 1e-4 * CUBE] * 3, "measures 9.*e-05 m"),
        ([LINE * [1, 0, 0], LINE * [0, 1, 0]], "in a plane or on a line"),
        ([CUBE * [1, 1, 0], CUBE * [1, 0.7, 1e-4]], "in a plane or on a line"),
        ([np.full((500, 3), np.nan)] * 2, "not finite"),
    ],
    ids=["two points", "all equal", "duplicates", "tiny", "collinear", "planar", "NaN"],
)
def test_clouds_that_can_be_no_robot_are_refused(clouds, message):
    with pytest.raises(InputError, match=message):
        validate(recording(*clouds))


def test_one_frame_may_be_flat():
    """A door that is closed."""
    validate(recording(CUBE * [1, 1, 0], CUBE))
