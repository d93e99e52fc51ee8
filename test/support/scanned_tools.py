"""Scans of simple tools on a table by a camera at a moving wrist, with noise and wrong poses."""

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from autourdf_ros.data.frame import Frame, Recording, Sequence

TABLE = 0.12  # m above the fixed frame


def mallet():
    """A mallet that lies: a round handle along x, and a box for a head."""
    handle = trimesh.creation.cylinder(0.012, 0.2, sections=48)
    handle.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
    head = trimesh.creation.box((0.05, 0.09, 0.04)).apply_translation([0.12, 0, 0])
    return _lying([handle, head])


def block():
    return _lying([trimesh.creation.box((0.1, 0.06, 0.03))])


def roll():
    """A cylinder that lies."""
    turn = trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0])
    return _lying([trimesh.creation.cylinder(0.03, 0.12, sections=64).apply_transform(turn)])


def pan():
    """A round dish that stands, with a flat handle at its rim."""
    dish = trimesh.creation.cylinder(0.06, 0.03, sections=64)
    handle = trimesh.creation.box((0.12, 0.02, 0.01)).apply_translation([0.11, 0, 0.0])
    return _lying([dish, handle])


def _lying(parts):
    low = min(part.bounds[0, 2] for part in parts)
    turn = trimesh.transformations.rotation_matrix(0.6, [0, 0, 1])
    for part in parts:
        part.apply_translation([0, 0, -low]).apply_transform(turn)
        part.apply_translation([0.45, 0.1, TABLE])
    return parts


def looking(eye, target):
    """Return the pose (4, 4) of a camera's optical frame."""
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3] = np.column_stack([right, np.cross(forward, right), forward, eye])
    return pose


def around(count, elevation=0.7, distance=0.4, span=2 * np.pi):
    """Return poses (count, 4, 4) of a camera that goes around the object."""
    target = np.array([0.45, 0.1, TABLE])
    angles = np.arange(count) * span / count
    heights = elevation + 0.25 * np.sin(3 * angles)
    way = np.column_stack([np.cos(angles) * np.cos(heights), np.sin(angles) * np.cos(heights),
                           np.sin(heights)])  # fmt: skip
    return np.array([looking(target + distance * one, target) for one in way])


def scan(parts, poses, shift=0.003, turn=0.5, noise=0.0005, seed=0, moved=None):
    """Return a recording of a camera at poses (v, 4, 4), which it states wrongly.

    Args:
        parts: Closed meshes that overlap.
        poses: Of the optical frame, true.
        shift: Standard deviation of an error of a stated pose (m).
        turn: Likewise (degrees).
        noise: Standard deviation of a depth (m).
        seed: Of the noise.
        moved: (v,) by how much the object has slid along x in a view (m); None: it stays.
    """
    rng = np.random.default_rng(seed)
    points, colours = _surface(parts, rng)
    frames = []
    for number, pose in enumerate(poses):
        here = points.copy()
        if moved is not None:
            here[colours[:, 0] > 0, 0] += moved[number]
        local = (here - pose[:3, 3]) @ pose[:3, :3]
        seen = _first_on_rays(local)
        measured = local[seen] * (1 + noise * rng.standard_normal((len(seen), 1)) / 0.4)
        wrong = pose.copy()
        wrong[:3, :3] = Rotation.from_rotvec(np.radians(turn) * rng.standard_normal(3) / 3**0.5
                                             ).as_matrix() @ pose[:3, :3]  # fmt: skip
        wrong[:3, 3] += shift * rng.standard_normal(3) / 3**0.5
        given = measured @ wrong[:3, :3].T + wrong[:3, 3]
        frames.append(
            Frame(
                given.astype(np.float32),
                colours[seen],
                float(number),
                cameras=np.zeros(len(seen), np.uint8),
                camera_poses=wrong[None],
            )
        )
    return Recording((Sequence(tuple(frames)),))


def _surface(parts, rng):
    """Dense points of table and object, and their colours (the table's red is 0)."""
    table = rng.uniform([0.15, -0.2], [0.75, 0.4], (80_000, 2))
    points = [np.column_stack([table, np.full(len(table), TABLE)])]
    colours = [np.tile(np.array([0, 90, 60], np.uint8), (len(table), 1))]
    for number, part in enumerate(parts):
        own = trimesh.sample.sample_surface(part, int(part.area * 4e6), seed=number)[0]
        inside = np.zeros(len(own), bool)
        for other in parts[:number] + parts[number + 1 :]:
            inside |= other.contains(own)
        points.append(own[~inside])
        colour = np.array([120, 80, 40] if number % 2 == 0 else [200, 200, 210], np.uint8)
        colours.append(np.tile(colour, (len(points[-1]), 1)))
    return np.concatenate(points), np.concatenate(colours)


def _first_on_rays(local, side=0.006, wide=0.6):
    """Numbers of the points that a camera sees: the nearest in every cell of its image."""
    cells = np.floor(local[:, :2] / local[:, 2:] / side).astype(int)
    inside = (np.abs(local[:, :2] / local[:, 2:]) < wide).all(1) & (local[:, 2] > 0.05)
    numbers = np.flatnonzero(inside)
    order = numbers[np.argsort(local[numbers, 2])]
    keys = cells[order, 0] * 100_000 + cells[order, 1]
    first = np.unique(keys, return_index=True)[1]
    return order[first]
