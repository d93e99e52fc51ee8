"""Images of a robot as the baseline by bones reads them, on a device of PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.bones.tiled_splatting import CameraBatch
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.geometry.arrays import Array

_WHITE = np.float32(255)
_STILL = 1e-9  # rad or m, of a joint that no image moves


@dataclass(frozen=True)
class PositionRange:
    """How joint positions are scaled for the networks.

    Attributes:
        rest: (J,) at rest (rad or m).
        width: (J,) greatest distance from rest, which becomes 1 (rad or m).
    """

    rest: Array
    width: Array

    @classmethod
    def of(cls, positions: Array, rest: Array) -> PositionRange:
        """Return that of positions (F, J)."""
        return cls(rest, np.maximum(np.abs(positions - rest).max(0), _STILL))

    @classmethod
    def about_rest(cls, positions: Array) -> PositionRange:
        """Return that of positions (F, J) about the configuration that most of them are at."""
        configurations, counts = np.unique(positions.round(9), axis=0, return_counts=True)
        return cls.of(positions, configurations[counts.argmax()])


@dataclass(frozen=True)
class BoneImages:
    """F images.

    Attributes:
        cameras: F of them.
        colors: (F, H, W, 3) bytes, 0 where the robot is not.
        masks: (F, H, W) bytes.
        positions: (F, J) of the joints, from -1 to 1 over all images, 0 at rest.
        reaches: (F,) greatest distance of a position from rest, in its own unit (rad or m).
    """

    cameras: CameraBatch
    colors: Tensor
    masks: Tensor
    positions: Tensor
    reaches: Tensor

    def batch(self, numbers: Tensor) -> tuple[CameraBatch, Tensor, Tensor]:
        """Return cameras, colours (B, H, W, 3) and masks (B, H, W) in [0, 1] of some images."""
        chosen = numbers.to(self.colors.device)
        cameras = camera_choice(self.cameras, chosen)
        return cameras, self.colors[chosen].float() / 255, self.masks[chosen].float() / 255

    def chosen(self, numbers: Tensor) -> BoneImages:
        """Return some of the images."""
        own = numbers.to(self.colors.device)
        return BoneImages(
            camera_choice(self.cameras, own),
            self.colors[own],
            self.masks[own],
            self.positions[own],
            self.reaches[own],
        )

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners (3,) of a box around the robot (m).

        Its centre is the point nearest to all optical axes, and its half width is that at which the
        robot's pixels are seen from there.
        """
        turns = self.cameras.turns.double().cpu().numpy()
        shifts = self.cameras.shifts.double().cpu().numpy()
        eyes = -np.einsum("fji,fj->fi", turns, shifts)
        axes = turns[:, 2]
        across = np.eye(3) - axes[:, :, None] * axes[:, None]
        center = np.linalg.solve(across.sum(0), np.einsum("fij,fj->i", across, eyes))
        height, width = self.masks.shape[1:]
        shown = self.masks > 0
        columns = torch.nonzero(shown.any(1).any(0)).squeeze(-1).float().cpu().numpy()
        rows = torch.nonzero(shown.any(2).any(0)).squeeze(-1).float().cpu().numpy()
        if not len(columns):
            raise InputError("no image shows the robot; accepted are masks that do")
        pixels = max(np.abs(columns - width / 2).max(), np.abs(rows - height / 2).max())
        distance = np.linalg.norm(eyes - center, axis=1).mean()
        half = distance * pixels / float(self.cameras.lenses[:, 0].mean())
        return center - half, center + half


def posed_images(images: RobotImages) -> tuple[list[PosedImage], Array]:
    """Return images before black, and positions (F, J) of the joints in the order of their names.

    Raises:
        InputError: An image has no mask.
    """
    names = sorted(images.images[0].joint_positions)
    positions = np.array([[one.joint_positions[name] for name in names] for one in images.images])
    posed = []
    for number, one in enumerate(images.images):
        if one.mask is None:
            raise InputError(f"image {number} has no mask; accepted are masks with all images")
        mask = one.mask.astype(np.float32) / _WHITE
        color = one.color.astype(np.float32) / _WHITE * mask[..., None]
        posed.append(PosedImage(one.camera, np.eye(4)[None], color, mask))
    return posed, positions


def camera_choice(cameras: CameraBatch, numbers: Tensor) -> CameraBatch:
    """Return some cameras."""
    return CameraBatch(
        cameras.turns[numbers],
        cameras.shifts[numbers],
        cameras.lenses[numbers],
        cameras.width,
        cameras.height,
    )


def camera_batch(cameras: Sequence[PinholeCamera], device: torch.device) -> CameraBatch:
    """Return cameras of one size.

    Raises:
        InputError: Their sizes differ.
    """
    sizes = {(camera.width, camera.height) for camera in cameras}
    if len(sizes) != 1:
        raise InputError(f"images of sizes {sorted(sizes)}; accepted are images of one size")
    turns = np.stack([camera.pose[:3, :3].T for camera in cameras])
    shifts = np.stack([-camera.pose[:3, :3].T @ camera.pose[:3, 3] for camera in cameras])
    lenses = np.array([[*camera.focal, *camera.principal] for camera in cameras])
    turn, shift, lens = (
        torch.tensor(a, dtype=torch.float32, device=device) for a in (turns, shifts, lenses)
    )
    return CameraBatch(turn, shift, lens, *sizes.pop())


def bone_images(
    images: Sequence[PosedImage], positions: Array, spans: PositionRange, device: torch.device
) -> BoneImages:
    """Return images for the baseline.

    Args:
        images: F of them; poses of links are not read.
        positions: (F, J) of the joints (rad or m).
        spans: Of the joints.
        device: Where they are kept.

    Raises:
        InputError: Their sizes differ.
    """
    cameras = camera_batch([image.camera for image in images], device)
    colors = np.stack([np.rint(255 * image.color.clip(0, 1)).astype(np.uint8) for image in images])
    masks = np.stack([np.rint(255 * image.mask).astype(np.uint8) for image in images])
    offsets = np.asarray(positions) - spans.rest
    return BoneImages(
        cameras,
        torch.as_tensor(colors, device=device),
        torch.as_tensor(masks, device=device),
        torch.tensor(offsets / spans.width, dtype=torch.float32, device=device),
        torch.tensor(np.abs(offsets).max(1), dtype=torch.float32, device=device),
    )
