"""What turns about a plate's middle, tracked by motion alone, and what its motor reads."""

from types import SimpleNamespace

import numpy as np
from flange_scene import NOISE, evenly_seen
from sampled_shapes import box

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.geometry.rigid_motion import revolute_twist

PLATE, COUNTS, LIFT = box((0.3, 0.3, 0.02)), [1200, 500], 0.06


def turning_bar(shape, values, readings):
    """A shape over a plate turned by values (F,) about the plate's axis; readings (F,) or None.

    The problem, and the candidate as it would be found with no joint matched.
    """
    axis = revolute_twist(np.array([0.0, 0, 1]), np.zeros(3))[None]
    anchor = np.array([[0, 0, LIFT / 2]])
    model = Articulation(np.zeros(1, int), axis, np.ones(1, bool), anchor)
    start = np.tile(np.eye(4), (2, 1, 1))
    start[1, 2, 3] = LIFT
    base = np.tile(np.eye(4), (len(values), 1, 1))
    poses = body_poses(model, values[:, None], base)
    shapes = [PLATE, shape]
    scenes = [evenly_seen(shapes, pose @ start, f, COUNTS) for f, pose in enumerate(poses)]
    clouds, (reference, labels) = [cloud for cloud, _ in scenes], scenes[0]
    noise, neighbours = NOISE, neighbour_graph(reference.points, reference.spacing)
    columns = None if readings is None else readings[:, None]
    problem = SimpleNamespace(
        prepared=SimpleNamespace(clouds=clouds, sequences=[clouds], reference=reference),
        reference=reference,
        owners=np.zeros(len(values), dtype=np.int64),
        noise=noise,
        seeks_ends=False,
        motors=("motor",),
        readings=columns,
        clouds=lambda frames: [clouds[f] for f in frames],
        readings_in=lambda frames: None if columns is None else columns[frames],
        frame_set=lambda frames: FrameSet(
            reference, [clouds[f] for f in frames], neighbours, noise
        ),
    )  # fmt: skip
    fits = motor_fits(np.cos(values)[:, None], columns)
    one = np.ones(1)
    tree = CandidateTree(
        np.arange(2), model.parents, axis, model.revolute, values[:, None], one, one, fits
    )
    states = States(values[:, None], base)
    bodies = problem.frame_set(np.arange(len(values))).refit(labels, poses)
    segmentation = Segmentation(labels, bodies, 0, "still", (), ())
    surface = surface_of(reference, labels)
    return problem, CandidateModel(model, surface, states, tree, segmentation, labels)
