"""All constants of a self-model from images alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.kinematics.kinematics_options import KinematicsOptions
from autourdf_ros.estimation.appearance.unknown.axis_scatter import AxisScatterOptions

_FIRST = SplatFitOptions(coarse_steps=400, fine_steps=0)
_FINAL = AppearanceOptions(splats=16_000)


@dataclass(frozen=True)
class SelfModelOptions:
    """How a self-model is found.

    Attributes:
        kinematics: Of the search by outlines.
        rounds: Of labels by outlines and axes by colours, before the last one.
        outside: Share of the images in which a part of the robot may be outside of its masks.
        first_splats: About how many there are at first.
        first: Of the descents before the last one.
        final: Of the last descent, and of the verdict; but its `axes` say only what is doubtful.
        scatter: Of the groups of images that find the axes again.
        exists: Probability that a joint moves what hangs on it from which it is trusted.
        parent: The same that it hangs on its link.
        axis: Largest standard deviation of an axis that is trusted (rad).
    """

    kinematics: KinematicsOptions = field(default_factory=KinematicsOptions)
    rounds: int = 1
    outside: float = 0.02
    first_splats: int = 6_000
    first: SplatFitOptions = _FIRST
    final: AppearanceOptions = _FINAL
    scatter: AxisScatterOptions = field(default_factory=AxisScatterOptions)
    exists: float = 0.99
    parent: float = 0.9
    axis: float = 0.0175
