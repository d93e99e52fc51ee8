"""Splats on the links of a kinematic tree, drawn in any configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.joints.image_joints import of_subtrees
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.rasterizer.rasterize import (
    Gaussians,
    SplatImage,
    gradients,
    rasterize,
)
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed, posed_back
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.rigid_motion import adjoint
from autourdf_ros.model.kinematic_tree import KinematicTree


@dataclass(frozen=True)
class SplatRobot:
    """A robot whose K free joints can be set; fixed joints stay, and followers follow.

    Attributes:
        tree: J joints and L links.
        frames: (L, 4, 4) of the links at the tree's reference configuration, base frame.
        splats: N of them, in these frames.
        links: (N,) number of each one's link.
    """

    tree: KinematicTree
    frames: Array
    splats: Splats
    links: Labels

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """(K,) numbers of the joints that move by themselves."""
        joints = enumerate(self.tree.joints)
        return np.array([n for n, one in joints if one.type != "fixed" and one.mimic is None], int)

    @property
    def names(self) -> tuple[str, ...]:
        """(K,) of the free joints."""
        return tuple(self.tree.joint_names[number] for number in self.free)

    @cached_property
    def slides(self) -> NDArray[np.bool_]:
        """(K,) whether a free joint is prismatic."""
        return np.array([self.tree.joints[n].type == "prismatic" for n in self.free], bool)

    @cached_property
    def _coupling(self) -> tuple[Array, Array]:
        """Matrix (J, K) and shift (J,) from the values of free joints to those of all."""
        matrix = np.zeros((len(self.tree.joints), len(self.free)))
        matrix[self.free, np.arange(len(self.free))] = 1
        shift = np.where(matrix.any(axis=1), 0.0, self.tree.reference_values)
        names = self.tree.joint_names
        for _ in names:  # a follower may follow another one
            for number, joint in enumerate(self.tree.joints):
                if joint.mimic is not None:
                    leader = names.index(joint.mimic.joint)
                    matrix[number] = joint.mimic.multiplier * matrix[leader]
                    shift[number] = joint.mimic.multiplier * shift[leader] + joint.mimic.offset
        return matrix, shift

    def values(self, free: Array) -> Array:
        """Return the values (..., J) of all joints, from those (..., K) of the free ones."""
        matrix, shift = self._coupling
        return np.asarray(free @ matrix.T + shift)

    def gaussians(self, free: Array) -> tuple[Gaussians, Array, Array]:
        """Return the splats in the world, and motions and poses (L, 4, 4) of the links."""
        motions = self.tree.motions(self.values(free))
        poses = motions @ self.frames
        return posed(self.splats, self.links, poses), motions, poses

    def draw(self, free: Array, camera: PinholeCamera) -> SplatImage:
        """Return the image in a configuration (K,)."""
        return rasterize(self.gaussians(free)[0], camera)

    def gradient(
        self, free: Array, camera: PinholeCamera, drawn: SplatImage, by_pixels: Floats
    ) -> Array:
        """Return the gradient (K,) of a loss of the image by the free joints' values.

        Args:
            free: (K,) values.
            camera: Of the image.
            drawn: As `draw` returned it.
            by_pixels: (H, W, 4) gradient of the loss by its pixels.
        """
        gaussians, motions, poses = self.gaussians(free)
        by_gaussians = gradients(gaussians, camera, drawn, by_pixels)
        _, twists = posed_back(self.splats, self.links, poses, by_gaussians)
        return self.by_joints(motions, twists)

    def by_joints(self, motions: Array, twists: Array) -> Array:
        """Return the gradient (K,) of a loss by the free joints' values.

        Args:
            motions: (L, 4, 4) as `gaussians` returns them.
            twists: (L, 6) gradients by a twist (omega, v) of each link in the base frame.
        """
        totals = of_subtrees(self.tree, twists)
        parents, children, screws = self._screws
        moved = (adjoint(motions[parents]) @ screws[..., None])[..., 0]
        slopes = (moved * totals[children]).sum(axis=1)
        return np.asarray(slopes @ self._coupling[0])

    @cached_property
    def _screws(self) -> tuple[Labels, Labels, Array]:
        """Numbers (J,) of the joints' parents and children, and screws (J, 6) at the reference."""
        number = {name: index for index, name in enumerate(self.tree.links)}
        joints = self.tree.joints
        screws = np.zeros((len(joints), 6))
        for screw, joint in zip(screws, joints, strict=True):
            axis = np.asarray(joint.axis, float)
            if joint.type == "prismatic":
                screw[3:] = axis
            elif joint.type != "fixed":
                screw[:] = np.concatenate([axis, np.cross(joint.point, axis)])
        parents, children = (
            np.array([number[name] for name in names], int)
            for names in ([one.parent for one in joints], [one.child for one in joints])
        )
        return parents, children, screws

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """Lower and upper limits (K,) of the free joints (rad or m); else one turn."""
        joints = [self.tree.joints[number] for number in self.free]
        lower = np.array([one.lower for one in joints], float)
        upper = np.array([one.upper for one in joints], float)
        return np.where(np.isfinite(lower), lower, -np.pi), np.where(
            np.isfinite(upper), upper, np.pi
        )

    def thinned(self, step: int) -> SplatRobot:
        """Return the robot with every so-manieth splat of each link, as much larger."""
        chosen = np.arange(0, len(self.links), step)
        arrays = {
            name: array if name == "light" else array[chosen]
            for name, array in self.splats.arrays().items()
        }
        arrays["log_scales"] = arrays["log_scales"] + np.float32(np.log(step) / 2)
        return replace(self, splats=Splats(**arrays), links=self.links[chosen])
