"""An object's body as volume elements: what masses are spread over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import parameters_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SolidBody:
    """The volume of an object, as n elements (voxels or tetrahedra), in the object's frame.

    Attributes:
        centres: (n, 3) centroids of the elements (m).
        volumes: (n,) of the elements (m³).
        second_moments: (n, 3, 3) of each element about its own centroid, ∫ p pᵀ dV (m⁵).
        colours: (n, 3) of the nearest surface, RGB from 0 to 1; None where colours are unknown.
        seen: (n,) whether the surface nearest to the element was observed.
        shape_std: Standard deviation of the surface's place (m): how well the shape is known.

    Raises:
        InputError: there are no elements, or a volume is not positive.
    """

    centres: Array
    volumes: Array
    second_moments: Array
    colours: Array | None
    seen: NDArray[np.bool_]
    shape_std: float

    def __post_init__(self) -> None:
        if not len(self.centres):
            raise InputError("a body of 0 volume elements; accepted is a closed shape")
        if not (np.isfinite(self.centres).all() and (self.volumes > 0).all()):
            raise InputError("volume elements that are not finite or have no volume")

    @property
    def volume(self) -> float:
        """Volume of the body (m³)."""
        return float(self.volumes.sum())

    def element_parameters(self) -> Array:
        """Return the inertial parameters (n, 10) of the elements at a density of 1 kg/m³."""
        homogeneous = np.column_stack([self.centres, np.ones(len(self.centres))])
        pseudo = self.volumes[:, None, None] * homogeneous[:, :, None] * homogeneous[:, None, :]
        pseudo[:, :3, :3] += self.second_moments
        return parameters_of(pseudo)

    def transformed(self, pose: Array) -> SolidBody:
        """Return the body in the frame in which its own has this rigid pose (4, 4)."""
        turn = pose[:3, :3]
        centres = self.centres @ turn.T + pose[:3, 3]
        return replace(self, centres=centres, second_moments=turn @ self.second_moments @ turn.T)

    def group_parameters(self, labels: NDArray[np.int64]) -> Array:
        """Return the inertial parameters (k, 10) of k groups of elements at 1 kg/m³.

        Args:
            labels: (n,) group of every element, 0 to k - 1.
        """
        own = self.element_parameters()
        summed = np.zeros((int(labels.max()) + 1, 10))
        np.add.at(summed, labels, own)
        return summed


def joined_bodies(bodies: Sequence[SolidBody]) -> SolidBody:
    """Return bodies of one frame as one, without colours; its shape is as uncertain as the worst.

    Where two overlap, both count.
    """
    return SolidBody(
        np.concatenate([one.centres for one in bodies]),
        np.concatenate([one.volumes for one in bodies]),
        np.concatenate([one.second_moments for one in bodies]),
        None,
        np.concatenate([one.seen for one in bodies]),
        max(one.shape_std for one in bodies),
    )
