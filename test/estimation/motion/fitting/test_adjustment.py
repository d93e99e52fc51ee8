from dataclasses import replace

import numpy as np
import pytest
import trimesh
from sampled_shapes import angle_between, box, merged_cloud

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.motion.fitting.adjustment import MatchSchedule, adjust
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses, move_lines
from autourdf_ros.estimation.motion.fitting.frame_fit import (
    ArticulatedSurface,
    BasePrior,
    States,
    fit_frame,
    frame_equations,
)
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.surface_comparison import KeySurface, robust_deviation
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, revolute_twist, transform

STILL = BasePrior(0.0, 0.0)
SHAPES = [
    box((0.3, 0.3, 0.1)),
    box((0.1, 0.12, 0.3), (0, 0, 0.21)),
    box((0.4, 0.08, 0.1), (0.2, 0, 0.42)),
]
VALUES = np.array([[0.2, -0.15], [0.35, 0.2], [-0.3, 0.3], [-0.15, -0.35]])
KERNELS = np.geomspace(0.02, 0.004, 8)
UNSET = BasePrior(0.0, np.inf)


def adjusted_to(model, surface, frames, states, *, gate, kernels, prior, noise, **options):
    target = ArticulatedSurface(model, surface, prior, noise)
    return adjust(target, frames, states, MatchSchedule(gate, kernels), **options)


def robot(second="revolute"):
    """Two joints on three boxes: about z, and about or along y."""
    across = np.array([0.0, 1, 0])
    last = revolute_twist(across, np.array([0, 0, 0.4]))
    if second == "prismatic":
        last = np.array([0, 0, 0, 1.0, 0, 0])
    twists = np.stack([revolute_twist(np.array([0.0, 0, 1]), np.zeros(3)), last])
    anchors = np.array([[0, 0, 0.05], [0, 0, 0.4]])
    return Articulation(np.array([0, 1]), twists, np.array([True, second == "revolute"]), anchors)


def scene(model, values, base=None):
    """The robot's surface, and its frames at joint values (F, 2)."""
    base = np.tile(np.eye(4), (len(values), 1, 1)) if base is None else base
    reference, labels = merged_cloud(SHAPES, np.tile(np.eye(4), (3, 1, 1)), 700, 0)
    frames = [
        merged_cloud(SHAPES, poses, 700, 1 + i)[0]
        for i, poses in enumerate(body_poses(model, values, base))
    ]
    return surface_of(reference, labels), frames, States(values, base)


@pytest.mark.parametrize("second", ["revolute", "prismatic"])
def test_perturbed_axes_are_pulled_back(second):
    truth = robot(second)
    values = VALUES if second == "revolute" else VALUES * [1, 0.2]
    surface, frames, states = scene(truth, values)
    steps = np.array([[0.06, -0.04, 0.008, -0.01], [-0.05, 0.06, 0.01, 0.008]])
    wrong = move_lines(truth, steps)
    start = States(values + 0.02 * np.sign(values), states.base)
    result = adjusted_to(
        wrong, surface, frames, start, gate=0.04, kernels=KERNELS, prior=STILL, noise=5e-4
    )
    for j in range(2):
        part = slice(0, 3) if truth.revolute[j] else slice(3, 6)
        before = angle_between(wrong.twists[j, part], truth.twists[j, part])
        after = angle_between(result.model.twists[j, part], truth.twists[j, part])
        assert after < 0.005 < 0.05 < before
        if truth.revolute[j]:
            axis = truth.twists[j, :3]
            off = line_point(result.model.twists[j]) - line_point(truth.twists[j])
            assert np.linalg.norm(off - (off @ axis) * axis) < 0.001
    np.testing.assert_allclose(result.states.values, values, atol=0.006)
    assert result.noise < 0.002
    assert np.linalg.eigvalsh(result.information).min() > -1e-6 * np.trace(result.information)
    np.testing.assert_allclose(result.states.base, states.base, atol=1e-9)


def test_a_base_that_shifts_is_followed():
    truth = robot()
    shifts = np.zeros((4, 6))
    shifts[:, 3:] = np.random.default_rng(0).uniform(-0.02, 0.02, (4, 3))
    surface, frames, states = scene(truth, VALUES, exp_se3(shifts))
    start = States(VALUES, np.tile(np.eye(4), (4, 1, 1)))
    result = adjusted_to(
        truth, surface, frames, start, gate=0.06, kernels=KERNELS, prior=UNSET, noise=5e-4
    )
    np.testing.assert_allclose(result.states.base, states.base, atol=1e-3)


def test_one_frame_finds_its_joint_values():
    truth = robot()
    surface, frames, _ = scene(truth, VALUES[:1])
    start = States(np.zeros((1, 2)), np.eye(4)[None])
    found = fit_frame(
        ArticulatedSurface(truth, surface, STILL, 5e-4),
        frames[0],
        start,
        gates=np.geomspace(0.05, 0.005, 12),
    )
    np.testing.assert_allclose(found.values, VALUES[:1], atol=0.005)
    np.testing.assert_allclose(found.base[0], np.eye(4), atol=1e-6)


def test_the_true_model_leaves_only_noise():
    truth = robot()
    surface, frames, states = scene(truth, VALUES[:1])
    poses = body_poses(truth, states.values, states.base)[0]
    _, _, matches = frame_equations(
        surface, poses, frames[0], gate=0.02, kernel=0.01, directions="both"
    )
    right = robust_deviation(matches)
    wrong = body_poses(truth, states.values + 0.1, states.base)[0]
    _, _, strange = frame_equations(
        surface, wrong, frames[0], gate=0.02, kernel=0.01, directions="both"
    )
    assert right < 1.2e-3 < robust_deviation(strange)


def test_without_matches_there_is_no_deviation():
    truth = robot()
    surface, frames, _ = scene(truth, VALUES[:1])
    away = replace(surface, points=surface.points + 5)
    poses = np.tile(np.eye(4), (3, 1, 1))
    information, gradient, matches = frame_equations(
        away, poses, frames[0], gate=0.02, kernel=0.01, directions="both"
    )
    assert not information.any() and not gradient.any()
    assert np.isnan(robust_deviation(matches))


def test_a_value_that_the_surface_does_not_show_follows_its_motor():
    """The spin of a rod is invisible; what is visible outweighs a reading that is wrong."""
    model = robot()
    rod = trimesh.creation.cylinder(0.05, 0.3, sections=96)
    rod.apply_translation((0, 0, 0.21))
    shapes = [SHAPES[0], rod, SHAPES[2]]
    still = np.tile(np.eye(4), (3, 1, 1))
    reference, labels = merged_cloud(shapes[:2], still[:2], 700, 0)
    only = Articulation(np.array([0]), model.twists[:1], model.revolute[:1], model.anchors[:1])
    values = VALUES[:, :1]
    base = np.tile(np.eye(4), (len(values), 1, 1))
    frames = [
        merged_cloud(shapes[:2], poses, 700, 1 + i)[0]
        for i, poses in enumerate(body_poses(only, values, base))
    ]
    options = {"gate": 0.04, "kernels": KERNELS, "prior": STILL, "noise": 5e-4}
    start = States(np.zeros_like(values), base)
    surface = surface_of(reference, labels)
    read = adjusted_to(only, surface, frames, start, expected=values, **options)
    np.testing.assert_allclose(read.states.values, values, atol=0.02)
    unread = adjusted_to(only, surface, frames, start, **options)
    assert np.abs(unread.states.values - values).max() > 0.1

    surface, frames, states = scene(model, VALUES)
    wrong = VALUES + np.array([0.05, np.nan])
    seen = adjusted_to(model, surface, frames, states, expected=wrong, **options)
    np.testing.assert_allclose(seen.states.values, VALUES, atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("read", [True, False])
def test_key_frames_average_the_noise_of_the_reference(read):
    model = robot()
    rng = np.random.default_rng(4)
    values = rng.uniform(-0.4, 0.4, (8, 2))
    surface, frames, states = scene(model, values)
    rough = replace(surface, points=surface.points + rng.normal(0, 2e-3, surface.points.shape))
    poses = body_poses(model, states.values, states.base)
    labels = [merged_cloud(SHAPES, pose, 700, 1 + f)[1] for f, pose in enumerate(poses)]
    keys = [KeySurface(surface_of(frames[f], labels[f]), f) for f in range(4)]
    expected = values if read else None

    def error(keys):
        result = adjusted_to(
            model,
            rough,
            frames,
            states,
            gate=0.04,
            kernels=np.full(8, 0.004),
            prior=UNSET,
            noise=5e-4,
            keys=keys,
            expected=expected,
        )
        off = [
            angle_between(a[:3], b[:3])
            for a, b in zip(result.model.twists, model.twists, strict=True)
        ]
        return max(off), result

    alone, _ = error([])
    together, result = error(keys)
    assert together < 0.7 * alone
    assert np.isfinite(result.information).all()
    assert (np.linalg.eigvalsh(result.information) > 0).all()
    np.testing.assert_allclose(result.states.values, values, atol=0.01)


def test_one_key_that_repeats_the_reference_changes_nothing():
    model = robot()
    surface, frames, states = scene(model, VALUES)
    frames = [merged_cloud(SHAPES, np.tile(np.eye(4), (3, 1, 1)), 700, 0)[0], *frames]
    values = np.concatenate([np.zeros((1, 2)), VALUES])
    states = States(values, np.tile(np.eye(4), (5, 1, 1)))
    options = {"gate": 0.04, "kernels": np.full(6, 0.004), "prior": STILL, "noise": 5e-4}
    alone = adjusted_to(model, surface, frames, states, **options)
    twice = adjusted_to(model, surface, frames, states, keys=[KeySurface(surface, 0)], **options)
    np.testing.assert_allclose(twice.model.twists, alone.model.twists, atol=2e-3)


@pytest.mark.slow
def test_values_scatter_as_their_variances_say():
    """Frames of one true state, each with noise of its own; the reference's is left out of it."""
    truth, count, sigma = robot(), 24, 1e-3
    values = np.tile(VALUES[0], (count, 1))
    poses = body_poses(truth, values, np.tile(np.eye(4), (count, 1, 1)))
    reference, labels = merged_cloud(SHAPES, poses[0], 700, 0)
    rng = np.random.default_rng(1)
    frames = [
        prepare_cloud(reference.points + rng.normal(0, sigma, reference.points.shape))
        for _ in range(count)
    ]
    back = inverse(poses[0])[labels]
    surface = surface_of(prepare_cloud(transform(back, reference.points)), labels)
    start = States(values, np.tile(np.eye(4), (count, 1, 1)))
    result = adjusted_to(
        truth, surface, frames, start, gate=0.04, kernels=KERNELS, prior=STILL, noise=sigma
    )
    expected = result.noise * np.sqrt(result.value_variances)
    scatter = result.states.values.std(axis=0)
    assert expected.shape == (count, 2)
    assert (scatter < 2.0 * np.median(expected, axis=0)).all()
    assert (scatter > 0.2 * np.median(expected, axis=0)).all()


def test_anchors_stay_on_their_axes():
    truth = robot()
    moved = move_lines(truth, np.array([[0.1, -0.05, 0.02, 0.03], [0.04, 0.08, -0.01, 0.02]]))
    on_line = line_point(moved.twists)
    off = moved.anchors - on_line
    along = np.einsum("ji,ji->j", off, moved.twists[:, :3])
    np.testing.assert_allclose(off, along[:, None] * moved.twists[:, :3], atol=1e-12)
    assert np.linalg.norm(moved.anchors - truth.anchors, axis=1).max() < 0.06


def test_known_lines_stay_and_make_values_as_uncertain_as_they_are():
    truth = robot()
    surface, frames, states = scene(truth, VALUES)
    options = {"gate": 0.04, "prior": STILL, "noise": 5e-4}
    whole = adjusted_to(truth, surface, frames, states, kernels=KERNELS, **options)
    start = States(whole.states.values + 0.02, whole.states.base)
    found = adjusted_to(
        whole.model, surface, frames, start, kernels=KERNELS, known=whole.information, **options
    )
    np.testing.assert_allclose(found.model.twists, whole.model.twists, atol=1e-12)
    np.testing.assert_allclose(found.states.values, whole.states.values, atol=1e-4)
    np.testing.assert_array_equal(found.information, whole.information)
    np.testing.assert_allclose(found.value_variances, whole.value_variances, rtol=0.05)
    surer = adjusted_to(
        whole.model,
        surface,
        frames,
        start,
        kernels=KERNELS,
        known=100 * whole.information,
        **options,
    )
    assert (surer.value_variances < found.value_variances).all()


def test_a_waist_of_three_joints_whose_links_are_unseen_is_not_twisted_away():
    """Only the torso shows how they turned: undamped steps took it far from where it was."""
    shapes = [SHAPES[0], box((0.3, 0.2, 0.5), (0, 0, 0.4))]
    centre = np.array([0, 0, 0.1])
    turns = np.random.default_rng(2).uniform(-0.4, 0.4, (8, 3))
    ones, still = np.ones(3, dtype=bool), np.tile(np.eye(4), (8, 1, 1))
    axes = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])

    def waist(axes):
        twists = revolute_twist(axes, np.array([centre, centre + 1e-3, centre]))
        return Articulation(np.arange(3), twists, ones, np.tile(centre, (3, 1)))

    poses = body_poses(waist(axes), turns, still)
    reference, labels = merged_cloud(shapes, np.tile(np.eye(4), (2, 1, 1)), 700, 0)
    frames = [merged_cloud(shapes, pose[[0, 3]], 700, 1 + f)[0] for f, pose in enumerate(poses)]
    surface = surface_of(reference, np.where(labels == 1, 3, 0))
    # Other axes explain the torso nearly as well.
    other = waist(axes @ exp_se3(np.array([0.3, -0.3, 0.3, 0, 0, 0]))[:3, :3])
    fitted = [
        fit_frame(
            ArticulatedSurface(other, surface, STILL, 5e-4),
            frame,
            States(turns[[f]], still[[f]]),
            gates=np.geomspace(0.05, 0.01, 10),
        )
        for f, frame in enumerate(frames)
    ]
    start = States(np.concatenate([found.values for found in fitted]), still)
    result = adjusted_to(
        other, surface, frames, start, gate=0.04, kernels=KERNELS, prior=STILL, noise=5e-4
    )
    found = body_poses(result.model, result.states.values, result.states.base)[:, 3]
    corners = shapes[1].vertices
    off = transform(found[:, None], corners) - transform(poses[:, 3, None], corners)
    assert np.linalg.norm(off, axis=-1).max() < 0.01
