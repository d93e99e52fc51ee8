"""All constants of the appearance that do not belong to the descent."""

from __future__ import annotations

from dataclasses import dataclass, field

from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions


@dataclass(frozen=True)
class AppearanceOptions:
    """How splats are found and judged.

    Attributes:
        splats: About how many there are.
        held_out: Every so-manieth image is predicted and not fitted.
        fewest: Images that are needed.
        good: PSNR of a link's pixels on held-out images below which it is doubtful (dB).
        overlap: Intersection over union of masks below which the images are not of this model.
        fit: Of the descent.
        axes: Of the check of the joints' axes.
    """

    splats: int = 20_000
    held_out: int = 10
    fewest: int = 8
    good: float = 20.0
    overlap: float = 0.8
    fit: SplatFitOptions = field(default_factory=SplatFitOptions)
    axes: AxisCheckOptions = field(default_factory=AxisCheckOptions)
