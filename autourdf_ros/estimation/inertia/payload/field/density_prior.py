"""What is known of an object's density before it is weighed: a Gaussian field over its clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DensityOptions:
    """Constants of the density field.

    Attributes:
        level: Mean density (kg/m³): physical, between those of plastics and steel.
        level_std: Of the common level (kg/m³): physical, spans foam to lead within 2 deviations.
        own_std: Of a cluster's independent part (kg/m³): physical, cavities and coatings.
        contrasts: Deviations (kg/m³) that the parts correlated by colour and by place may have:
            physical, from homogeneous to steel beside foam.
        lengths: Correlation lengths of place as multiples of the object's size.
        colour_length: Distance in RGB (0 to 1) over which colours count as alike: about three
            times the noise of a camera's colours.
        colour_rare: Contrast by colour (kg/m³) that is a priori as likely as a deviation of one:
            physical, that of steel beside plastics.
        place_rare: Contrast within one colour (kg/m³), likewise: of a filled beside a hollow part.
    """

    level: float = 3000.0
    level_std: float = 4000.0
    own_std: float = 30.0
    contrasts: tuple[float, ...] = (0.0, 300.0, 600.0, 1200.0, 2000.0, 3200.0, 5000.0)
    lengths: tuple[float, ...] = (0.08, 0.16, 0.3)
    colour_length: float = 0.15
    colour_rare: float = 2500.0
    place_rare: float = 500.0


@dataclass(frozen=True)
class DensityKernels:
    """The parts of the prior covariance over k clusters, at unit deviation.

    Attributes:
        colour: (k, k); zero where colours are unknown. Of links without colours: whether alike.
        places: (l, k, k) one for each length.
        of_materials: Whether one colour means one material, as a link does not.
    """

    colour: Array
    places: Array
    of_materials: bool


def density_kernels(
    centres: Array,
    colours: Array | None,
    options: DensityOptions,
    links: NDArray[np.int64] | None = None,
) -> DensityKernels:
    """Return the kernels of clusters with mean places (k, 3), mean colours (k, 3), links (k,)."""
    apart = cdist(centres, centres)
    size = max(float(apart.max()), np.finfo(float).tiny)
    places = np.exp(-((apart / size) ** 2) / (2 * np.array(options.lengths)[:, None, None] ** 2))
    if colours is None:
        alike = np.zeros_like(apart) if links is None else (links[:, None] == links).astype(float)
        return DensityKernels(alike, places, False)
    unlike = cdist(colours, colours) / options.colour_length
    return DensityKernels(np.exp(-(unlike**2) / 2), places, True)
