"""Which motors images show, and which of them show one alone."""

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.kinematics.image_motors import image_motors

NAMES = ("a", "b", "finger", "other_finger", "never")


def readings_of(seed=0, resting=8, noise=0.0):
    """At rest, then each motor alone, then all; both fingers move as one, in any direction."""
    rng = np.random.default_rng(seed)
    rows = [np.zeros((resting, 3))]
    rows += [np.eye(3)[n] * rng.uniform(0.3, 1, (5, 1)) for n in range(3)]
    rows.append(rng.uniform(-1, 1, (20, 3)))
    values = np.concatenate(rows)
    full = np.column_stack([values, 0.1 - 2 * values[:, 2], np.full(len(values), 0.4)])
    return full + rng.normal(0, noise, full.shape) * [1, 1, 1, 1, 0]


def test_motors_are_grouped_and_their_images_found():
    found = image_motors(NAMES, readings_of())

    assert [one.readings for one in found.motors] == [("a",), ("b",), ("finger", "other_finger")]
    assert [one.alone.tolist() for one in found.motors] == [
        list(range(8 + 5 * n, 13 + 5 * n)) for n in range(3)
    ]
    assert found.resting.tolist() == list(range(8))
    assert found.rest == pytest.approx(dict(zip(NAMES, (0, 0, 0, 0.1, 0.4), strict=True)))
    assert found.still == ("never",)
    assert all(one.away[23:].sum() >= 19 and not one.away[:8].any() for one in found.motors)


def test_encoder_noise_moves_no_motor():
    found = image_motors(NAMES, readings_of(noise=1e-5))

    assert found.resting.tolist() == list(range(8))
    assert [len(one.alone) for one in found.motors] == [5, 5, 5]


def test_rest_is_needed():
    with pytest.raises(InputError, match="3 images show one and the same configuration"):
        image_motors(NAMES, readings_of(resting=3))


def test_motion_is_needed():
    with pytest.raises(InputError, match="the same in all 10 images"):
        image_motors(("a",), np.zeros((10, 1)))
