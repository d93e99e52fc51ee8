"""The baseline as a whole: splats at rest, bones, and both in motion."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import cos, pi

import torch
from scipy.spatial import KDTree
from torch import Tensor

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.bones.bone_images import BoneImages
from autourdf_ros.estimation.appearance.bones.bone_losses import (
    bone_losses,
    image_loss,
    motion_losses,
    weight_loss,
)
from autourdf_ros.estimation.appearance.bones.bone_options import BoneOptions
from autourdf_ros.estimation.appearance.bones.bone_skinning import (
    Bones,
    backward_moved,
    first_bones,
    forward_moved,
)
from autourdf_ros.estimation.appearance.bones.colored_splats import BLUR, ColoredSplats, drawn
from autourdf_ros.estimation.appearance.bones.rest_splats import fit_at_rest, optimizer_of
from autourdf_ros.estimation.appearance.bones.tiled_splatting import CameraBatch, blend, project
from autourdf_ros.estimation.appearance.bones.turns import turn_matrices
from autourdf_ros.progress import Progress, silent

RESTING = 1e-6  # rad or m, below which an image is at rest
_OPAQUE = 0.99  # of the image of a bone


@dataclass(frozen=True)
class BoneRobot:
    """A robot by bones.

    Attributes:
        splats: N at rest.
        bones: M of them, with the networks.
        rest: (J,) positions at rest, in the networks' unit.
        degree: Of the harmonics.
    """

    splats: ColoredSplats
    bones: Bones
    rest: Tensor
    degree: int

    def posed(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return places (B, N, 3; m) and turns (B, N, 3, 3) of splats at positions (B, J)."""
        weights = self.bones.at_rest(self.splats.means, self.rest)
        return forward_moved(
            self.splats.means, weights, self.bones, *self.bones.kinematics(positions)
        )

    def drawn(self, positions: Tensor, cameras: CameraBatch) -> Tensor:
        """Return images (B, H, W, 4) at positions (B, J): colour before black, passing light."""
        return drawn(self.splats, *self.posed(positions), cameras, self.degree)[0]

    def parts(self) -> Tensor:
        """Return the bone (N,) that each splat belongs to, equation 27."""
        return self.bones.at_rest(self.splats.means, self.rest).argmax(1)


def fit_bones(
    images: BoneImages,
    options: BoneOptions,
    progress: Progress = silent,
    splats: ColoredSplats | None = None,
) -> BoneRobot:
    """Return a robot by bones, fitted to images.

    Args:
        images: At rest, and in other configurations.
        options: All constants.
        progress: Is called with stage and fraction, and may raise to cancel.
        splats: Of the robot at rest; None: they are fitted to the images at rest.

    Raises:
        InputError: No image is at rest, or none is not.
    """
    torch.manual_seed(options.seed)
    resting = images.reaches <= RESTING
    if not resting.any() or resting.all():
        raise InputError(
            f"{int(resting.sum())} of {len(resting)} images are at rest; accepted are some, not all"
        )
    if splats is None:
        still = images.chosen(torch.nonzero(resting).squeeze(-1))
        mask = options.weights.mask
        splats = fit_at_rest(still, mask, options.static, options.seed, progress)
    motors = images.positions.shape[1]
    bones = first_bones(
        splats.means, options.bones or motors + 1, motors, options.radius, options.seed
    )
    rest = torch.zeros(motors, device=splats.means.device)
    robot = BoneRobot(splats, bones, rest, options.static.degree)
    _descend(robot, images, options, progress)
    return robot


def _descend(
    robot: BoneRobot, images: BoneImages, options: BoneOptions, progress: Progress
) -> None:
    """Fit bones and networks, then splats as well, to more and more of the motion."""
    draw = torch.Generator().manual_seed(options.seed)
    low, high = robot.splats.means.detach().aminmax(dim=0)
    extent = float((high - low).max())
    slow = replace(options.static, place_rates=(options.static.place_rates[1],) * 2)
    own = optimizer_of(robot.splats, slow, extent)
    shared = torch.optim.AdamW(
        robot.bones.parameters(), lr=options.rate, weight_decay=options.decay
    )
    stages = [torch.nonzero(images.reaches <= reach).squeeze(-1) for reach in options.reaches]
    stages.append(torch.arange(len(images.reaches)))
    neighbours = _nearest(robot.splats.means, options.neighbours)
    begin = time.monotonic()
    for step in range(options.steps):
        done = step / options.steps
        if options.seconds is not None:
            done = max(done, (time.monotonic() - begin) / options.seconds)
        if done >= 1:
            break
        progress("bones", done)
        shared.param_groups[0]["lr"] = options.rate * (1 + cos(pi * done)) / 2
        ends = torch.tensor(options.stages).cumsum(0)
        among = stages[int((ends <= done).sum())]
        chosen = among[
            torch.randint(len(among), (options.images,), generator=draw).to(among.device)
        ]
        joint = done >= 1 - options.joint
        loss = _loss(robot, images, chosen, neighbours, options, extent, joint)
        shared.zero_grad(set_to_none=True)
        own.zero_grad(set_to_none=True)
        loss.backward()
        shared.step()
        if joint:
            own.step()


def _loss(
    robot: BoneRobot,
    images: BoneImages,
    chosen: Tensor,
    neighbours: Tensor,
    options: BoneOptions,
    extent: float,
    joint: bool,
) -> Tensor:
    """Return equation 24 for some images."""
    weights, bones, splats = options.weights, robot.bones, robot.splats
    cameras, colors, masks = images.batch(chosen)
    positions = images.positions[chosen.to(images.positions.device)]
    turns, shifts = bones.kinematics(positions)
    rest = splats.means if joint else splats.means.detach()
    skinning = bones.at_rest(rest, robot.rest)
    moved, blended = forward_moved(rest, skinning, bones, turns, shifts)
    pixels, _ = drawn(splats, moved, blended, cameras, robot.degree)
    loss = weights.render * image_loss(
        pixels, colors, masks, weights.mask / weights.render, options.static.ssim
    )
    loss = loss + motion_losses(rest, moved, blended, neighbours, options.nearness, weights)
    some = torch.randint(len(rest), (min(options.cycled, len(rest)),), device=rest.device)
    back = backward_moved(moved[:, some], positions, bones, turns, shifts)
    loss = loss + weights.cycle * ((back - rest[some]) ** 2).sum(-1).mean()
    loss = loss + weights.smooth * weight_loss(skinning, neighbours)
    loss = loss + bone_losses(bones, options.apart * extent, weights)
    shadow = bone_masks(bones, turns, shifts, cameras)
    return loss + weights.bone_mask * (shadow - masks).abs().mean()


def bone_masks(bones: Bones, turns: Tensor, shifts: Tensor, cameras: CameraBatch) -> Tensor:
    """Return what bones cover (B, H, W) in B images, each drawn as an opaque Gaussian."""
    axes = (
        torch.einsum("bmij,mjk->bmik", turns, turn_matrices(bones.quaternions))
        * bones.radii[:, None]
    )
    opacities = torch.full_like(bones.radii[:, 0], _OPAQUE)
    covariances = axes @ axes.transpose(-1, -2)
    flat = project(bones.centers + shifts, covariances, opacities, cameras, BLUR)
    colors = torch.zeros_like(flat.conics)
    return 1 - blend(flat, colors, cameras.width, cameras.height)[..., 3]


def _nearest(means: Tensor, count: int) -> Tensor:
    """Return the numbers (N, count) of the nearest other splats."""
    places = means.detach().cpu().double().numpy()
    found = KDTree(places).query(places, min(count + 1, len(places)))[1][:, 1:]
    return torch.as_tensor(found, device=means.device)
