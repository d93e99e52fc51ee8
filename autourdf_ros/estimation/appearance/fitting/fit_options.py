"""All constants of the fit of splats to images."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SplatRates:
    """Step sizes of Adam.

    Attributes:
        means: Of the places, in mean spacings of the splats.
        quaternions: Of unit quaternions.
        log_scales: Of logarithms.
        logits: Of the opacities.
        albedos: Of colours in [0, 1].
        normals: Of unit vectors.
        light: Of the harmonics' coefficients.
    """

    means: float = 0.05
    quaternions: float = 0.01
    log_scales: float = 0.02
    logits: float = 0.05
    albedos: float = 0.01
    normals: float = 0.02
    light: float = 0.01


@dataclass(frozen=True)
class AxisRates:
    """Step sizes of Adam.

    Attributes:
        turns: Of the joints' axes (rad).
        shifts: Of them (m).
    """

    turns: float = 2e-3
    shifts: float = 8e-4


@dataclass(frozen=True)
class ResidualOptions:
    """How residuals of images are weighted.

    Attributes:
        noise: Of a colour in [0, 1], at least.
        robust: Standard deviations of a residual from which it counts less.
        alike: Neighbouring residuals whose errors count as one.
    """

    noise: float = 0.01
    robust: float = 3.0
    alike: float = 40.0


@dataclass(frozen=True)
class CameraOptions:
    """How the poses of cameras are refined along with splats.

    Attributes:
        rounds: Shares of the descent after which all cameras are refined; none: they are kept.
        steps: Of Gauss and Newton in a round, at most.
        held_out_steps: Likewise, of an image that was not fitted.
        settled: Pixels by which a last step moves the robot at most.
        turn: Standard deviation of a stated pose about each axis (rad), before anything is seen.
        shift: Along each axis (m).
        residuals: How they are weighted.
    """

    rounds: tuple[float, ...] = ()
    steps: int = 4
    held_out_steps: int = 10
    settled: float = 0.02
    turn: float = 0.01
    shift: float = 0.02
    residuals: ResidualOptions = field(default_factory=ResidualOptions)


REFINED_CAMERAS = CameraOptions(rounds=(0.1, 0.25, 0.4, 0.7))
"""In which cameras are refined: three times at half the size of the images, once at full size."""


@dataclass(frozen=True)
class SplatFitOptions:
    """How splats are fitted.

    Attributes:
        coarse_steps: Steps at half the size of the images.
        fine_steps: Steps at their full size.
        batch: Images of a step, which are drawn side by side on the cores.
        exposure: Whether every image has its own, which is found along with the splats.
        last_share: Share of the rates that the last step takes; they fall geometrically.
        seed: Of the order of the images.
    """

    coarse_steps: int = 600
    fine_steps: int = 900
    batch: int = 2
    exposure: bool = False
    last_share: float = 0.03
    seed: int = 0
    rates: SplatRates = field(default_factory=SplatRates)
    axis_rates: AxisRates = field(default_factory=AxisRates)
    cameras: CameraOptions = field(default_factory=CameraOptions)
