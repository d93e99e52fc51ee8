"""Clouds of simple shapes, and joints between them, of known truth."""

import numpy as np
import trimesh

from autourdf_ros.geometry.point_cloud import Cloud, prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, transform

NOISE = 5e-4


def sample(mesh: trimesh.Trimesh, count: int, seed: int, noise: float = NOISE) -> np.ndarray:
    """Points (N, 3) on a mesh, with noise."""
    points, _ = trimesh.sample.sample_surface(mesh, count, seed=seed)
    return np.asarray(points) + np.random.default_rng(seed).normal(0, noise, points.shape)


def box(size, centre=(0.0, 0.0, 0.0)) -> trimesh.Trimesh:
    """A box with its sides along the axes."""
    return trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix(centre))


def cylinder(radius=0.1, height=0.5) -> trimesh.Trimesh:
    """A cylinder about z."""
    return trimesh.creation.cylinder(radius, height, sections=96)


def random_twists(rng: np.random.Generator, *shape: int, size: float = 1.0) -> np.ndarray:
    """Twists (*shape, 6)."""
    return size * rng.normal(size=(*shape, 6))


def random_pose(seed: int, size: float = 1.0) -> np.ndarray:
    """A pose (4, 4)."""
    return exp_se3(random_twists(np.random.default_rng(seed), size=size))


def merged_cloud(meshes, poses, count, seed: int) -> tuple[Cloud, np.ndarray]:
    """Cloud of meshes moved by poses (B, 4, 4), `count` points each (or (B,)), and its labels."""
    counts = np.broadcast_to(count, len(meshes))
    parts = [
        transform(pose, sample(mesh, int(points), 100 * seed + i))
        for i, (mesh, pose, points) in enumerate(zip(meshes, poses, counts, strict=True))
    ]
    return prepare_cloud(np.concatenate(parts)), np.repeat(np.arange(len(meshes)), counts)


def angle_between(first: np.ndarray, second: np.ndarray) -> float:
    """Angle (rad) between two lines' directions, whatever their sense."""
    cosine = abs(first @ second) / np.linalg.norm(first) / np.linalg.norm(second)
    return float(np.arccos(min(cosine, 1.0)))
