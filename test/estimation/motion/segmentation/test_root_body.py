import numpy as np
from sampled_shapes import box, cylinder, merged_cloud

from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import Pieces
from autourdf_ros.estimation.motion.segmentation.root_body import RootMove, find_root
from autourdf_ros.geometry.rigid_motion import exp_se3, from_translation, revolute_twist

NOISE = 1e-3
ANGLES = np.array([0.6, 1.2, -0.9])
SHIFTS = np.array([[0.01, 0, 0.02], [-0.02, 0.01, 0], [0.0, 0.02, -0.01]])


def scene():
    """A round base; a box turns on it; frames are shifted as a whole. Body 2 is half the base."""
    shapes = [cylinder(0.1, 0.2), box((0.5, 0.1, 0.1), (0.1, 0, 0.16))]
    turn = revolute_twist(np.array([0.0, 0, 1]), np.zeros(3))
    base = from_translation(SHIFTS)
    poses = np.stack([base, base @ exp_se3(ANGLES[:, None] * turn)], axis=1)
    reference, labels = merged_cloud(shapes, np.tile(np.eye(4), (2, 1, 1)), 1500, 0)
    frames = [merged_cloud(shapes, pose, 1500, 1 + f)[0] for f, pose in enumerate(poses)]
    labels = np.where((labels == 0) & (reference.points[:, 0] > 0), 2, labels)
    return reference, frames, labels, poses


def find(known):
    """The root, where the base's pieces were tracked as if they turned with the box."""
    reference, frames, labels, poses = scene()
    turned = poses[:, [1, 1, 1]]
    scene_frames = FrameSet(
        reference, frames, neighbour_graph(reference.points, reference.spacing), NOISE
    )
    bodies = refit_bodies(reference, labels, frames, turned, gate=0.03)
    pieces = Pieces(bodies, labels, np.zeros((0, 2), dtype=np.int64))
    return find_root(scene_frames, pieces, known), labels, poses


def test_what_was_known_as_the_root_stays_it_where_it_still_moves_so():
    _, _, labels, poses = scene()
    known = RootMove("shifts", poses[:, 0], labels != 1)
    (chosen, move), _, _ = find(known)
    assert chosen.tolist() == [True, False, True]
    assert move is known


def test_other_pieces_do_not_become_it_though_they_show_no_turn():
    _, _, labels, poses = scene()
    (chosen, _), _, _ = find(RootMove("shifts", poses[:, 0], labels == 0))
    assert chosen.tolist() == [True, False, False]


def test_a_root_that_frames_contradict_is_not_taken():
    labels = scene()[2]
    wrong = RootMove("shifts", from_translation(SHIFTS + 0.05), labels == 0)
    (_, move), _, _ = find(wrong)
    assert move is not wrong
