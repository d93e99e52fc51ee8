"""A result folder of the fake robot."""

from dataclasses import replace

import numpy as np
from fake_robot import JOINTS
from synthetic_robot import arm_reconstruction, arm_recording, box, sampled

from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.shape.urdf_options import UrdfOptions
from autourdf_ros.workflows.reconstruct import write_reconstruction

SHAPES = [
    box((0.3, 0.3, 0.2), (0, 0, 0.1)),
    box((0.1, 0.1, 0.3), (0, 0, 0.35)),
    box((0.3, 0.08, 0.08), (0.15, 0, 0.55)),
]
AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
POINT = np.array([0.0, 0.0, 0.5])


def written_fake(folder):
    """Its path. All joints are 0 in its reference."""
    model = SelfModel.of(
        "fake",
        tuple(Link(f"link_{i}", sampled(shape, 900, i)) for i, shape in enumerate(SHAPES)),
        tuple(map(_joint, range(2))),
    )
    made = arm_reconstruction()
    surfaces = [link.surface.points for link in model.links]
    made = replace(
        made,
        model=model,
        motions=tuple(
            replace(one, joint_values=one.joint_values[:, :2], joint_stds=one.joint_stds[:, :2])
            for one in made.motions
        ),
        base=replace(made.base, kind="fixed"),
        reference_points=np.vstack(surfaces),
        labels=np.repeat(np.arange(3), [len(points) for points in surfaces]),
        weak_directions=(),
        loops=(),
        patches=(),
        link_costs=made.link_costs[:3],
    )
    light = UrdfOptions(visual_triangles=3000)
    return write_reconstruction(
        made, folder, name="fake", recording=arm_recording(made), options=light
    )


def _joint(number):
    axis = AXES[number]
    sure = JointEstimate(
        np.diag([1e-6, 1e-6, 1e-8, 1e-8]),
        np.linalg.svd(axis[None])[2][1:],
        Confidence(1.0, 1.0, 1.0),
        MotorMatch(JOINTS[number], 1.0, 0.0, 0.001),
    )
    return Joint(
        JOINTS[number],
        "revolute",
        f"link_{number}",
        f"link_{number + 1}",
        axis,
        POINT,
        -1.0,
        1.0,
        0.0,
        estimate=sure,
    )
