"""Of segmentation and the tree; the segmentation of meshes is tested elsewhere."""

import numpy as np
import pytest
from sampled_shapes import box, merged_cloud, sample
from scipy.spatial import cKDTree

from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import Pieces
from autourdf_ros.estimation.motion.segmentation.segmentation import segment
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation, without_body
from autourdf_ros.estimation.motion.structure.candidate_tree import body_gaps, build_tree
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

NOISE = 7e-4


def frame_set(cloud, frames):
    return FrameSet(cloud, frames, neighbour_graph(cloud.points, cloud.spacing), NOISE)


def still_segmentation(root):
    """A box that does not move: body 0, with a patch called body 1 and three points body 2."""
    shape = box((0.3, 0.2, 0.4))
    cloud = prepare_cloud(sample(shape, 1500, 0))
    frames = [prepare_cloud(sample(shape, 1500, seed)) for seed in (1, 2)]
    labels = np.zeros(1500, dtype=np.int64)
    tree = cKDTree(cloud.points)
    far = np.abs(cloud.points - cloud.points[0]).sum(1).argmax()
    labels[tree.query(cloud.points[0], k=40)[1]] = 1
    labels[tree.query(cloud.points[far], k=3)[1]] = 2
    poses = np.broadcast_to(np.eye(4), (2, 3, 4, 4))
    bodies = refit_bodies(cloud, labels, frames, poses, gate=0.03, still=range(3))
    segmentation = Segmentation(labels, bodies, root, "still", (), ())
    return cloud, frames, segmentation


@pytest.mark.parametrize("root", [0, 2])
def test_a_body_that_loses_its_points_vanishes_with_the_one_dissolved(root):
    cloud, frames, segmentation = still_segmentation(root)
    result = without_body(frame_set(cloud, frames), segmentation, 1)
    count = result.bodies.poses.shape[1]
    sizes = np.bincount(result.labels, minlength=count)
    assert (sizes > 0).all() and len(sizes) == count
    assert count == (1 if root == 0 else 2)
    assert (result.labels == result.root).sum() == (1500 if root == 0 else 3)
    assert np.isfinite(body_gaps(cloud.points, result.labels, count)).all()


def hinged_boxes(angles):
    """A box on which another turns about y: reference, frames, true labels."""
    shapes = [box((0.3, 0.3, 0.2)), box((0.1, 0.1, 0.3), (0, 0, 0.26))]
    hinge = revolute_twist(np.array([0.0, 1, 0]), np.array([0, 0, 0.12]))
    clouds = [
        merged_cloud(shapes, exp_se3(np.stack([0 * hinge, angle * hinge])), 1200, seed)
        for seed, angle in enumerate([0.0, *angles])
    ]
    return clouds[0][0], [cloud for cloud, _ in clouds[1:]], clouds[0][1], hinge


def test_pieces_of_two_boxes_become_two_bodies():
    angles = np.array([0.15, 0.3, 0.45])
    cloud, frames, truth, hinge = hinged_boxes(angles)
    height = np.digitize(cloud.points[:, 2], [-0.05, 0.05, 0.2, 0.3])
    pieces, labels = np.unique(2 * height + truth, return_inverse=True)
    moves = np.array([0, 1])[pieces % 2]
    poses = exp_se3(angles[:, None, None] * (moves[:, None] * hinge)[None])
    bodies = refit_bodies(cloud, labels, frames, poses, gate=0.03)
    edges = np.array([(a, b) for a in range(len(pieces)) for b in range(a + 1, len(pieces))])
    result = segment(frame_set(cloud, frames), Pieces(bodies, labels, edges), stop=150.0)
    assert result.bodies.poses.shape[1] == 2
    assert result.root_motion == "still"
    assert ((result.labels == result.root) == (truth == 0)).mean() > 0.93
    assert min(result.kept_costs) > 150
    tree = build_tree(
        result.bodies,
        body_gaps(cloud.points, result.labels, 2),
        root=result.root,
        noise=NOISE,
        spacing=cloud.spacing,
    )
    np.testing.assert_allclose(np.abs(tree.values[:, 0]), angles, atol=5e-3)
