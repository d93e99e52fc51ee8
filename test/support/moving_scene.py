"""Boxes on joints before cameras, whose poses are known."""

import numpy as np
import trimesh

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.estimation.extrinsics.body_motions import BodyMotions
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, revolute_twist, transform

NOISE = 1e-3
AXES = np.array([[0.0, 0, 1], [0, 1, 0], [1, 0.2, 0]])
POINTS = np.array([[0.0, 0, 0.1], [0, 0, 0.4], [0.3, 0, 0.5]])
BOXES = (
    ((0.3, 0.25, 0.1), (0, 0, 0.05)),
    ((0.14, 0.12, 0.3), (0, 0, 0.25)),
    ((0.4, 0.1, 0.12), (0.15, 0, 0.46)),
    ((0.08, 0.2, 0.1), (0.4, 0.05, 0.5)),
)


def camera_poses(count=3, spread=1.0):
    """(C, 4, 4) cameras before and above the scene, 1.2 m away."""
    middle = np.array([0.1, 0, 0.3])
    angles = spread * (np.arange(count) - (count - 1) / 2)
    eyes = np.stack([np.cos(angles), np.sin(angles), np.full(count, 0.6)], axis=1)
    return np.stack([look_at(middle + 1.2 * eye, middle) for eye in eyes])


def link_poses(frames=12, seed=0, axes=AXES):
    """(F, 4, 4, 4) motions of the four boxes from the first frame."""
    values = np.random.default_rng(seed).uniform(-0.5, 0.5, (frames, 3))
    values[0] = 0
    poses = [np.tile(np.eye(4), (frames, 1, 1))]
    for axis, point, value in zip(axes, POINTS, values.T, strict=True):
        unit = axis / np.linalg.norm(axis)
        poses.append(poses[-1] @ exp_se3(value[:, None] * revolute_twist(unit, point)))
    return np.stack(poses, axis=1)


def recording(true, given=None, frames=12, seed=0, points=3000, world=None):
    """Return what cameras at true poses see where they are taken to be at `given` poses.

    world: (4, 4) by which the fixed frame is another.
    """
    given = true if given is None else given
    world = np.eye(4) if world is None else world
    poses = link_poses(frames, seed)
    meshes = [
        trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix(centre))
        for size, centre in BOXES
    ]
    rng = np.random.default_rng(seed)
    result = []
    for number, frame in enumerate(poses):
        parts, cameras = [], []
        for camera, pose in enumerate(true):
            seen = []
            for mesh, motion in zip(meshes, frame, strict=True):
                sampled, faces = trimesh.sample.sample_surface(mesh, points // 4, seed=rng)
                normals = mesh.face_normals[faces] @ motion[:3, :3].T
                placed = transform(motion, np.asarray(sampled))
                toward = pose[:3, 3] - placed
                facing = np.einsum("ni,ni->n", toward, normals) > 0.3 * np.linalg.norm(
                    toward, axis=1
                )
                seen.append(placed[facing])
            local = transform(inverse(pose), np.concatenate(seen))
            local = local + rng.normal(0, NOISE, local.shape)
            parts.append(transform(world @ given[camera], local))
            cameras.append(np.full(len(local), camera, np.uint8))
        result.append(
            Frame(
                np.concatenate(parts).astype(np.float32),
                None,
                float(number),
                {"joint": 0.1 * number},
                np.concatenate(cameras),
                world @ given,
            )
        )
    return Recording((Sequence(tuple(result), "0000"),))


def disturbed(poses, turn, shift, seed=0):
    """Poses (C, 4, 4), each turned by `turn` (rad) and shifted by `shift` (m) somewhere."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(len(poses), 2, 3))
    ways /= np.linalg.norm(ways, axis=2, keepdims=True)
    return poses @ exp_se3(np.concatenate([turn * ways[:, 0], shift * ways[:, 1]], axis=1))


def seen_motions(pose, seed=0, axes=AXES, noise=0.0, bodies=(0, 1, 2, 3)):
    """What a camera at a pose (4, 4) sees of the boxes' motions; noise: of a turn (rad)."""
    motions = link_poses(seed=0, axes=axes)[:, list(bodies)]
    local = inverse(pose) @ motions @ pose
    centres = transform(inverse(pose), np.array([BOXES[body][1] for body in bodies]))
    rng = np.random.default_rng(seed)
    # Of every body about its middle, alike in all frames and another in each.
    shift = np.tile(np.eye(4), (len(bodies), 1, 1))
    shift[:, :3, 3] = centres
    scale = np.repeat([noise, 0.2 * noise], 3)
    errors = rng.normal(0, 1, (len(local), len(bodies), 6)) * scale
    moved = local @ shift @ exp_se3(errors) @ inverse(shift)
    moved[0] = np.eye(4)
    return BodyMotions(moved, centres, np.ones(len(local), bool))


def errors_about(estimated, true, centre):
    """(C, 6) twists about `centre` (3,) by which estimated poses (C, 4, 4) are off, first apart."""
    placed = estimated[0] @ inverse(true[0]) @ true
    shift = np.eye(4)
    shift[:3, 3] = -centre
    return log_se3(shift @ estimated @ inverse(placed) @ inverse(shift))
