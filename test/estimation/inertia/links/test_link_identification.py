"""Masses and friction of an arm whose true ones are known."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_arm import simulated_arm

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.effort_weights import effort_noise
from autourdf_ros.estimation.inertia.links.information.informative_motion import (
    SwingOptions,
    expected_information,
    informative_swings,
)
from autourdf_ros.estimation.inertia.links.link_identification import LinkShapes, identify_links
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions, PriorOptions
from autourdf_ros.estimation.inertia.links.link_prior import link_prior
from autourdf_ros.estimation.inertia.links.link_verdict import (
    effort_delay,
    late_reasons,
    link_verdict,
)
from autourdf_ros.model.inertial.inertial_parameters import is_consistent, parameters_from

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return simulated_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def found(arm):
    return identify_links(arm.recording, arm.urdf, arm.shapes)


def test_base_parameters_are_true_within_their_deviations(arm, found):
    report = found.identifiability
    away = (report.base_values - found.base.grouping @ arm.truth) / report.base_std
    assert np.mean(np.abs(away) < 3) > 0.9
    assert np.median(report.base_ratios) < 0.1


def test_every_link_is_a_body_and_its_covariance_is_positive(found):
    assert all(is_consistent(one) for one in found.link_parameters)
    assert np.linalg.eigvalsh(found.posterior.covariance[:10, :10]).min() > 0


def test_efforts_that_were_held_out_are_predicted_to_their_noise(arm, found):
    np.testing.assert_allclose(found.noise.std, arm.noise, rtol=0.1)
    assert (found.held_out_error < 1.3 * arm.noise).all()


def test_friction_and_armature_are_found(arm, found):
    values, stds = found.resistances
    truth = arm.truth[40:].reshape(3, 4)
    assert (np.abs(values - truth)[:, :2] < 4 * stds[:, :2]).all()
    assert (np.abs(values - truth)[:, :2] < 0.5 * truth[:, :2]).all()


def test_it_says_what_no_motion_shows(found):
    report = found.identifiability
    assert report.sources[report.names.index("friction pitch")] == "data"
    # The first link turns about its own vertical axis: its mass moves nothing.
    assert report.sources[report.names.index("m upper")] != "data"
    assert report.limits[report.names.index("m upper")] > 0.3


def test_the_matrix_inequalities_find_the_same(arm, found):
    pytest.importorskip("cvxpy")
    other = identify_links(arm.recording, arm.urdf, arm.shapes, LinkOptions(solver="lmi"))
    assert all(is_consistent(one) for one in other.link_parameters)
    difference = other.identifiability.base_values - found.identifiability.base_values
    assert np.median(np.abs(difference) / found.identifiability.base_std) < 1


def test_a_good_recording_is_trusted(arm, found):
    verdict = link_verdict(found, arm.shapes, LinkOptions(), "efforts")
    assert verdict.trust == "trusted"
    assert abs(effort_delay(found)[0]) < 0.01


def verdict_of(arm, **changes):
    recording = replace(arm.recording, **changes)
    again = identify_links(recording, arm.urdf, arm.shapes)
    return link_verdict(again, arm.shapes, LinkOptions(), "efforts")


def test_a_joint_with_the_other_sign_is_named(arm):
    verdict = verdict_of(arm, efforts=arm.recording.efforts * [1, -1, 1])
    assert verdict.trust == "doubtful"
    assert any("efforts of pitch: masses and friction explain" in one for one in verdict.reasons)


def test_negated_efforts_are_refused(arm):
    with pytest.raises(InputError, match="by negative masses or friction only"):
        verdict_of(arm, efforts=-arm.recording.efforts)


def test_efforts_in_another_unit_are_refused(arm):
    with pytest.raises(InputError, match=r"the links would have .* kg/m³"):
        verdict_of(arm, efforts=1000 * arm.recording.efforts)


def test_efforts_of_motor_currents_are_doubted(arm):
    verdict = verdict_of(arm, efforts=0.1 * arm.recording.efforts)
    assert "robots have 150 to 8000" in verdict.reasons[0]


def test_efforts_of_another_motion_are_refused(arm):
    efforts = np.random.default_rng(0).permutation(arm.recording.efforts)
    with pytest.raises(InputError, match="do not follow from the motion"):
        verdict_of(arm, efforts=efforts)


def test_late_efforts_are_named(arm):
    late = np.vstack([arm.recording.efforts[:1].repeat(8, 0), arm.recording.efforts[:-8]])
    verdict = verdict_of(arm, efforts=late)
    late = next(one for one in verdict.reasons if "ms after the positions" in one)
    assert "efforts come about" in late and "±" in late


def test_no_delay_is_accepted_that_is_long_beside_the_motion(found):
    change = np.gradient(found.problem.regressor @ found.posterior.parameters, axis=0)
    interval = np.median(np.diff(found.problem.times))
    efforts = found.problem.efforts - 60.0 / interval * change
    late = replace(found, problem=replace(found.problem, efforts=efforts))
    assert effort_delay(late)[0] > 30.0
    (reason,) = late_reasons(late, LinkOptions())
    assert "efforts come more than" in reason and "or do not follow" in reason


def test_a_motion_of_one_joint_is_doubtful(arm):
    still = arm.recording.positions.copy()
    still[:, 1:] = 0.4
    rng = np.random.default_rng(0)
    efforts = arm.recording.efforts * [1, 0, 0] + [0, 9, 1] + 0.01 * rng.normal(size=still.shape)
    verdict = verdict_of(arm, positions=still, efforts=efforts)
    assert any("the motion shows" in one and "of roll" in one for one in verdict.reasons)


def test_a_silent_joint_counts_by_its_motion_only(arm):
    out = identify_links(arm.recording, arm.urdf, arm.shapes, silent_joints=("roll",))
    assert out.heard == ("yaw", "pitch")
    assert out.identifiability.sources[out.model.names.index("friction roll")] == "prior"


def test_no_joint_that_counts_is_refused(arm):
    with pytest.raises(InputError, match="no effort of yaw, pitch, roll counts"):
        identify_links(arm.recording, arm.urdf, arm.shapes, silent_joints=("yaw", "pitch", "roll"))


def test_a_payload_that_was_weighed_keeps_its_mass(arm):
    true = arm.truth[30:40]
    shapes = LinkShapes(
        {**arm.shapes.solids, "tool": true},
        {"tool": np.diag(np.maximum((1e-3 * np.abs(true)) ** 2, 1e-12))},
    )
    out = identify_links(arm.recording, arm.urdf, shapes)
    assert out.link_parameters[3, 0] == pytest.approx(true[0], rel=0.01)


def test_the_best_swing_shows_of_what_is_least_known(found):
    best = informative_swings(
        found.model, found.posterior.covariance, found.noise, SwingOptions(named=3)
    )
    assert len({one.joint for one in best}) == 3
    assert best[0].information >= best[-1].information > 0


def test_information_is_the_logarithm_of_the_volume():
    rows = np.random.default_rng(0).normal(size=(4, 1, 3))
    gain, left = expected_information(rows, np.eye(3), np.ones(1))
    matrix = rows.reshape(4, 3)
    np.testing.assert_allclose(left, np.linalg.inv(np.eye(3) + matrix.T @ matrix), atol=1e-12)
    assert gain == pytest.approx(-np.linalg.slogdet(left)[1] / 2)


def test_the_prior_is_the_solid_and_turns_with_it():
    solid = parameters_from(2.0, np.array([0.1, 0, 0]), np.diag([0.01, 0.02, 0.025]))
    prior = link_prior(solid[None], np.ones(1), np.zeros(1, bool), PriorOptions())
    np.testing.assert_allclose(prior.parameters(np.zeros(11))[:10], solid, atol=1e-12)
    step = 1e-6 * np.arange(1, 12)
    difference = (prior.parameters(step) - prior.parameters(-step)) / 2
    np.testing.assert_allclose(
        prior.jacobian(np.zeros(11)) @ step, difference, rtol=1e-4, atol=1e-10
    )


def test_noise_is_shown_from_that_of_the_motion_and_its_correlation_is_counted():
    rng = np.random.default_rng(0)
    other = np.linspace(0, 9, 4000)[:, None]
    white = rng.normal(size=(4000, 1)) * np.sqrt(4 + other)
    found = effort_noise(white, other, np.array([0]))
    assert found.std[0] == pytest.approx(2, rel=0.1)
    assert found.repeats[0] < 1.5
    slow = np.repeat(rng.normal(size=(400, 1)), 10, axis=0)
    assert effort_noise(slow, 0 * other, np.array([0])).repeats[0] == pytest.approx(10, rel=0.4)
