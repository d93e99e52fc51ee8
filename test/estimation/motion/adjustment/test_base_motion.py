"""A floating base differs from frames that are off, and from a link whose base was not seen."""

import numpy as np
import pytest
from sampled_shapes import box, random_twists, sample

from autourdf_ros.estimation.motion.adjustment.base_motion import base_motion
from autourdf_ros.estimation.motion.result.notes import notes_on
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

POINTS = sample(box((0.3, 0.2, 0.1), (0.1, 0.4, 0.2)), 300, 0)
SIZE = np.array([0.05, 0.05, 0.05, 0.02, 0.02, 0.02])


def steps(seed, count=10):
    return exp_se3(random_twists(np.random.default_rng(seed), count) * SIZE)


def walked(seed, count=10):
    poses = [np.eye(4)]
    for step in steps(seed, count - 1):
        poses.append(poses[-1] @ step)
    return np.array(poses)


@pytest.mark.parametrize("seed", range(5))
def test_a_walking_base_floats(seed):
    base = base_motion("turns", [walked(2 * seed), walked(2 * seed + 1)], POINTS)
    assert base.kind == "floating"
    assert base.smoothness < 0.6
    assert base.beside > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_frames_that_are_off_each_by_itself_are_no_floating_base(seed):
    base = base_motion("turns", [steps(2 * seed), steps(2 * seed + 1)], POINTS)
    assert base.kind == "shifting frames"
    assert base.smoothness == pytest.approx(1, abs=0.35)
    assert base.turn == pytest.approx(0.05 * 3**0.5, rel=0.4)
    assert base.beside > 0.1


@pytest.mark.parametrize(
    "twist",
    [revolute_twist(np.array([0, 0, 1.0]), np.array([0.5, 0, 0])), np.array([0, 0, 0, 1.0, 0, 0])],
)
def test_a_root_that_moves_as_on_a_joint_is_suspected(twist):
    values = np.random.default_rng(0).uniform(-1, 1, 20)
    base = base_motion("turns", [exp_se3(values[:, None] * twist)], POINTS)
    assert base.beside < 1e-3


def test_a_base_that_shifts_on_and_on_floats_without_turning():
    poses = walked(0, 30)
    poses[:, :3, :3] = np.eye(3)
    base = base_motion("shifts", [poses], POINTS)
    assert base.kind == "floating"
    assert base.turn == 0
    shift = np.sqrt((poses[:, :3, 3] ** 2).sum(axis=1).mean())
    assert base.shift == pytest.approx(shift)


def test_a_still_base_is_fixed_and_nothing_is_reported_of_it():
    base = base_motion("still", [np.tile(np.eye(4), (5, 1, 1))], POINTS)
    assert (base.kind, base.turn, base.shift) == ("fixed", 0.0, 0.0)
    assert notes_on(base, "still", "link_0", (), (), (), ()) == ()


def test_few_frames_determine_nothing():
    base = base_motion("turns", [steps(0, 3)], POINTS)
    assert base.smoothness is None and base.beside is None
    assert base.kind == "floating"


def test_the_note_reports_amplitude_and_choice():
    base = base_motion("turns", [walked(0), walked(1)], POINTS)
    (note,) = notes_on(base, "turns", "link_0", (), (), (), ())
    assert "floats" in note and f"{np.degrees(base.turn):.2g} degrees" in note
    assert "'link_0' was taken for the root because it turned least" in note
    shifted = base_motion("shifts", [steps(0), steps(1)], POINTS)
    (off,) = notes_on(shifted, "shifts", "link_0", (), (), (), ())
    assert "mm (rms), each by itself" in off and "degrees" not in off
