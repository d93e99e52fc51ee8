"""The links of a payload with joints: what the field's densities make of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.payload.field.shape_uncertainty import (
    DEVIATIONS,
    ShapeUncertainty,
)
from autourdf_ros.model.inertial.inertial_parameters import moved

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class LinkParameters:
    """Inertial parameters of l links in the sensor's frame, at the joint values of the weighing.

    Attributes:
        parameters: (l, 10) of the links; their sum is the whole's.
        covariance: (10 l, 10 l) of them, stacked link by link.
    """

    parameters: Array
    covariance: Array


def summed_by_link(links: Labels, moments: Array, densities: Array, change: Array) -> Array:
    """Return the parameters (l, 10) of the links.

    Args:
        links: (k,) link of every cluster.
        moments: (k, 10) of the clusters at unit density.
        densities: (k,) kg/m³.
        change: (4, 4) affine, of the whole body's shape.
    """
    summed = np.zeros((int(links.max()) + 1, 10))
    np.add.at(summed, links, densities[:, None] * moments)
    return moved(summed, change)


def link_derivatives(
    links: Labels, moments: Array, densities: Array, shape: ShapeUncertainty
) -> tuple[Array, Array]:
    """Return the derivatives of the links' stacked parameters.

    Args:
        links: (k,) link of every cluster.
        moments: (k, 10) of the clusters at unit density.
        densities: (k,) kg/m³.
        shape: Whose deviations move all links alike.

    Returns:
        By the densities (10 l, k), and by the shape's deviations (10 l, 12).
    """
    count = int(links.max()) + 1
    by_density = np.zeros((count, 10, len(links)))
    by_density[links, :, np.arange(len(links))] = moments
    by_shape = np.zeros((count, 10, DEVIATIONS))
    for link in range(count):
        own = links == link
        by_shape[link] = shape.generators(moments[own], densities[own])
    return by_density.reshape(10 * count, -1), by_shape.reshape(10 * count, -1)
