import numpy as np
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.structure.pruning.savings import last_links, savings
from autourdf_ros.geometry.rigid_motion import revolute_twist

NOISE, FRAMES, LIFT = 7e-4, 8, 0.06
PLATE, FINGER, STRIP = box((0.3, 0.3, 0.02)), box((0.1, 0.02, 0.02)), box((0.08, 0.01, 0.001))
BESIDE, BETWEEN = np.array([-0.05, 0, LIFT]), np.array([0, 0, (LIFT + 0.01) / 2])


def save(shape, hinge, values, there=True):
    """What a hinge saves a small thing above a plate, which other frames may lack."""
    twist = revolute_twist(np.array([0.0, 1, 0]), hinge)[None]
    model = Articulation(np.zeros(1, int), twist, np.ones(1, bool), hinge[None])
    base = np.tile(np.eye(4), (FRAMES, 1, 1))
    poses = body_poses(model, values[:, None], base)
    start = np.tile(np.eye(4), (2, 1, 1))
    start[1, 2, 3] = LIFT
    reference, labels = merged_cloud([PLATE, shape], start, [4000, 60], 0)
    seen = slice(0, 2 if there else 1)
    frames = [
        merged_cloud([PLATE, shape][seen], (pose @ start)[seen], [4000, 60][seen], 1 + i)[0]
        for i, pose in enumerate(poses)
    ]
    return savings(reference, labels, frames, poses, [1], base[:, None], noise=NOISE)[0]


def test_what_a_finger_saves_is_seen_at_both_ends():
    saving = save(FINGER, BESIDE, np.linspace(-0.2, -0.6, FRAMES))
    assert saving.known > 2
    assert saving.seen > 0.9 * saving.known


def test_points_that_frames_lack_save_nothing_that_these_show():
    """They are gone; half a turn lays them on the plate, which explains itself."""
    saving = save(STRIP, BETWEEN, np.full(FRAMES, np.pi), there=False)
    assert saving.known > 2
    assert saving.seen < 0.1 * saving.known


def test_a_joint_that_hardly_moves_saves_nothing():
    saving = save(FINGER, BESIDE, np.zeros(FRAMES))
    assert (saving.known, saving.seen) == (0.0, 0.0)


def test_nothing_is_seen_where_no_frame_shows_anything():
    saving = save(STRIP, BESIDE, np.full(FRAMES, -1.5), there=False)
    assert saving.seen == 0.0


def test_last_links_have_points_and_no_children():
    assert last_links(np.array([0, 1, 1, 0]), np.array([-1, 0, 1, 2, 3, 3])) == [2, 3]
