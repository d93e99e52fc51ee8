"""A reconstruction, made by hand, of a tilted arm whose joints motors turn."""

import numpy as np

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.motion.reconstruction import BaseMotion, Reconstruction, SequenceMotion
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel

AXES = np.array([[0, 0, 1.0], [0, 0.6, 0.8], [1.0, 0, 0]])
POINTS = np.array([[0, 0, 0.1], [0, 0, 0.3], [0.2, 0, 0.4]])
SURE = Confidence(1.0, 1.0, 1.0)


def motor(name, ratio=1.0, offset=0.0):
    return MotorMatch(name, ratio, offset, 1e-4)


def blob(centre, seed):
    """A hundred points around a centre, which look everywhere."""
    rng = np.random.default_rng(seed)
    normals, outward = rng.normal(size=(2, 100, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Surface(centre + 0.05 * outward, normals)


def arm(motors, deviations=(0.01, 0.01, 0.01), kinds=("revolute",) * 3, base="fixed", mimic=None):
    """An arm of a joint for every motor, or None; deviations: of every line (rad and m)."""
    joints, links = [], [Link("link_0", blob(np.zeros(3), 9))]
    for j, drive in enumerate(motors):
        covariance = np.diag(np.full(4, deviations[j] ** 2))
        if kinds[j] == "prismatic":
            covariance[2:] = covariance[:, 2:] = np.nan
        estimate = JointEstimate(covariance, across_basis(AXES[j]), SURE, drive)
        names = f"joint_{j}", kinds[j], f"link_{j}", f"link_{j + 1}"
        joints.append(
            Joint(
                *names,
                AXES[j],
                POINTS[j],
                -2,
                2,
                reference=0.1 * j,
                estimate=estimate,
                mimic=mimic if j == len(motors) - 1 else None,
            )
        )
        links.append(Link(f"link_{j + 1}", blob(POINTS[j] + [0.1, 0.02, 0.05], j)))
    one = np.zeros((1, len(joints)))
    motion = SequenceMotion(one, one, np.eye(4)[None], np.ones(1), one[:, 0] == 0, one[:, 0] > 0)
    return Reconstruction(
        SelfModel.of("arm", tuple(links), tuple(joints)),
        (motion,),
        1e-3,
        np.zeros((0, 3)),
        np.zeros(0, dtype=int),
        "trusted",
        base=BaseMotion(base),
    )


def folding_arm(stood=(0.0,), drive=None):
    """Two joints in a row along x; link 2 is on link 0 when `fold` is at pi.

    stood: values of `fold` that were recorded. drive: the motor of that joint.
    """
    unknown = np.diag(np.full(4, 0.01**2))
    links = [Link(f"link_{i}", blob(np.array([0.5 * i, 0, 0]), i)) for i in range(3)]
    motors = {"swing": motor("swing"), "fold": drive or motor("fold")}
    joints = []
    for number, (name, match) in enumerate(motors.items()):
        estimate = JointEstimate(unknown, across_basis(AXES[0]), SURE, match)
        point = np.array([0.25 + 0.25 * number, 0, 0])
        ends = f"link_{number}", f"link_{number + 1}"
        joints.append(
            Joint(name, "revolute", *ends, AXES[0], point, -4, 4, reference=0.0, estimate=estimate)
        )
    values = np.column_stack([np.zeros(len(stood)), stood])
    used = np.ones(len(stood), bool)
    poses = np.tile(np.eye(4), (len(stood), 1, 1))
    motion = SequenceMotion(values, 0 * values, poses, np.ones(len(stood)), used, ~used)
    return Reconstruction(
        SelfModel.of("folding", tuple(links), tuple(joints)),
        (motion,),
        1e-3,
        np.zeros((0, 3)),
        np.zeros(0, dtype=int),
        "doubtful",
        base=BaseMotion("fixed"),
    )
