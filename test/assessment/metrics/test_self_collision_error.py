"""Self-collision verdicts of a model, against those of the true robot."""

import pytest
from result_documents import write_document
from shape.collision.test_collision_pairs import BOX, JOINTS, SHAPES, written

from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
from autourdf_ros.assessment.metrics.self_collision_error import (
    self_collision_error,
    self_collisions,
)
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, urdf_truth
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.posed_urdf import read_urdf

HOME = {"turn": 0.2, "swing": -0.4, "spin": 0.0, "fly": 0.1}


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    return urdf_truth(read_urdf(written(tmp_path_factory.mktemp("true"))), HOME)


def estimate(folder, length=0.6, width=0.05, sign=1, recorded=()):
    """A result whose robot is the true one, but for the size of its arm and its axes' signs."""
    shapes = {**SHAPES, "arm": (BOX.format(length, width, width), f"{length / 2} 0 0")}
    joints = [
        (*joint[:5], " ".join(str(sign * int(x)) for x in joint[5].split())) for joint in JOINTS
    ]
    written(folder, joints, shapes).rename(folder / "robot.urdf")
    home = {name: sign * value for name, value in HOME.items()}
    rows, used = [list(values) for values in recorded], [True] * len(recorded)
    write_document(
        folder,
        reference_configuration=home,
        joints=[{"name": name} for name in home],
        sequences=[{"joint_values": rows, "used": used}],
    )
    return load_estimate(folder)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_true_robot_makes_no_error_whatever_the_signs_of_its_axes(truth, tmp_path, sign):
    error = self_collision_error(estimate(tmp_path, sign=sign), truth, samples=500)
    assert 50 < error.colliding < 450
    assert (error.recall, error.false_positive_rate) == (1.0, 0.0)


def test_a_short_arm_misses_collisions_and_a_thick_one_invents_them(truth, tmp_path):
    short = self_collision_error(estimate(tmp_path, length=0.3), truth, samples=500)
    assert short.recall < 0.9 and short.false_positive_rate == 0
    thick = self_collision_error(estimate(tmp_path, width=0.2), truth, samples=500)
    assert thick.recall == 1 and thick.false_positive_rate > 0.02


def test_a_pair_that_touched_in_most_recorded_frames_is_not_asked(truth, tmp_path):
    down = (0.2, 1.4, 0.0, 0.1)
    error = self_collision_error(estimate(tmp_path, recorded=[down] * 3), truth, samples=300)
    assert error.recall == 0


def test_both_shapes_of_the_truth_are_reported_and_one_without_any_has_no_recall(truth, tmp_path):
    errors = self_collisions(estimate(tmp_path), truth)
    assert errors["collision"]["recall"] == 1 and errors["collision"]["samples"] == 5000
    assert errors["visual"]["recall"] is None and errors["visual"]["colliding"] == 0


def test_a_truth_without_its_urdf_is_refused(truth, tmp_path):
    with pytest.raises(InputError, match="need a truth with its URDF"):
        self_collision_error(estimate(tmp_path), TrueModel(truth.skeleton))
