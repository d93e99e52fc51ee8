"""A model refined by daily work: nearer to the robot, as sure as it says, and no surer twice."""

import json
from dataclasses import replace

import numpy as np
import pytest
from repaired_arm import CAMERAS, compared, observations, written_arm

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.fitting.articulation import move_lines
from autourdf_ros.model.result_files import DOCUMENT, REPORT
from autourdf_ros.monitoring.change import Quantity
from autourdf_ros.monitoring.continual.drift import DriftBin
from autourdf_ros.monitoring.continual.drift_file import drift_entry
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.monitoring.repairing.refined_axes import (
    LEAST_OBSERVATIONS,
    predicted_std_reduction,
    prior_model,
    refine_axes,
    std_reduction,
    write_refined,
)

pytestmark = pytest.mark.slow

COUNT = 24  # of each camera
MOVING = ("shoulder_pan", "arm_lift", "slide")  # the fourth joint stands still here
ZERO = {("joint_zero", "lift", "offset"): Quantity("offset", 0.0, 1e-3, "rad")}
BINS = [DriftBin("0001", 0.0, 9.0, 3, ZERO)]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """A result whose axes are hardly known."""
    folder = written_arm(tmp_path_factory.mktemp("results") / "arm")
    document = json.loads((folder / DOCUMENT).read_text())
    for joint in document["joints"]:
        joint["axis_std"] = 0.01
        joint["line_std"] = None if joint["type"] == "prismatic" else 0.002
    (folder / DOCUMENT).write_text(json.dumps(document))
    return folder


def true_robot(model, times, seed):
    """A robot whose axes are off the model's by so many times its deviations."""
    steps = times * np.random.default_rng(seed).normal(size=(len(model.joints), 4))
    steps *= np.repeat(model.line_std, 2, axis=1)
    return replace(model, articulation=move_lines(model.articulation, steps))


@pytest.fixture(scope="module")
def seen(result):
    """The model, the robot as it truly is, and comparisons of its daily work with the model."""
    model = load_watched_model(result)
    robot = true_robot(model, 1, 5)
    return model, robot, compared(model, observations(robot, COUNT, 3))


@pytest.fixture(scope="module")
def refined(result, seen, tmp_path_factory):
    model, _, comparisons = seen
    made = refine_axes(model, tuple(CAMERAS), comparisons, model)
    out = tmp_path_factory.mktemp("refined") / "arm"
    return made, write_refined(result, out, made, drift_entry(BINS))


def off(model, robot, number):
    """(rad) by which a joint's direction is off."""
    kind = slice(0, 3) if model.articulation.revolute[number] else slice(3, 6)
    one, other = (which.articulation.twists[number, kind] for which in (model, robot))
    return np.arccos(np.clip(one @ other, -1, 1))


def test_it_is_nearer_to_the_robot_and_as_sure_as_it_says(seen, refined):
    model, robot, _ = seen
    made, folder = refined
    assert made.accepted and std_reduction(model.line_std, made.line_std) > 0.2
    new = load_watched_model(folder)
    np.testing.assert_allclose(new.line_std, made.line_std, rtol=1e-6)
    ratios = []
    for name in MOVING:
        number = model.joints.index(name)
        assert off(new, robot, number) < 0.6 * off(model, robot, number), name
        ratios.append(off(new, robot, number) / (np.sqrt(2) * new.line_std[number, 0]))
    assert np.sqrt(np.mean(np.square(ratios))) < 2.5
    still = model.joints.index("spin")
    assert new.line_std[still, 0] == pytest.approx(0.01, rel=0.1)


def test_axes_off_by_much_more_than_the_model_says_are_found(result, seen, tmp_path):
    model, *_ = seen
    robot = true_robot(model, 3, 6)
    made = refine_axes(model, tuple(CAMERAS), compared(model, observations(robot, COUNT, 3)), model)
    assert made.accepted
    new = load_watched_model(write_refined(result, tmp_path / "new", made))
    for number in map(model.joints.index, MOVING):
        assert off(model, robot, number) > np.radians(1.0)
        # Where points are matched with other places than their own, this takes some rounds.
        assert off(new, robot, number) < np.radians(0.5)


def test_a_model_that_is_right_is_kept(seen):
    model, *_ = seen
    comparisons = compared(model, observations(model, COUNT, 3))
    assert not refine_axes(model, tuple(CAMERAS), comparisons, model).accepted


def test_all_else_is_kept_and_recorded(result, refined):
    made, folder = refined
    old, new = (json.loads((path / DOCUMENT).read_text()) for path in (result, folder))
    for before, after in zip(old["joints"], new["joints"], strict=True):
        changed = {key for key in before if before[key] != after[key]}
        assert changed <= {"axis", "point", "axis_std", "line_std", "covariance", "across"}
    (record,) = new["repairs"]
    assert record["kind"] == "refinement" and record["held_out_check"]["passed"]
    assert (record["looks_fitted"], record["looks_held_out"]) == made.counts
    assert new["drift"]["bins"][0]["looks"] == 3
    page = (folder / REPORT).read_text()
    assert "Drift in daily work" in page and "standard deviations are" in page
    for mesh in (result / "meshes").rglob("*.obj"):
        assert mesh.read_bytes() == (folder / mesh.relative_to(result)).read_bytes()


def test_the_same_errors_of_meshes_make_it_no_surer_twice(seen, refined):
    model, _, comparisons = seen
    made, folder = refined
    new = load_watched_model(folder)
    prior = prior_model(new, json.loads((folder / DOCUMENT).read_text()))
    np.testing.assert_allclose(prior.articulation.twists, model.articulation.twists, atol=1e-9)
    np.testing.assert_allclose(prior.line_std, model.line_std)
    assert predicted_std_reduction(new, prior, tuple(CAMERAS), comparisons) < 0.1
    again = refine_axes(new, tuple(CAMERAS), comparisons, prior)
    # Its axes being others, its links are cut at other places.
    np.testing.assert_allclose(again.line_std, made.line_std, rtol=0.1)
    # What came after another repair is added to that.
    document = {"repairs": [{"kind": "refinement"}, {"kind": "joint_axis"}]}
    assert prior_model(new, document) is new


def test_too_few_observations_are_refused(seen):
    model, _, comparisons = seen
    with pytest.raises(InputError, match=f"^11 .*camera 'right'.*{LEAST_OBSERVATIONS}"):
        refine_axes(model, tuple(CAMERAS), comparisons[:23], model)
