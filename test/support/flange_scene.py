"""An arm whose flange turns, or slides, in frames as noisy and evenly thinned as real ones."""

import numpy as np
import trimesh
from sampled_shapes import box, cylinder, sample

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import PosedCandidate
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import revolute_twist, transform
from autourdf_ros.geometry.sampling import farthest_point_indices

NOISE, COUNTS = 2e-3, (900, 700, 300)
AXIS, CENTRE = np.array([1.0, 0, 0]), np.array([0.075, 0, 0.3])
ARM = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.21))]


def flange(*, plug):
    """A short cylinder on the arm's side, whose axis is x, with a plug on its rim or without."""
    disc = cylinder(0.06, 0.05)
    disc.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
    disc.apply_translation(CENTRE)
    return trimesh.util.concatenate(
        [disc, box((0.03, 0.03, 0.02), (0.08, 0, 0.365))] if plug else [disc]
    )


def evenly_seen(meshes, poses, seed, counts=COUNTS):
    """Cloud of the meshes moved by poses (B, 4, 4), as evenly thinned as recorded ones; labels."""
    parts = []
    for i, (mesh, pose, count) in enumerate(zip(meshes, poses, counts, strict=True)):
        points = sample(mesh, 5 * count, 10 * seed + i)
        parts.append(transform(pose, points[farthest_point_indices(points, count)]))
    return prepare_cloud(np.concatenate(parts)), np.repeat(np.arange(len(parts)), counts)


def flange_scene(*, plug, slide=None):
    """An arm and its flange, which turns or slides; the model takes it for the end of the arm."""
    rng = np.random.default_rng(3)
    values = np.cumsum(rng.uniform(-0.3, 0.3, (16, 2)), axis=0)
    last = revolute_twist(AXIS, CENTRE)
    if slide is not None:
        last, values[:, 1] = np.array([0, 0, 0, *slide]), rng.uniform(0, 0.05, len(values))
    twists = np.stack([revolute_twist(np.array([0.0, 0, 1]), np.zeros(3)), last])
    anchors, shapes = np.array([[0, 0, 0.05], CENTRE]), [*ARM, flange(plug=plug)]
    true = Articulation(np.array([0, 1]), twists, np.array([True, slide is None]), anchors)
    base = np.tile(np.eye(4), (len(values), 1, 1))
    reference, labels = evenly_seen(shapes, np.tile(np.eye(4), (3, 1, 1)), 0)
    frames = [
        evenly_seen(shapes, poses, 1 + f)[0]
        for f, poses in enumerate(body_poses(true, values, base))
    ]
    known = Articulation(true.parents[:1], twists[:1], true.revolute[:1], anchors[:1])
    taken = np.minimum(labels, 1)
    model = PosedCandidate(known, values[:, :1], base, taken, np.ones(1), np.full(1, 9.0))
    neighbours = neighbour_graph(reference.points, reference.spacing)
    halves = np.array_split(np.arange(len(frames)), 2)
    return FrameSet(reference, frames, neighbours, NOISE, halves), model, labels, values[:, 1]
