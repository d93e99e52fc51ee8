"""Gaussian splats of a robot, and how they stand in the world in one configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.rasterizer.rasterize import Gaussians
from autourdf_ros.estimation.appearance.splats.posing import pose_back, pose_splats
from autourdf_ros.geometry.arrays import Array


@dataclass(frozen=True)
class Splats:
    """N splats in the frames of their links, and the light on them; also gradients by all of it.

    Attributes:
        means: (N, 3), m.
        quaternions: (N, 4) w, x, y, z of the principal axes, of any length above 0.
        log_scales: (N, 3) logarithms of the standard deviations along these axes (m).
        logits: (N,) of the opacities.
        albedos: (N, 3) red, green and blue under a light of 1.
        normals: (N, 3) on which the light depends, of any length above 0.
        light: (9, 3) spherical harmonics, in the world.
    """

    means: Floats
    quaternions: Floats
    log_scales: Floats
    logits: Floats
    albedos: Floats
    normals: Floats
    light: Floats

    @property
    def opacities(self) -> Floats:
        """(N,) in (0, 1)."""
        return np.asarray(1 / (1 + np.exp(-self.logits)), np.float32)

    def arrays(self) -> dict[str, Floats]:
        """Return all arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def posed(splats: Splats, links: NDArray[np.int64], poses: Array) -> Gaussians:
    """Return the splats in the world.

    Args:
        splats: N of them.
        links: (N,) number of each one's link.
        poses: (L, 4, 4) of the links in the world.
    """
    means, covariances, colors = pose_splats(_but_logits(splats), links, poses)
    return Gaussians(means, covariances, splats.opacities, colors)


def posed_back(
    splats: Splats, links: NDArray[np.int64], poses: Array, by: Gaussians
) -> tuple[Splats, Array]:
    """Return the gradients by the splats, and (L, 6) by twists of the links in the world.

    Args:
        splats: As given to `posed`.
        links: Likewise.
        poses: Likewise.
        by: Gradients by what `posed` returned.
    """
    opacities = splats.opacities
    means, quaternions, log_scales, albedos, normals, light, twists = pose_back(
        _but_logits(splats), links, poses, (by.means, by.covariances, by.colors)
    )
    logits = by.opacities * opacities * (1 - opacities)
    return Splats(means, quaternions, log_scales, logits, albedos, normals, light), twists


def _but_logits(splats: Splats) -> tuple[Floats, ...]:
    return tuple(array for name, array in splats.arrays().items() if name != "logits")


def moved(splats: Splats, links: NDArray[np.int64], transforms: Array) -> Splats:
    """Return the splats in other frames of their links.

    Args:
        splats: N of them.
        links: (N,) number of each one's link.
        transforms: (L, 4, 4) that map points of a link's frame into its other frame.
    """
    own = transforms[links]
    turns = own[:, :3, :3]
    arrays = splats.arrays()
    before = Rotation.from_quat(splats.quaternions, scalar_first=True)
    arrays |= {
        "means": np.einsum("nij,nj->ni", turns, splats.means) + own[:, :3, 3],
        "normals": np.einsum("nij,nj->ni", turns, splats.normals),
        "quaternions": (Rotation.from_matrix(turns) * before).as_quat(scalar_first=True),
    }
    return Splats(**{name: np.ascontiguousarray(a, np.float32) for name, a in arrays.items()})


def joined(groups: Sequence[Splats]) -> Splats:
    """Return splats of several groups under the light of the first."""
    arrays = {
        name: np.concatenate([getattr(group, name) for group in groups])
        for name in groups[0].arrays()
        if name != "light"
    }
    return Splats(**arrays, light=groups[0].light)
