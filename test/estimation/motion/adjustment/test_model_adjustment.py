"""The last adjustment, and what judges it, on a small arm of two joints."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from synthetic_robot import moving_recording

from autourdf_ros.estimation.motion.adjustment.model_adjustment import adjust_model, changed
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.result.model_building import build_reconstruction
from autourdf_ros.estimation.motion.structure.iterations import iterate_estimate
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import design_effect
from autourdf_ros.estimation.motion.structure.structure_search import initial_estimate
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import assess_uncertainty
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch

FRAMES, HELD_OUT, POINTS = 10, 6, 400


@pytest.fixture(scope="module")
def recording():
    return moving_recording(FRAMES, POINTS, sway=0.08)


@pytest.fixture(scope="module")
def found(recording):
    """What is known before the last adjustment."""
    prepared = prepare(recording, 5000, report=lambda share: None)
    problem, first = initial_estimate(prepared, ReconstructionOptions(), silent)
    return problem, *iterate_estimate(problem, first, Stopwatch(), silent)


@pytest.fixture(scope="module")
def final(found):
    return adjust_model(*found, silent)


def with_frame(problem: Problem, number, cloud) -> Problem:
    """The problem with another cloud for one of its frames."""
    frames = list(problem.prepared.sequences[0])
    frames[number] = cloud
    return replace(problem, prepared=replace(problem.prepared, sequences=(tuple(frames),)))


@pytest.fixture(scope="module")
def displaced(found, recording):
    """The problem with a frame held out in which the last link is where no joint takes it."""
    problem, candidate, motion = found
    points = recording.frames[HELD_OUT].points.astype(np.float64)
    last = points[-POINTS:]
    middle = last.mean(axis=0)
    last[:] = (last - middle) @ Rotation.from_rotvec(np.array([0.4, 0, 0])).as_matrix().T + middle
    prepared = problem.prepared
    cloud = prepare_cloud((points - prepared.centre) / prepared.scale)
    problem = with_frame(problem, HELD_OUT, cloud)
    return problem, adjust_model(problem, candidate, motion, silent)


def test_frames_held_out_get_states_by_the_model_of_the_others(final, recording):
    assert final.held_out.frames.tolist() == [HELD_OUT]
    assert final.fitted.frames.tolist() == [f for f in range(1, FRAMES) if f != HELD_OUT]
    held_out, fitted = final.held_out.adjustment, final.fitted.adjustment
    np.testing.assert_allclose(held_out.model.twists, fitted.model.twists, atol=1e-12)
    read = [recording.frames[HELD_OUT].joint_positions[n] for n in ("pan", "lift")]
    np.testing.assert_allclose(held_out.states.values[0], read, atol=0.02)
    ratio = held_out.value_variances / fitted.value_variances.mean(axis=0)
    assert (ratio > 0.1).all() and (ratio < 10).all()
    assert held_out.residuals[0] < 2 * np.median(fitted.residuals)


def test_what_is_held_out_does_not_change_the_model(final, displaced):
    _, other = displaced
    one, two = final.fitted.adjustment, other.fitted.adjustment
    np.testing.assert_array_equal(one.information, two.information)
    np.testing.assert_array_equal(one.model.twists, two.model.twists)
    np.testing.assert_array_equal(one.states.values, two.states.values)
    np.testing.assert_array_equal(final.candidate.labels, other.candidate.labels)
    # But its states were found.
    assert (final.held_out.adjustment.residuals != other.held_out.adjustment.residuals).all()


def test_a_model_that_explains_only_what_it_was_fitted_to_is_doubted(
    recording, found, final, displaced
):
    problem, _, motion = found
    right = build_reconstruction(
        recording, problem, motion, final, assess_uncertainty(problem, final)
    )
    assert right.warnings == () and right.verdict == "trusted"
    assert np.flatnonzero(right.motions[0].held_out).tolist() == [HELD_OUT]
    assert np.isfinite(right.motions[0].joint_stds[HELD_OUT]).all()
    wrong = build_reconstruction(
        recording, displaced[0], motion, displaced[1], assess_uncertainty(*displaced)
    )
    assert wrong.verdict == "doubtful"
    (warning,) = wrong.warnings
    assert "'link_2'" in warning and "held out" in warning
    assert wrong.link_costs[2].fitted == right.link_costs[2].fitted
    assert wrong.link_costs[2].held_out > 3 > right.link_costs[2].held_out


def test_what_changed_is_reported_of_the_link_that_changed_most():
    before = np.array([0] * 8 + [1] * 2 + [-1])
    after = before.copy()
    assert changed(before, after) == 0.0
    after[7] = 1  # link 0 loses 1 of then 7, link 1 wins 1 of then 3
    assert changed(before, after) == 1 / 3
    after[10] = 0  # what had no link counts for the link that it comes to
    assert changed(before, after) == 1 / 3


def test_points_that_err_alike_count_as_fewer(found, final, monkeypatch):
    monkeypatch.setattr(
        "autourdf_ros.estimation.motion.adjustment.model_adjustment.design_effect",
        lambda *_: 4.0 * design_effect(*_),
    )
    widened, before = adjust_model(*found, silent).fitted.adjustment, final.fitted.adjustment
    np.testing.assert_allclose(4.0 * widened.information, before.information, rtol=1e-6)
    np.testing.assert_allclose(widened.value_variances, 4.0 * before.value_variances, rtol=1e-6)
