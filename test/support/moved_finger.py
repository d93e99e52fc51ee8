"""A finger that turns over a plate, and what is known of it: a small link that is easily lost."""

from types import SimpleNamespace

import numpy as np
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import BasePrior
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.geometry.rigid_motion import revolute_twist

LIFT, FRAMES = 0.06, 13
SHAPES, PLATE_POINTS = [box((0.3, 0.3, 0.02)), box((0.1, 0.02, 0.02))], 4000
EVERYWHERE = np.ones(FRAMES, dtype=bool)
ONE_SEQUENCE = np.zeros(FRAMES, dtype=np.int64)


def moved_finger(values, missing=(), points=60):
    """A finger over a plate as it turns by values (F, 1); some frames lack it. Problem, model."""
    counts = [PLATE_POINTS, points]
    hinge = np.array([0, 0, (LIFT + 0.01) / 2])
    twist = revolute_twist(np.array([0.0, 1, 0]), hinge)[None]
    model = Articulation(np.zeros(1, int), twist, np.ones(1, bool), hinge[None])
    base = np.tile(np.eye(4), (FRAMES, 1, 1))
    start = np.tile(np.eye(4), (2, 1, 1))
    start[1, 2, 3] = LIFT
    reference, labels = merged_cloud(SHAPES, start, counts, 0)
    clouds = []
    for f, pose in enumerate(body_poses(model, values, base)):
        there = 1 if f in missing else 2
        clouds.append(
            merged_cloud(SHAPES[:there], (pose @ start)[:there], counts[:there], 1 + f)[0]
        )
    problem = SimpleNamespace(
        reference=reference,
        owners=ONE_SEQUENCE,
        noise=7e-4,
        clouds=lambda frames: [clouds[i] for i in frames],
    )
    surface = surface_of(reference, labels)
    prior = BasePrior(0.0, 0.0)
    return problem, SimpleNamespace(model=model, labels=labels, surface=surface, prior=prior)
