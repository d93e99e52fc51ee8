"""Errors of a robot of neural bones: of its images and of its shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import open3d
import trimesh
from numpy.typing import NDArray
from scipy.spatial import KDTree

from autourdf_ros.assessment.metrics.mechanisms.image_error import ssim
from autourdf_ros.estimation.appearance.bones.bone_images import BoneImages
from autourdf_ros.estimation.appearance.bones.fit_bones import BoneRobot
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

POINTS = 10_000
"""On either shape, as in the paper, section 4.1."""
ALPHA = 0.022
"""Of the alpha shapes (m), as in the paper."""
SHAPES = 4
"""Configurations whose shapes are compared."""
_COVERED = 0.5
"""Share of a pixel that is the robot's."""


def image_errors(
    images: Sequence[PosedImage], drawn: Sequence[NDArray[np.float32]]
) -> dict[str, float]:
    """Return the mean errors of drawn images.

    Args:
        images: Recorded ones, the robot before black.
        drawn: For each (H, W, 4): colours before black, and the share of light that passes.

    Returns:
        Signal to noise (dB) of whole images before white, of the robot's pixels, and before black;
        structural similarity; intersection over union of the masks.
    """
    rows = []
    for image, pixels in zip(images, drawn, strict=True):
        left = (1 - image.mask)[..., None]
        recorded = (image.color + left).astype(float)
        predicted = (pixels[..., :3] + pixels[..., 3:]).clip(0, 1).astype(float)
        squares = ((recorded - predicted) ** 2).mean(2)
        black = ((pixels[..., :3].clip(0, 1) - image.color) ** 2).mean()
        shown, mask = image.mask > _COVERED, pixels[..., 3] < 1 - _COVERED
        rows.append(
            (
                -10 * np.log10(squares.mean()),
                -10 * np.log10(squares[shown].mean()),
                -10 * np.log10(black),
                ssim(recorded, predicted),
                (shown & mask).sum() / (shown | mask).sum(),
            )
        )
    names = ("psnr", "robot_psnr", "black_psnr", "ssim", "overlap")
    return dict(zip(names, map(float, np.mean(rows, 0)), strict=True))


def shape_distance(
    robot: BoneRobot, data: BoneImages, true: SimulatedRobot, values: Array
) -> float:
    """Return the mean Chamfer distance (m^2) of alpha shapes of the splats and the true surface.

    It is NaN where splats are too sparse for an alpha shape.

    Args:
        robot: Of bones.
        data: Images, of whose first `SHAPES` configurations shapes are compared.
        true: The robot.
        values: (F, V) its joint values in the images.
    """
    open3d.utility.random.seed(0)
    places = robot.posed(data.positions[:SHAPES])[0].double().cpu().numpy()
    distances = []
    for points, own in zip(places, values, strict=False):
        cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
        mesh = open3d.geometry.TriangleMesh.create_from_point_cloud_alpha_shape(cloud, ALPHA)
        if not len(mesh.triangles):
            return float("nan")
        one = np.asarray(mesh.sample_points_uniformly(POINTS).points)
        meshes = [
            trimesh.Trimesh(surface.vertices, surface.triangles).apply_transform(pose)
            for surface, pose in zip(true.surfaces, true.body_poses(own), strict=True)
            if surface is not None
        ]
        two = trimesh.sample.sample_surface(trimesh.util.concatenate(meshes), POINTS, seed=0)[0]
        there, back = KDTree(two).query(one)[0], KDTree(one).query(two)[0]
        distances.append(np.mean(there**2) + np.mean(back**2))
    return float(np.mean(distances))
