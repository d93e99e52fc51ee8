"""All constants of kinematics from images alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from autourdf_ros.estimation.appearance.kinematics.image_motors import MotorOptions
from autourdf_ros.estimation.appearance.kinematics.moved_parts import MovedOptions
from autourdf_ros.estimation.appearance.kinematics.silhouette_likelihood import LikelihoodOptions
from autourdf_ros.estimation.appearance.screws.outline_screws import ScrewSearchOptions

_LOCAL = replace(
    ScrewSearchOptions(),
    turned=0,
    shifted=0,
    rounds=12,
    variants=96,
    turn=np.radians(2),
    shift=0.01,
    caps=(10.0, 4.0),
)


@dataclass(frozen=True)
class KinematicsOptions:
    """How joints and tree are found.

    Attributes:
        pixels: Along the longer side of the images in which outlines are compared, at most.
        cell: Of the first hull, in pixels.
        motors: Which motors there are.
        moved: What a joint moves.
        screws: The search for a screw, where nothing is known of it.
        local: The search near a screw that is known.
        likelihood: The comparison of trees.
        unexplained: Share of the images in which a point is outside with every link, from which it
            is a part that no joint moves yet.
        bodies: That one motor moves by joints of their own, at most.
    """

    pixels: int = 400
    cell: float = 1.5
    motors: MotorOptions = field(default_factory=MotorOptions)
    moved: MovedOptions = field(default_factory=MovedOptions)
    screws: ScrewSearchOptions = field(default_factory=ScrewSearchOptions)
    local: ScrewSearchOptions = _LOCAL
    likelihood: LikelihoodOptions = field(default_factory=LikelihoodOptions)
    unexplained: float = 0.1
    bodies: int = 2
