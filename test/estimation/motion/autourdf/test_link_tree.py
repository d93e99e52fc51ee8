import numpy as np
from hinged import ANGLES, AXIS, PLACE, hinge, tracks

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.motion.autourdf.link_tree import link_tree, rigid_motions
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, transform

RNG = np.random.default_rng(0)


def test_a_links_motion_is_that_of_its_points():
    own, links = tracks(RNG)
    clusters = np.repeat(np.arange(20), 8)
    points = own.centres[clusters] + 0.05 * RNG.normal(size=(160, 3))
    motions = rigid_motions(points, clusters, links, own.poses)
    np.testing.assert_allclose(motions[:, 0], np.tile(np.eye(4), (2, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(motions[:, 1], hinge(), atol=1e-12)


def test_clusters_that_disagree_are_averaged_and_stay_a_rigid_motion():
    own, links = tracks(RNG)
    noisy = own.poses @ exp_se3(0.005 * RNG.normal(size=(2, 20, 6)))
    clusters = np.repeat(np.arange(20), 8)
    points = own.centres[clusters] + 0.05 * RNG.normal(size=(160, 3))
    motions = rigid_motions(points, clusters, links, noisy)
    np.testing.assert_allclose(motions[:, 1], hinge(), atol=0.06)
    np.testing.assert_allclose(np.linalg.det(motions[..., :3, :3]), 1.0)


def test_the_tree_hangs_on_what_stands_and_has_the_hinge():
    points = RNG.uniform(0, 0.4, (100, 3)) + np.repeat([0.0, 0.6], 50)[:, None] * (1, 0, 0)
    # The body that turns comes first; the whole scene is moved from frame to frame.
    links = np.repeat([1, 0], 50)
    base = exp_se3(0.01 * RNG.normal(size=(2, 6)))
    motions = np.stack([base @ hinge(), base], axis=1)
    tree = link_tree(points, links, motions, np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert tree.links.tolist() == [1, 0] and tree.model.parents.tolist() == [0]
    sign = np.sign(tree.model.twists[0, :3] @ AXIS)
    np.testing.assert_allclose(sign * tree.model.twists[0, :3], AXIS, atol=1e-6)
    foot = line_point(tree.model.twists[0])
    np.testing.assert_allclose(np.cross(PLACE - foot, AXIS), 0.0, atol=1e-6)
    np.testing.assert_allclose(sign * tree.values[:, 0], ANGLES, atol=1e-6)
    np.testing.assert_allclose(tree.base, base)


def test_neighbours_are_joined():
    points = RNG.uniform(0, 0.3, (120, 3)) + np.repeat(np.arange(4), 30)[:, None] * (0.4, 0, 0)
    links = np.repeat(np.arange(4), 30)
    steps = exp_se3(np.array([0, 0, 0.3, 0, 0, 0]) * np.arange(1, 4)[:, None])
    motions = [np.tile(np.eye(4), (3, 1, 1))]
    for number in range(1, 4):
        at = np.tile(np.eye(4), (1, 1))
        at[:3, 3] = (0.4 * number, 0.1 * number, 0.0)
        motions.append(motions[-1] @ at @ steps @ inverse(at[None]))
    places = np.array([points[links == link].mean(axis=0) for link in range(4)])
    gaps = np.linalg.norm(places[:, None] - places, axis=2)
    tree = link_tree(points, links, np.stack(motions, axis=1), gaps)
    assert tree.links.tolist() == [0, 1, 2, 3] and tree.model.parents.tolist() == [0, 1, 2]
    moved = transform(motions[3][-1], points[links == 3])
    assert np.isfinite(moved).all()
