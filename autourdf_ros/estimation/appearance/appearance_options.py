"""All constants of the appearance that do not belong to the descent."""

from __future__ import annotations

from dataclasses import dataclass, field

from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.mask_check import MaskOptions


@dataclass(frozen=True)
class AppearanceOptions:
    """How splats are found and judged.

    Attributes:
        splats: About how many there are.
        held_out: Every so-manieth image is predicted and not fitted.
        fewest: Images that are needed.
        good: PSNR of a link's pixels on held-out images below which it is doubtful (dB).
        overlap: Intersection over union of masks below which the images are not of this model.
        camera: Median error of cameras (pixels) from which they need to be refined.
        far_camera: Median error from which a refinement is not trusted.
        masks: Of the check of masks by the model's surface.
        fit: Of the descent.
        axes: Of the check of the joints' axes.
    """

    splats: int = 20_000
    held_out: int = 10
    fewest: int = 8
    good: float = 20.0
    overlap: float = 0.8
    camera: float = 0.3
    far_camera: float = 8.0
    masks: MaskOptions = field(default_factory=MaskOptions)
    fit: SplatFitOptions = field(default_factory=SplatFitOptions)
    axes: AxisCheckOptions = field(default_factory=AxisCheckOptions)
