"""The body inside the surface that a point cloud shows, as volume elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.field_elements import corner_values, field_elements, lattice_over
from autourdf_ros.shape.solid.mesh_solid import nearest_colours
from autourdf_ros.shape.solid.solid_body import SolidBody
from autourdf_ros.shape.solid.solid_options import SOLID_OPTIONS, SolidOptions
from autourdf_ros.shape.solid.winding_field import (
    FIELD_OPTIONS,
    FieldOptions,
    WindingField,
    fit_winding_field,
    spacing_of,
)

Array = NDArray[np.float64]

_COARSE = 20_000  # cubes of the lattice that shows how large the body is: a resource bound
_CELLS_REACHED = 1.8  # a cube's diagonal, which the field needs around the surface


@dataclass(frozen=True)
class CloudOptions:
    """How far the surface of a cloud is known.

    Attributes:
        hole: Spacings between points up to which space between them counts as surface: the largest
            empty circle among 2000 points strewn at random is 1.7 wide.
        shape_std: Spacings by which the body's centre and radii are wrong, standard deviation.
    """

    hole: float = 3.0
    shape_std: float = 0.4


CLOUD_OPTIONS = CloudOptions()


def cloud_solid(
    surface: ColouredSurface,
    options: SolidOptions = SOLID_OPTIONS,
    field_options: FieldOptions = FIELD_OPTIONS,
    cloud_options: CloudOptions = CLOUD_OPTIONS,
) -> SolidBody:
    """Return the body inside the surface that points show from all sides.

    Space is inside where the winding number of the points exceeds theirs. Cavities that the points
    do not show are filled.

    Args:
        surface: Points all around the object; one seen from above is completed first
            (`table_completion`).
        options: How fine.
        field_options: How the winding number is found.
        cloud_options: How sure the surface is.

    Raises:
        InputError: the points lie on a line, or enclose nothing.
    """
    chosen = farthest_point_indices(surface.points, field_options.most_points)
    points = surface.points[chosen]
    field = fit_winding_field(points, field_options)
    centres, volumes, moments = _elements(field, options, cloud_options)
    if not len(centres):
        raise InputError(
            f"{surface.source}: points that enclose nothing; accepted is a closed surface"
        )
    spacing = spacing_of(points, field_options.neighbours)
    return SolidBody(
        centres,
        volumes,
        moments,
        nearest_colours(surface, centres),
        np.ones(len(centres), bool),
        cloud_options.shape_std * spacing,
    )


def _elements(
    field: WindingField, options: SolidOptions, cloud_options: CloudOptions
) -> tuple[Array, Array, Array]:
    """Elements in the object's frame: cubes in the field's, where thin objects are stretched."""
    back = np.linalg.inv(field.frame)
    points = field.points
    hole = cloud_options.hole * spacing_of(points, field.options.neighbours)

    def asked(places: Array) -> Array:
        return field.inside(places @ back.T + field.middle)

    def cut(cell: float) -> tuple[Array, Array, Array]:
        lattice = lattice_over(points, cell)
        reach = max(_CELLS_REACHED * cell, hole)
        return field_elements(lattice, corner_values(lattice, points, reach, asked))

    volume = cut((np.prod(np.ptp(points, axis=0)) / _COARSE) ** (1 / 3))[1].sum()
    if volume <= 0:
        return np.empty((0, 3)), np.empty(0), np.empty((0, 3, 3))
    centres, volumes, moments = cut((volume / options.elements) ** (1 / 3))
    scale = abs(float(np.linalg.det(back)))
    return centres @ back.T + field.middle, scale * volumes, scale * back @ moments @ back.T
