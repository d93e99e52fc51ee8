import numpy as np
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.relabelling import relabelled
from autourdf_ros.geometry.rigid_motion import revolute_twist


def labelled(labels, model):
    """A candidate of which nothing is known but its model and labels."""
    return CandidateModel(model, None, None, None, None, labels)


def frame_set(reference, frames):
    return FrameSet(reference, frames, neighbour_graph(reference.points, reference.spacing), 1e-3)


def unasked():
    """How sure an adjustment is, which relabelling does not ask."""
    raise AssertionError("is not asked")


def test_points_go_to_the_link_whose_adjusted_motion_explains_them():
    shapes = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.21))]
    still = np.tile(np.eye(4), (2, 1, 1))
    reference, labels = merged_cloud(shapes, still, 900, 0)
    twist = revolute_twist(np.array([[0.0, 0, 1]]), np.zeros((1, 3)))
    model = Articulation(np.array([0]), twist, np.array([True]), np.zeros((1, 3)))
    values = np.array([[0.4], [-0.5], [0.7]])
    base = np.tile(np.eye(4), (3, 1, 1))
    frames = [
        merged_cloud(shapes, poses, 900, 1 + i)[0]
        for i, poses in enumerate(body_poses(model, values, base))
    ]
    wrong = labels.copy()
    wrong[(labels == 1) & (reference.points[:, 2] < 0.12)] = 0
    wrong[:50] = -1
    before = labelled(wrong, model)
    adjusted = Adjustment(model, States(values, base), np.zeros(3), 5e-4, 0.0, unasked)
    after = relabelled(frame_set(reference, frames), before, adjusted)
    # A flat bottom shows no turn, and may go either way.
    shown = reference.points[:, 2] > 0.065
    assert np.mean((wrong == labels)[shown]) < 0.92
    assert np.mean((after.labels == labels)[shown]) > 0.98
    assert len(after.surface.points) == np.count_nonzero(after.labels >= 0)


def test_a_link_that_would_lose_its_points_keeps_them():
    shapes = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.21))]
    reference, labels = merged_cloud(shapes, np.tile(np.eye(4), (2, 1, 1)), 600, 0)
    twist = revolute_twist(np.array([[0.0, 0, 1]]), np.zeros((1, 3)))
    model = Articulation(np.array([0]), twist, np.array([True]), np.zeros((1, 3)))
    base = np.tile(np.eye(4), (2, 1, 1))
    before = labelled(labels, model)
    # The frames show nothing move; the values say that the upper box did.
    values = np.array([[1.0], [-1.0]])
    adjusted = Adjustment(model, States(values, base), np.zeros(2), 5e-4, 0.0, unasked)
    after = relabelled(frame_set(reference, [reference] * 2), before, adjusted)
    sizes = np.bincount(after.labels[after.labels >= 0], minlength=2)
    assert sizes.min() > 0


def test_a_link_that_keeps_its_points_keeps_no_other_from_getting_its_own():
    """One small link blocked all others of a humanoid."""
    shapes = [
        box((0.3, 0.3, 0.1)),
        box((0.1, 0.12, 0.3), (0, 0, 0.21)),
        box((0.02,) * 3, (0, 0, 0.5)),
    ]
    counts = np.array([900, 900, 12])
    still = np.tile(np.eye(4), (3, 1, 1))
    reference, labels = merged_cloud(shapes, still, counts, 0)
    twists = revolute_twist(np.array([[0.0, 0, 1], [0, 1, 0]]), np.array([[0, 0, 0], [0, 0, 0.45]]))
    turns = np.ones(2, dtype=bool)
    model = Articulation(np.array([0, 1]), twists, turns, np.zeros((2, 3)))
    values = np.array([[0.4, 0.1], [-0.5, 0.2], [0.7, -0.1]])
    frames = [
        merged_cloud(shapes, poses, counts, 1 + i)[0]
        for i, poses in enumerate(body_poses(model, values, still))
    ]
    wrong = labels.copy()
    wrong[(labels == 1) & (reference.points[:, 2] < 0.12)] = 0
    adjusted = Adjustment(model, States(values, still), np.zeros(3), 5e-4, 0.0, unasked)
    after = relabelled(frame_set(reference, frames), labelled(wrong, model), adjusted)
    shown = (reference.points[:, 2] > 0.065) & (labels < 2)
    assert np.mean((wrong == labels)[shown]) < 0.92
    assert np.mean((after.labels == labels)[shown]) > 0.98
    assert (after.labels[labels == 2] == 2).all()
