"""Which cause explains given sums, without clouds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_scene import camera_poses
from watched_arm import CAMERAS, model, path

from autourdf_ros.monitoring.diagnosis.baseline import learn_baseline, posterior
from autourdf_ros.monitoring.diagnosis.cause_ranking import explanations, statistics
from autourdf_ros.monitoring.diagnosis.cause_refinement import ranked
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.linear_system import linear_system, observation_sums
from autourdf_ros.monitoring.observing.observation_comparison import Comparison, CroppedObservation
from autourdf_ros.monitoring.observing.surface_cells import cell_sums

MODEL = model()
CAUSES = Causes(MODEL, CAMERAS)
SEGMENTS = len(MODEL.segments)


def comparisons(parameters, count=6, seed=0, noise=1.0):
    """What would be seen with the causes' parameters (P,), and noise of one mm a point."""
    rng = np.random.default_rng(seed)
    places, triangles = MODEL.samples
    normals = MODEL.normals[triangles]
    rows = np.concatenate([np.cross(places, normals), normals], axis=1)
    owner = MODEL.owner[triangles]
    for number, values in enumerate(path(count, seed)):
        for camera, name in enumerate(CAMERAS):
            pose = camera_poses(2)[camera]
            none, points = np.zeros(SEGMENTS, int), np.zeros((0, 3), np.float32)
            stamp, poses = number / 5, MODEL.poses(values)
            observation = CroppedObservation(
                stamp,
                name,
                values,
                0 * values,
                poses,
                pose,
                points,
                points[:, 0],
                points,
                none,
                none,
            )
            twists = CAUSES.twists(observation) @ parameters
            seen = rng.permutation(len(rows))[:400]
            chosen, own = rows[seen], owner[seen]
            off = np.einsum("ni,ni->n", chosen, twists[own])
            off = off + rng.normal(0, noise * 1e-3, len(chosen))
            information, gradient = np.zeros((SEGMENTS, 6, 6)), np.zeros((SEGMENTS, 6))
            np.add.at(information, own, chosen[:, :, None] * chosen[:, None])
            np.add.at(gradient, own, chosen * off[:, None])
            squares = np.bincount(own, off**2, SEGMENTS)
            counts = np.bincount(own, minlength=SEGMENTS).astype(float)
            ones = np.ones(len(own))
            cells = cell_sums(own, places[seen], normals[seen], chosen, off, ones, 0.02)
            yield Comparison(
                observation, information, gradient, squares, counts, counts, points, cells
            )


BASELINE = learn_baseline(CAUSES, list(comparisons(np.zeros(CAUSES.count), seed=1)))


def explained(parameters, seed):
    sums = [observation_sums(CAUSES, one, BASELINE) for one in comparisons(parameters, seed=seed)]
    return explanations(CAUSES, linear_system(sums, len(CAMERAS)), BASELINE)


@settings(max_examples=5)
@given(st.integers(10, 10**6))
def test_nothing_is_no_cause(seed):
    assert explained(np.zeros(CAUSES.count), seed)[0].log_odds < 5


@pytest.mark.parametrize("kind", ["joint_zero", "joint_axis", "camera_pose", "sag"])
def test_every_subject_is_reported_with_its_parameters(kind):
    for cause in CAUSES.table:
        if cause.kind != kind:
            continue
        rng = np.random.default_rng(cause.columns.start)
        parameters = np.zeros(CAUSES.count)
        way = rng.normal(size=len(cause.changed))
        parameters[cause.columns] = cause.changed * way / np.linalg.norm(way)
        found = explained(parameters, 5)
        best = ranked(found, found[0].log_evidence - found[0].log_odds)[0]
        assert best.cause.named == cause.named
        off = best.parameters - parameters[cause.columns]
        # Within its deviation; the baseline's covariance draws a linear estimate to zero.
        assert (np.abs(off) < 4 * np.sqrt(np.diag(best.covariance)) + 0.1 * cause.changed).all()


def test_base_is_all_cameras_and_link_shape_is_beyond():
    for kind, subjects in (("base_pose", {"base"}), ("link_shape", {"column", "arm"})):
        for cause in CAUSES.table:
            if cause.kind == kind and cause.subject in subjects:
                parameters = np.zeros(CAUSES.count)
                parameters[cause.columns] = 0.3 * cause.changed
                found = explained(parameters, 6)
                assert any(
                    one.cause is cause and one.log_odds > 0.9 * found[0].log_odds
                    for one in found[:6]
                )


def test_the_baseline_raises_no_alarm():
    off = np.zeros(CAUSES.count)
    camera = next(cause for cause in CAUSES.table if cause.named == ("camera_pose", "left"))
    off[camera.columns] = 0.8 * camera.known
    baseline = learn_baseline(CAUSES, list(comparisons(off, seed=2)))
    assert np.abs(baseline.parameters[camera.columns] - off[camera.columns]).max() < 3e-3
    sums = [observation_sums(CAUSES, one, baseline) for one in comparisons(off, seed=3)]
    system = linear_system(sums, len(CAMERAS))
    assert explanations(CAUSES, system, baseline)[0].log_odds < 5
    assert statistics(system, baseline).max() < 4
    changed = [observation_sums(CAUSES, one, baseline) for one in comparisons(0 * off, seed=3)]
    assert statistics(linear_system(changed, len(CAMERAS)), baseline).max() > 0


@given(st.integers(0, 1000))
def test_posterior_is_least_squares_with_a_prior(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(8, 4))
    data, covariance = rng.normal(size=8), np.diag(rng.uniform(0.1, 2, 4))
    mean, after = posterior(rows.T @ rows, rows.T @ data, covariance)
    direct = np.linalg.inv(rows.T @ rows + np.linalg.inv(covariance))
    np.testing.assert_allclose(after, direct, atol=1e-9)
    np.testing.assert_allclose(mean, direct @ rows.T @ data, atol=1e-9)
    covariance[1, 1] = 0.0
    mean, after = posterior(rows.T @ rows, rows.T @ data, covariance)
    assert mean[1] == 0
    assert not after[1].any()
