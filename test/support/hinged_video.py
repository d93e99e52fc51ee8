"""A block on a rail with a hinged bar, as a video would show them: tracks and a model by hand."""

from __future__ import annotations

import numpy as np
import trimesh

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.pose_track import BodySymmetry, PoseTrack
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.geometry.triangle_mesh import from_trimesh
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, KinematicsLayer
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint

CART_SIZE, BAR_SIZE = (0.2, 0.1, 0.1), (0.03, 0.03, 0.5)
BAR_POSE = np.eye(4)
BAR_POSE[:3, 3] = 0.0, -0.07, -0.25
NO_SYMMETRY = BodySymmetry("none", np.zeros(3), np.array([0.0, 0, 1]), np.eye(3)[None])


def camera() -> PinholeCamera:
    """Return a small camera 2 m before the origin, which looks along +y."""
    pose = np.eye(4)
    pose[:3, :3] = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    pose[:3, 3] = 0.0, -2.0, 0.0
    return PinholeCamera(40, 30, (40.0, 40.0), (19.5, 14.5), pose)


def cart_pole_model() -> SelfModel:
    """Return a world, a cart that slides along x, and a bar that hangs and turns about y."""
    x, y = np.array([1.0, 0, 0]), np.array([0.0, 1, 0])
    joints = (
        TreeJoint("rail", "prismatic", "world", "cart", x, np.zeros(3), -np.inf, np.inf),
        TreeJoint("hinge", "revolute", "cart", "bar", y, np.zeros(3), -np.inf, np.inf),
    )
    across = {"rail": np.eye(3)[1:], "hinge": np.eye(3)[[0, 2]]}
    estimates = {
        name: JointEstimate(1e-8 * np.eye(4), across[name], Confidence(1.0, 1.0, 1.0))
        for name in across
    }
    tree = KinematicTree(("world", "cart", "bar"), joints)
    return SelfModel("mechanism", tree, KinematicsLayer(joints=estimates))


def hinged_video(values: np.ndarray, period: float = 1 / 30) -> VideoMechanism:
    """Return a mechanism whose joints have these values (T, 2), each frame a `period` (s) later."""
    model = cart_pole_model()
    poses = model.tree.motions(values)[:, 1:].swapaxes(0, 1)
    references = np.stack([np.eye(4), BAR_POSE])
    poses = poses @ references[:, None]
    shapes = tuple(
        VideoShape(name, from_trimesh(trimesh.creation.box(size)), reference)
        for name, size, reference in zip(
            ("cart", "bar"), (CART_SIZE, BAR_SIZE), references, strict=True
        )
    )
    stamps = period * np.arange(len(values))
    variances = np.diag([1e-6] * 3 + [1e-8] * 3)
    track = PoseTrack(
        ("cart", "bar"),
        stamps,
        poses,
        np.broadcast_to(variances, (2, len(values), 6, 6)).copy(),
        np.zeros((2, 3)),
        (NO_SYMMETRY, NO_SYMMETRY),
    )
    depth = np.full((len(values), 30, 40), 2.0, np.float32)
    video = CameraVideo(camera(), stamps, depth)
    stds = np.broadcast_to([1e-4, 1e-3], values.shape).copy()
    return VideoMechanism(video, shapes, track, model, values, stds, references)
