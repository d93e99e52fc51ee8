import numpy as np
import pytest
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel, joint_anchors
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.estimation.motion.structure.pruning.needless_joints import without_needless_joint
from autourdf_ros.geometry.rigid_motion import exp_se3

NOISE = 7e-4
SHAPES = [box((0.3, 0.3, 0.1)), box((0.04, 0.04, 0.03), (0.1, 0, 0.08)), box((0.02, 0.02, 0.02))]
GHOST = np.array([-0.1, 0.0, 0.2])


def frame_set(reference, frames):
    return FrameSet(reference, frames, neighbour_graph(reference.points, reference.spacing), NOISE)


def candidate(ghost_is_there):
    """A plate with a finger that slides up, and a speck that comes down on the plate.

    The speck may only be in the reference frame; then its joint lets it find some of the plate.
    """
    values = np.linspace(0.01, 0.04, 6)[:, None] * [1, 0.01] + [0, 0.14]
    twists = np.array([[0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, -1]])
    parents, revolute = np.array([0, 0]), np.zeros(2, dtype=bool)
    model = Articulation(parents, twists, revolute, np.zeros((2, 3)))
    base = np.tile(np.eye(4), (len(values), 1, 1))
    poses = body_poses(model, values, base)
    start = np.tile(np.eye(4), (3, 1, 1))
    start[2, :3, 3] = GHOST
    reference, labels = merged_cloud(SHAPES, start, [3000, 60, 30], 0)
    poses[:, 2] = poses[:, 2] @ start[2]
    seen = slice(None) if ghost_is_there else slice(0, 2)
    frames = [
        merged_cloud(SHAPES[seen], pose[seen], [3000, 60, 30][seen], 1 + i)[0]
        for i, pose in enumerate(poses)
    ]
    bodies = Bodies(
        body_poses(model, values, base),
        np.tile(1e6 * np.eye(6), (len(values), 3, 1, 1)),
        np.full((len(values), 3), 30.0),
    )
    tree = CandidateTree(
        np.arange(3), parents, twists, revolute, values, np.zeros(2), np.ones(2),
        motor_fits(values, None),
    )  # fmt: skip
    anchors = joint_anchors(reference.points, labels, parents, twists, revolute)
    model = Articulation(parents, twists, revolute, anchors)
    segmentation = Segmentation(labels, bodies, 0, "still", (), ())
    surface = surface_of(reference, labels)
    states = States(values, base)
    return reference, frames, CandidateModel(model, surface, states, tree, segmentation, labels)


def test_small_links_that_their_motions_explain_keep_their_joints():
    reference, frames, found = candidate(True)
    assert without_needless_joint(frame_set(reference, frames), found) is None


def test_a_speck_that_no_other_frame_shows_loses_its_joint():
    reference, frames, found = candidate(False)
    simpler = without_needless_joint(frame_set(reference, frames), found)
    assert simpler is not None
    assert simpler.model.parents.tolist() == [0]
    assert simpler.model.twists[0, 5] == pytest.approx(1.0, abs=0.01)  # the finger's


def test_a_link_on_one_that_the_model_does_not_explain_keeps_its_joint():
    """Wherever an arm is that the model does not follow, what hangs on it fits badly, too."""
    shapes = [
        box((0.3, 0.3, 0.1)),
        box((0.1, 0.1, 0.3), (0, 0, 0.2)),
        box((0.3, 0.1, 0.1), (0.2, 0, 0.4)),
    ]
    twists = np.array([[0, 0, 1.0, 0, 0, 0], [0, 1, 0, -0.4, 0, 0]])
    values = np.linspace(0.1, 0.6, 6)[:, None] * [1.0, 0.2]
    # No joint of the model allows this.
    lean = exp_se3(np.array([0, 0, 0, 0.003, 0.003, 0]))
    tip = exp_se3(np.array([0.3, -0.4, 0, 0.05, 0.04, 0]))
    parents, revolute = np.array([0, 1]), np.ones(2, dtype=bool)
    still = np.tile(np.eye(4), (len(values), 1, 1))
    model = Articulation(parents, twists, revolute, np.array([[0, 0, 0.05], [0, 0, 0.4]]))
    poses = body_poses(model, values, still)
    poses[:, 1] = lean @ poses[:, 1]
    poses[:, 2] = tip @ poses[:, 2]
    reference, labels = merged_cloud(shapes, np.tile(np.eye(4), (3, 1, 1)), 700, 0)
    frames = [merged_cloud(shapes, pose, 700, 1 + i)[0] for i, pose in enumerate(poses)]
    information, weights = np.tile(1e6 * np.eye(6), (6, 3, 1, 1)), np.full((6, 3), 700.0)
    segmentation = Segmentation(labels, Bodies(poses, information, weights), 0, "still", (), ())
    tree = CandidateTree(
        np.arange(3), parents, twists, revolute, values, np.zeros(2), np.ones(2),
        motor_fits(values, None),
    )  # fmt: skip
    surface, states = surface_of(reference, labels), States(values, still)
    found = CandidateModel(model, surface, states, tree, segmentation, labels)
    assert without_needless_joint(frame_set(reference, frames), found) is None
