import numpy as np
import trimesh
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import build_tree
from autourdf_ros.estimation.motion.structure.candidates.extending import (
    joints_between,
    with_intermediate_links,
)
from autourdf_ros.geometry.rigid_motion import from_translation, revolute_twist

NOISE = 7e-4


def knuckle(angles):
    """A box on a round knuckle, which turns unseen, on a plate; found as two bodies, one joint.

    angles: (F, 2) of the knuckle about z and of the box about y.
    """
    shapes = [
        box((0.3, 0.3, 0.1)),
        trimesh.creation.cylinder(0.04, 0.06, transform=from_translation(np.array([0, 0, 0.08]))),
        box((0.06, 0.08, 0.3), (0, 0, 0.27)),
    ]
    axes, points = np.array([[0, 0, 1.0], [0, 1, 0]]), np.array([[0, 0, 0], [0, 0, 0.12]])
    turns = np.ones(2, dtype=bool)
    model = Articulation(np.array([0, 1]), revolute_twist(axes, points), turns, points)
    base = np.tile(np.eye(4), (len(angles), 1, 1))
    poses = body_poses(model, angles, base)
    counts = np.array([900, 120, 700])
    reference, true = merged_cloud(shapes, np.tile(np.eye(4), (3, 1, 1)), counts, 0)
    frames = [merged_cloud(shapes, pose, counts, 1 + i)[0] for i, pose in enumerate(poses)]
    labels = np.where(true == 2, 1, 0)
    bodies = refit_bodies(reference, labels, frames, poses[:, [0, 2]], gate=0.03, still=[0])
    tree = build_tree(bodies, np.zeros((2, 2)), root=0, noise=2 * NOISE, spacing=reference.spacing)
    fitted = Articulation(tree.parents, tree.twists, tree.revolute, np.zeros((1, 3)))
    segmentation = Segmentation(labels, bodies, 0, "still", (), ())
    surface = surface_of(reference, labels)
    states = States(tree.values, base)
    found = CandidateModel(fitted, surface, states, tree, segmentation, labels)
    return model, reference, frames, found


def with_middle(angles, lost, length=1):
    model, reference, frames, found = knuckle(angles)
    neighbours = neighbour_graph(reference.points, reference.spacing)
    frame_set = FrameSet(reference, frames, neighbours, NOISE)
    before = np.full(len(reference.points), lost)
    after = with_intermediate_links(
        frame_set,
        found,
        before=before,
        lengths=np.array([length]),
    )
    return model, found, after


def test_a_round_knuckle_is_found_by_the_link_behind_it():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2))
    model, found, after = with_middle(angles, 5.0)
    assert found.model.parents.tolist() == [0]
    assert after.model.parents.tolist() == [0, 1]
    assert after.tree.bodies.tolist() == [0, -1, 1]
    axes = np.abs(np.sum(after.model.twists[:, :3] * model.twists[:, :3], axis=1))
    assert axes.min() > np.cos(np.radians(4.0))  # not adjusted yet
    assert set(np.unique(after.labels)) <= {-1, 0, 1, 2}
    assert np.mean(after.labels[found.labels == 1] == 2) > 0.9
    assert after.states.values.shape == (8, 2)


def test_a_link_that_was_explained_needs_no_more_joints():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2))
    _, found, after = with_middle(angles, 0.5)
    assert after is found


def test_a_link_that_two_joints_explained_gets_two_again():
    """An iteration that lost an intermediate link kept one joint, which explained nothing."""
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2))
    _, _, after = with_middle(angles, 0.5, length=2)
    assert after.model.parents.tolist() == [0, 1]


def test_joints_are_counted_that_a_known_model_has_between_two_links():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2))
    _, found, longer = with_middle(angles, 5.0)
    assert joints_between(longer, found).tolist() == [2]
    assert joints_between(found, found).tolist() == [1]
    assert joints_between(found, longer).max() == 1


def test_one_joint_is_enough_where_the_knuckle_stood():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2)) * [0, 1]
    _, found, after = with_middle(angles, 5.0)
    assert after is found
