"""Constants of the baseline by neural bones."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi


@dataclass(frozen=True)
class StaticOptions:
    """Of the splats at rest; values and names of Kerbl et al., 3D Gaussian Splatting, 2023.

    Attributes:
        steps: Of descent.
        images: In a step.
        points: Random ones to begin with (paper: section 3.7).
        degree: Of the spherical harmonics of a splat's colour, by the direction of sight.
        degree_steps: Steps after which the degree grows by one.
        interval: Steps between two densifications (paper: 200).
        densify: Shares of the steps from and to which splats are added and removed.
        slope: Mean gradient by a splat's place in the image, of which half its width is 1, above
            which it is doubled or split.
        small: Share of the scene's extent above which a splat is split and not doubled.
        shrinking: What the deviations of a split splat are divided by.
        faint: Opacity below which a splat is removed.
        most: Splats of which no more are made.
        opacity: Of the first splats.
        reset: Share of the steps after which opacities are once lowered to twice `faint`.
        ssim: Share of the structural term in the loss of images.
        place_rates: First and last rate of the places, in parts of the extent.
        color_rate: Of the constant harmonic; others have a twentieth.
        opacity_rate: Of logits.
        scale_rate: Of log-deviations.
        turn_rate: Of quaternions.
    """

    steps: int = 7000
    images: int = 1
    points: int = 50_000
    degree: int = 3
    degree_steps: int = 1000
    interval: int = 200
    densify: tuple[float, float] = (0.07, 0.6)
    slope: float = 2e-4
    small: float = 0.01
    shrinking: float = 1.6
    faint: float = 0.005
    most: int = 50_000
    opacity: float = 0.1
    reset: float = 0.4
    ssim: float = 0.2
    place_rates: tuple[float, float] = (1.6e-4, 1.6e-6)
    color_rate: float = 2.5e-3
    opacity_rate: float = 0.05
    scale_rate: float = 5e-3
    turn_rate: float = 1e-3


@dataclass(frozen=True)
class BoneWeights:
    """Weights of the ten losses, lambda 1 to 10 of the paper's section 3.7."""

    render: float = 1.0
    mask: float = 0.1
    isometry: float = 1.0
    rigid: float = 0.1
    rotation: float = 0.1
    cycle: float = 1.0
    smooth: float = 10.0
    bone_mask: float = 0.1
    bone_center: float = 0.1
    bone_volume: float = 1.0


@dataclass(frozen=True)
class BoneOptions:
    """Of the whole baseline. Where the paper states no value, the text says so.

    Attributes:
        static: Of the splats at rest.
        bones: Number of bones; None: one more than the motors (paper: section 3.2).
        weights: Of the losses.
        steps: Of descent once the robot moves (paper: 600,000).
        seconds: After which descent ends even if steps are left, with all rates at the end of their
            course; None: it does not.
        images: In a step (paper: not stated; taken as 1).
        rate: First rate of the networks, bones and the scale of skinning; it falls to 0 by a
            cosine (paper: 1e-4).
        decay: Weight decay of AdamW (not stated; PyTorch's).
        reaches: Greatest distances of a revolute joint from rest (rad) of the images of each stage
            but the last; and
        stages: shares of the steps of each stage before all images are used (not stated).
        joint: Share of the steps, the last ones, in which splats are fitted along with the bones
            (not stated).
        neighbours: K nearest splats of a splat at rest (not stated).
        nearness: lambda_w of equation 17 (1/m^2; not stated; Luiten et al., 2024).
        radius: Greatest radius of a bone, in parts of the robot's extent (not stated).
        apart: sigma of equation 22, in parts of the extent (not stated).
        cycled: Splats of each image in the cycle loss, drawn at random (paper: all).
        seed: Of all randomness.
    """

    static: StaticOptions = field(default_factory=StaticOptions)
    bones: int | None = None
    weights: BoneWeights = field(default_factory=BoneWeights)
    steps: int = 600_000
    seconds: float | None = None
    images: int = 1
    rate: float = 1e-4
    decay: float = 0.01
    reaches: tuple[float, ...] = (pi / 6, pi / 3)
    stages: tuple[float, ...] = (0.1, 0.15)
    joint: float = 0.5
    neighbours: int = 8
    nearness: float = 2000.0
    radius: float = 0.15
    apart: float = 0.05
    cycled: int = 2000
    seed: int = 0
