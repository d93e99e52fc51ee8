import numpy as np
import pytest
from sampled_shapes import angle_between, random_twists

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.common.screw_chain import ScrewChain
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.structure.candidate_tree import (
    body_gaps,
    build_tree,
    chain_tree,
    motor_fits,
)
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

FRAMES, NOISE, SPACING = 6, 1e-3, 0.01
CHAIN, STAR = np.array([0, 1, 2]), np.array([0, 0, 0])


def motion_of(parents, seed, coaxial=False):
    """Four bodies on random axes, as they would be tracked, and the model and its values."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(len(parents), 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    twists = revolute_twist(axes, rng.uniform(-0.4, 0.4, axes.shape))
    twists = np.tile(twists[0], (len(parents), 1)) if coaxial else twists
    model = Articulation(parents, twists, np.ones(len(parents), dtype=bool), np.zeros_like(axes))
    values = rng.uniform(-0.6, 0.6, (FRAMES, len(parents)))
    poses = body_poses(model, values, np.tile(np.eye(4), (FRAMES, 1, 1)))
    count = len(parents) + 1
    poses = exp_se3(random_twists(rng, FRAMES, count, size=1e-4)) @ poses
    information = np.tile(100 * np.eye(6), (FRAMES, count, 1, 1))
    return Bodies(poses, information, np.full((FRAMES, count), 100.0)), model, values


def shuffled(bodies, order):
    return Bodies(bodies.poses[:, order], bodies.information[:, order], bodies.weights[:, order])


def parents_by_label(tree, order):
    """Parent of every body but the root, in the numbering before the shuffle."""
    names = np.asarray(order)[tree.bodies]
    return {int(names[j + 1]): int(names[p]) for j, p in enumerate(tree.parents)}


@pytest.mark.parametrize("parents", [CHAIN, STAR])
@pytest.mark.parametrize("seed", range(4))
def test_right_parents_whatever_the_numbering(parents, seed):
    bodies, model, values = motion_of(parents, seed)
    order = np.random.default_rng(seed).permutation(4)
    tree = build_tree(
        shuffled(bodies, order),
        np.zeros((4, 4)),
        root=int(np.flatnonzero(order == 0)[0]),
        noise=NOISE,
        spacing=SPACING,
    )
    assert parents_by_label(tree, order) == {j + 1: int(p) for j, p in enumerate(parents)}
    assert (tree.parents <= np.arange(3)).all()
    assert tree.revolute.all()
    assert (tree.margins > 3).all()
    assert not tree.motors.unexplained_shares.any()
    assert (tree.motors.columns == -1).all()
    for joint, body in enumerate(order[tree.bodies[1:]]):
        assert angle_between(tree.twists[joint, :3], model.twists[body - 1, :3]) < 0.01
        np.testing.assert_allclose(
            np.abs(tree.values[:, joint]), np.abs(values[:, body - 1]), atol=0.005
        )


def test_a_sliding_body_hangs_on_a_prismatic_joint():
    slide = np.array([0, 0, 0, 0.6, 0, 0.8])
    poses = np.tile(np.eye(4), (FRAMES, 2, 1, 1))
    values = np.linspace(0.02, 0.2, FRAMES)
    poses[:, 1] = exp_se3(values[:, None] * slide)
    bodies = Bodies(poses, np.tile(100 * np.eye(6), (FRAMES, 2, 1, 1)), np.ones((FRAMES, 2)))
    tree = build_tree(bodies, np.zeros((2, 2)), root=0, noise=NOISE, spacing=SPACING)
    assert not tree.revolute[0]
    np.testing.assert_allclose(np.abs(tree.twists[0] @ slide), 1, atol=1e-6)
    np.testing.assert_allclose(np.abs(tree.values[:, 0]), values, atol=1e-4)


def test_bodies_that_do_not_touch_are_unlikely_neighbours():
    bodies, _, _ = motion_of(np.array([0, 1]), 0, coaxial=True)
    gaps = np.zeros((3, 3))
    gaps[1, 2] = gaps[2, 1] = 10 * SPACING
    tree = build_tree(bodies, gaps, root=0, noise=NOISE, spacing=SPACING)
    assert tree.parents.tolist() == [0, 0]


def test_readings_show_which_of_two_coaxial_parents_is_right():
    bodies, _, values = motion_of(np.array([0, 1]), 0, coaxial=True)
    gaps = np.zeros((3, 3))
    gaps[1, 2] = gaps[2, 1] = 2.2 * SPACING
    guess = build_tree(bodies, gaps, root=0, noise=NOISE, spacing=SPACING)
    read = build_tree(bodies, gaps, root=0, noise=NOISE, spacing=SPACING, readings=-2 * values)
    assert parents_by_label(guess, range(3)) == {1: 0, 2: 0}
    assert parents_by_label(read, range(3)) == {1: 0, 2: 1}
    assert (read.motors.unexplained_shares < 0.02).all()
    np.testing.assert_array_equal(read.motors.columns, read.bodies[1:] - 1)
    np.testing.assert_allclose(np.abs(read.motors.ratios), 0.5, atol=0.01)
    assert read.margins.min() > guess.margins.min()


def test_a_joint_gets_the_motor_that_explains_most_of_it():
    rng = np.random.default_rng(0)
    readings = rng.normal(size=(50, 2))
    free = rng.normal(size=50)
    values = np.stack([-3 * readings[:, 1], readings[:, 0] + 0.1 * free, free], axis=1)
    fits = motor_fits(values, readings)
    assert fits.columns[:2].tolist() == [1, 0]
    assert fits.ratios[0] == pytest.approx(-3)
    assert fits.ratios[1] == pytest.approx(1, abs=0.05)
    picked = fits.of(np.array([2, 0]))
    assert picked.columns.tolist() == fits.columns[[2, 0]].tolist()
    assert picked.ratios.tolist() == fits.ratios[[2, 0]].tolist()
    assert picked.unexplained_shares.tolist() == fits.unexplained_shares[[2, 0]].tolist()


def test_unexplained_share_is_what_no_motor_explains():
    rng = np.random.default_rng(0)
    readings = rng.normal(size=(50, 2))
    free = rng.normal(size=50)
    values = np.stack([3 * readings[:, 1], readings.sum(axis=1), free], axis=1)
    fits = motor_fits(values, readings)
    assert fits.unexplained_shares[0] < 1e-6
    assert 0.4 < fits.unexplained_shares[1] < 0.9
    assert fits.unexplained_shares[2] > 0.9
    rest = values - readings[:, fits.columns] * fits.ratios
    np.testing.assert_allclose(
        fits.unexplained_shares,
        np.linalg.norm(rest, axis=0) / np.linalg.norm(values, axis=0),
        atol=1e-6,
    )
    np.testing.assert_allclose(motor_fits(values, np.zeros((50, 1))).unexplained_shares, 1)


@pytest.mark.parametrize("readings", [None, np.zeros((4, 0))])
def test_without_readings_no_joint_has_a_motor(readings):
    fits = motor_fits(np.ones((4, 3)), readings)
    assert fits.columns.tolist() == [-1] * 3
    assert not fits.ratios.any() and not fits.unexplained_shares.any()


def test_the_tree_of_a_chain_is_the_chain():
    bodies, model, values = motion_of(CHAIN, 1)
    twists, types = 0.5 * model.twists, ("revolute",) * 3
    chain = ScrewChain(1.0, tuple(CHAIN.tolist()), (2, 0, 1), twists, types)
    readings = 2 * values[:, [1, 2, 0]]  # of the motors 2, 0, 1
    tree = chain_tree(
        chain, bodies, np.zeros((4, 4)), noise=NOISE, spacing=SPACING, readings=readings
    )
    assert tree.bodies.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(tree.parents, CHAIN)
    np.testing.assert_allclose(tree.twists, model.twists)
    np.testing.assert_allclose(tree.values, values)
    assert tree.revolute.all()
    assert tree.motors.columns.tolist() == [2, 0, 1]
    np.testing.assert_allclose(tree.motors.ratios, 0.5)
    assert not tree.motors.unexplained_shares.any()
    built = build_tree(bodies, np.zeros((4, 4)), root=0, noise=NOISE, spacing=SPACING)
    np.testing.assert_allclose(tree.costs, built.costs[np.argsort(built.bodies[1:])])
    assert (tree.margins > 3).all()


def test_the_margins_of_a_chain_show_that_another_tree_fits_better():
    bodies, model, values = motion_of(CHAIN, 1)
    chain = ScrewChain(1.0, (0, 1, 1), (0, 1, 2), model.twists, ("revolute",) * 3)
    tree = chain_tree(
        chain, bodies, np.zeros((4, 4)), noise=NOISE, spacing=SPACING, readings=values
    )
    assert tree.margins[2] < 1 < tree.margins[0]


def test_a_motor_that_turns_a_joint_explains_no_other():
    """A round link turns about its parent's axis as far as its surface shows."""
    rng = np.random.default_rng(0)
    axes, points = np.array([[0, 0, 1.0], [1.0, 0, 0]]), np.zeros((2, 3))
    twists = revolute_twist(axes, points)
    model = Articulation(
        np.array([0, 1]), twists, np.ones(2, dtype=bool), np.array([[0, 0, 0.1], [0.2, 0, 0.1]])
    )
    values = rng.uniform(-0.6, 0.6, (FRAMES, 2))
    poses = body_poses(model, values, np.tile(np.eye(4), (FRAMES, 1, 1)))
    poses = exp_se3(random_twists(rng, FRAMES, 3, size=1e-4)) @ poses
    information = np.tile(100 * np.eye(6), (FRAMES, 3, 1, 1))
    information[:, 2, 0, 0] = 5e-5  # the spin of the last link
    bodies = Bodies(poses, information, np.full((FRAMES, 3), 100.0))
    chain = ScrewChain(1.0, (0, 1), (0, 1), twists, ("revolute",) * 2)
    tree = chain_tree(
        chain, bodies, np.zeros((3, 3)), noise=NOISE, spacing=SPACING, readings=values
    )
    assert tree.margins[1] > 30


def test_a_chain_of_sliding_joints_has_values_in_engine_units():
    slide = np.array([0, 0, 0, 0.6, 0, 0.8])
    readings = np.linspace(0.02, 0.2, FRAMES)[:, None]
    metre = 2.5
    poses = np.tile(np.eye(4), (FRAMES, 2, 1, 1))
    poses[:, 1] = exp_se3(metre * readings * slide)
    bodies = Bodies(poses, np.tile(100 * np.eye(6), (FRAMES, 2, 1, 1)), np.ones((FRAMES, 2)))
    chain = ScrewChain(metre).with_joint(0, 0, metre * slide, "prismatic")
    tree = chain_tree(
        chain, bodies, np.zeros((2, 2)), noise=NOISE, spacing=SPACING, readings=readings
    )
    assert not tree.revolute[0]
    np.testing.assert_allclose(tree.twists[0], slide)
    np.testing.assert_allclose(tree.values, metre * readings)
    np.testing.assert_allclose(tree.motors.ratios, metre)


def test_gaps_are_distances_between_bodies():
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), -1).reshape(-1, 3) * 0.01
    points = np.concatenate([grid, grid + np.array([0.05, 0, 0]), grid + np.array([0.5, 0, 0])])
    gaps = body_gaps(points, np.repeat([0, 1, 2], len(grid)), 3)
    np.testing.assert_allclose(gaps, gaps.T)
    assert gaps[0, 1] == pytest.approx(0.02)
    assert gaps[1, 2] == pytest.approx(0.42)
    # One stray point does not make bodies touch.
    stray = np.concatenate([points, [[0.49, 0, 0]]])
    labels = np.append(np.repeat([0, 1, 2], len(grid)), 0)
    assert body_gaps(stray, labels, 3)[0, 2] > 0.1
