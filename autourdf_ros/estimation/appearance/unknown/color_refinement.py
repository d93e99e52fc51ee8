"""Axes and splats refined together, from outlines' kinematics on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.fit_splats import fit_splats
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.joints.image_joints import ImageJoints
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_model import Splats
from autourdf_ros.estimation.appearance.unknown.labelled_surface import LabelledSurface
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.model.forward_kinematics import link_frames, link_poses
from autourdf_ros.progress import Progress, silent

_GREY = 0.5


@dataclass(frozen=True)
class ColoredRobot:
    """A tree with splats on its links.

    Attributes:
        state: Tree and values in F images.
        splats: N, in the links' frames.
        labels: (N,) number of each one's link.
        losses: (S,) of the descent's steps.
    """

    state: StructureState
    splats: Splats
    labels: Labels
    losses: Array


def refine_by_colors(
    images: Sequence[PosedImage],
    state: StructureState,
    surface: LabelledSurface,
    count: int,
    options: SplatFitOptions,
    progress: Progress = silent,
) -> ColoredRobot:
    """Fit splats on a labelled surface to images, and the joints' axes along with them.

    Args:
        images: F of them; their poses do not count.
        state: Tree and values in these images.
        surface: At rest.
        count: Of splats, at most.
        options: Of the descent.
        progress: Is called with stage and fraction.
    """
    chosen = farthest_point_indices(surface.points, count)
    points, normals = surface.points[chosen], surface.normals[chosen]
    labels = surface.labels[chosen]
    back = inverse(link_frames(state.tree))[labels]
    splats = first_splats(
        (back[:, :3, :3] @ points[..., None])[..., 0] + back[:, :3, 3],
        (back[:, :3, :3] @ normals[..., None])[..., 0],
        np.full_like(points, _GREY),
    )
    joints = ImageJoints(state.tree, state.values)
    fitted = fit_splats(splats, labels, images, options, progress, joints)
    assert fitted.axes is not None
    tree = joints.corrected(fitted.axes)
    between = inverse(link_frames(tree)) @ link_frames(state.tree)
    return ColoredRobot(
        StructureState(tree, state.values),
        moved_splats(fitted.splats, between[labels]),
        labels,
        fitted.losses,
    )


def posed_by(images: Sequence[PosedImage], state: StructureState) -> list[PosedImage]:
    """Return images with the poses of a state's links."""
    poses = link_poses(state.tree, state.values)
    return [replace(image, poses=own) for image, own in zip(images, poses, strict=True)]


def moved_splats(splats: Splats, motions: Array) -> Splats:
    """Return splats, each moved by a rigid motion (N, 4, 4)."""
    turns = Rotation.from_matrix(motions[:, :3, :3])
    axes = Rotation.from_quat(splats.quaternions, scalar_first=True)
    return replace(
        splats,
        means=(turns.apply(splats.means) + motions[:, :3, 3]).astype(np.float32),
        quaternions=(turns * axes).as_quat(scalar_first=True).astype(np.float32),
        normals=turns.apply(splats.normals).astype(np.float32),
    )
