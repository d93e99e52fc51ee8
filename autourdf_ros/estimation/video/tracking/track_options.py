"""Choices about tracking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.symmetry.shape_symmetry import ShapeSymmetryOptions


@dataclass(frozen=True)
class TrackOptions:
    """Choices about tracking.

    Attributes:
        method: "surface": Gauss-Newton on surface distances, outlines and free space; "icp":
            point-to-point registration of Heiden et al. (2022), for comparison.
        first_shift: How far given first poses are off (m), as a standard deviation of each axis.
        first_turn: The same of their rotation (rad).
        lateral: Standard deviation of a pixel's direction (pixels).
        edge: Standard deviation of an outline between two pixels (pixels): uniform over one.
        systematic: Standard deviation of what is off in the same way in every pixel and frame
            (outlines along rows of pixels, the grid of distances), in pixels: it is in the stated
            covariances beside what pixels and frames show.
        measured: The same of a body whose shape is what one image showed: the outlines of it are
            off by `edge`, and the mean of some eight of them is what places it.
        robust: Residual in standard deviations that has a quarter of the weight.
        step: Depth difference in standard deviations that separates two surfaces.
        body_pixels: Pixels of a body that are evaluated at most (resource bound).
        first_steps: Gauss-Newton steps for first poses (resource bound).
        steps: The same in later frames.
        settled: Step, in standard deviations of the pose, below which the steps end.
        starts: Poses that are tried where a body overlaps little (resource bound).
        sure_starts: The same at the first frame, where it overlaps well.
        sure_overlap: Share of a body's pixels that agree above which it overlaps well.
        low_overlap: The same below which other starts are tried after the first frame.
        least_overlap: The same below which a body is not seen.
        least_pixels: Pixels of a body that agree below which it is not seen.
        wander: Standard deviation of the prediction, in errors of earlier ones.
        symmetry: What counts as a symmetry.
        plane: (3,) normal, in the world, of the plane in which bodies move that colours alone show;
            None: the camera's optical axis.

    Raises:
        InputError: a value is out of its range.
    """

    method: Literal["surface", "icp"] = "surface"
    first_shift: float = 0.03
    first_turn: float = 0.175
    lateral: float = 0.3
    edge: float = 0.29
    systematic: float = 0.02
    measured: float = 0.1
    robust: float = 3.0
    step: float = 4.0
    body_pixels: int = 3000
    first_steps: int = 30
    steps: int = 8
    settled: float = 0.3
    starts: int = 12
    sure_starts: int = 3
    sure_overlap: float = 0.95
    low_overlap: float = 0.7
    least_overlap: float = 0.4
    least_pixels: int = 30
    wander: float = 3.0
    symmetry: ShapeSymmetryOptions = field(default_factory=ShapeSymmetryOptions)
    plane: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, (int, float)) and not value > 0:
                raise InputError(f"tracking option {name} is {value}; accepted: above 0")
