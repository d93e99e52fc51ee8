"""A small scene for tests of tracking: known bodies that move before a wall and a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import open3d as o3d
import trimesh
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh

FOCAL_BASELINE = 640 * 0.095  # pixels x m, of a RealSense D455


@dataclass(frozen=True)
class VideoScene:
    """A video, its bodies with true first poses, and the truth.

    Attributes:
        video: Of the bodies.
        shapes: Of the bodies.
        poses: (B, T, 4, 4) true ones in the world.
    """

    video: CameraVideo
    shapes: tuple[VideoShape, ...]
    poses: np.ndarray

    def started_off(self, seed: int, shift: float = 0.03, turn: float = 10.0):
        """Return the shapes with first poses that are off by a shift (m) and a turn (degrees)."""
        rng = np.random.default_rng(seed)
        return tuple(
            VideoShape(s.name, s.mesh, off(pose, rng, shift, turn), s.color)
            for s, pose in zip(self.shapes, self.poses[:, 0], strict=True)
        )

    def masks(self):
        """Return (T, H, W) numbers of the bodies that are seen, from 1."""
        meshes, still = [shape.mesh for shape in self.shapes], [surroundings()]
        frames = self.poses.swapaxes(0, 1)
        return np.stack([render(self.video.camera, meshes, poses, still)[2] for poses in frames])


def off(pose, rng, shift, turn):
    """Return a pose moved by a shift (m) and a turn (degrees) in random directions."""
    moved = pose.copy()
    axis, along = rng.normal(size=(2, 3))
    axis *= np.radians(turn) / np.linalg.norm(axis)
    moved[:3, :3] = Rotation.from_rotvec(axis).as_matrix() @ moved[:3, :3]
    moved[:3, 3] += shift * along / np.linalg.norm(along)
    return moved


def facing(eye, target):
    """Return the pose of an optical frame at `eye` that views `target`."""
    forward = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    right = np.cross(forward, (0, 0, 1.0))
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], axis=1)
    pose[:3, 3] = eye
    return pose


def camera(width=320, height=240, eye=(0.3, -1.1, 0.5), target=(0, 0, 0.2)):
    """Return a camera of a view of 60 degrees."""
    focal = height / 2 / np.tan(np.radians(25))
    centre = ((width - 1) / 2, (height - 1) / 2)
    return PinholeCamera(width, height, (focal, focal), centre, facing(eye, target))


def surroundings():
    """Return a wall and a table that do not move."""
    wall = trimesh.creation.box((3, 0.05, 2.5)).apply_translation((0, 0.6, 0))
    table = trimesh.creation.box((2, 1, 0.05)).apply_translation((0, 0, -0.15))
    return from_trimesh(trimesh.util.concatenate(wall, table))


def bodies():
    """Return a box (cart) and a capsule (pole)."""
    pole = trimesh.creation.capsule(0.4, 0.02).apply_translation((0, 0, 0.2))
    return {
        "cart": from_trimesh(trimesh.creation.box((0.2, 0.12, 0.1)), np.uint8([200, 40, 40])),
        "pole": from_trimesh(pole, np.uint8([40, 60, 200])),
    }


def cart_pole_poses(frames, rate=30.0):
    """Return (2, T, 4, 4) poses of a cart that slides and a pole in front of it that swings."""
    t = np.arange(frames) / rate
    poses = np.tile(np.eye(4), (2, frames, 1, 1))
    poses[:, :, 0, 3] = 0.15 * np.sin(2.1 * t) - 0.03
    poses[1, :, 1, 3] = -0.085
    angles = 0.9 * np.sin(3.7 * t) + 0.2
    poses[1, :, :3, :3] = Rotation.from_euler("y", angles[:, None]).as_matrix()
    return poses


def cart_pole(frames=40, seed=0, noise=0.05, view=None, rgb=False):
    """Return the scene; `noise` is the standard deviation of the disparity (pixels)."""
    view, shapes = view or camera(), bodies()
    poses = cart_pole_poses(frames)
    still = [surroundings()]
    images = [render(view, [*shapes.values()], poses[:, k], still) for k in range(frames)]
    rng = np.random.default_rng(seed)
    depth = np.stack([noisy(image[0], noise, rng) for image in images])
    colors = np.stack([image[1] for image in images]) if rgb else None
    video = CameraVideo(view, np.arange(frames) / 30.0, None if rgb else depth, colors)
    known = tuple(
        VideoShape(name, mesh, poses[b, 0], tuple(mesh.colors[0].astype(float)))
        for b, (name, mesh) in enumerate(shapes.items())
    )
    return VideoScene(video, known, poses)


def noisy(depth, noise, rng):
    """Return depths as a stereo camera measures them."""
    disparity = FOCAL_BASELINE / depth + rng.normal(0, noise, depth.shape)
    return (FOCAL_BASELINE / disparity).astype(np.float32)


def render(view, meshes, poses, still=()):
    """Return depth (H, W), colours (H, W, 3) and the body shown (H, W), from 1; 0 still."""
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    all_meshes = [*still, *(m.transformed(p) for m, p in zip(meshes, poses, strict=True))]
    for mesh in all_meshes:
        scene.add_triangles(o3d.core.Tensor(mesh.vertices), o3d.core.Tensor(mesh.triangles))
    rays = np.zeros((view.height, view.width, 6), np.float32)
    rays[..., :3], rays[..., 3:] = view.pose[:3, 3], view.directions @ view.pose[:3, :3].T
    cast = scene.cast_rays(o3d.core.Tensor(rays), nthreads=1)
    depth, which = cast["t_hit"].numpy(), cast["geometry_ids"].numpy().astype(np.int64)
    depth = np.where(np.isfinite(depth), depth, np.nan)
    body = np.where(which < len(all_meshes), which + 1 - len(still), 0).clip(0)
    palette = np.array([mesh.colors[0] for mesh in all_meshes] + [[0, 0, 0]], np.uint8)
    colors = palette[np.minimum(which, len(all_meshes))]
    return depth.astype(np.float32), colors, body.astype(np.uint8)


__all__ = ["SurfaceMesh", "VideoScene", "camera", "cart_pole", "facing", "noisy", "off", "render"]
