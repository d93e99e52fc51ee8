"""The body inside the surface that a point cloud shows, as volume elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.field_elements import (
    Lattice,
    corner_values,
    crossings,
    field_elements,
    lattice_over,
)
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
        InputError: the points lie on a line or in a plane, or enclose nothing.
    """
    cut = _cut(surface, options, field_options, cloud_options)
    centres, volumes, moments = cut.elements()
    spacing = spacing_of(cut.field.points @ cut.back.T, field_options.neighbours)
    return SolidBody(
        centres,
        volumes,
        moments,
        nearest_colours(surface, centres),
        _seen(surface, centres),
        cloud_options.shape_std * spacing,
    )


def _seen(surface: ColouredSurface, places: Array) -> NDArray[np.bool_]:
    if surface.observed is None:
        return np.ones(len(places), bool)
    return surface.observed[cKDTree(surface.points).query(places)[1]]


def cloud_boundary(
    surface: ColouredSurface,
    options: SolidOptions = SOLID_OPTIONS,
    field_options: FieldOptions = FIELD_OPTIONS,
    cloud_options: CloudOptions = CLOUD_OPTIONS,
) -> Array:
    """Return places (n, 3) all over the boundary of `cloud_solid`, about a cube's side apart."""
    cut = _cut(surface, options, field_options, cloud_options)
    return cut.placed(crossings(cut.lattice, cut.values))


@dataclass(frozen=True)
class _Cut:
    """A field at the corners of a lattice, both in the field's frame; `back` leads to the object's.

    In the field's frame thin objects are stretched.
    """

    field: WindingField
    lattice: Lattice
    values: Array
    back: Array

    def placed(self, places: Array) -> Array:
        return places @ self.back.T + self.field.middle

    def elements(self) -> tuple[Array, Array, Array]:
        centres, volumes, moments = field_elements(self.lattice, self.values)
        scale = abs(float(np.linalg.det(self.back)))
        return self.placed(centres), scale * volumes, scale * self.back @ moments @ self.back.T


def _cut(
    surface: ColouredSurface,
    options: SolidOptions,
    field_options: FieldOptions,
    cloud_options: CloudOptions,
) -> _Cut:
    chosen = farthest_point_indices(surface.points, field_options.most_points)
    try:
        field = fit_winding_field(surface.points[chosen], field_options)
    except InputError as error:
        raise InputError(f"{surface.source}: {error}") from error
    coarse = (np.prod(np.ptp(field.points, axis=0)) / _COARSE) ** (1 / 3)
    volume = field_elements(*_sampled(field, coarse, cloud_options))[1].sum()
    if volume <= 0:
        raise InputError(
            f"{surface.source}: points that enclose nothing; accepted is a closed surface"
        )
    cell = (volume / options.elements) ** (1 / 3)
    lattice, values = _sampled(field, cell, cloud_options)
    back = np.asarray(np.linalg.inv(field.frame), np.float64)
    return _Cut(field, lattice, values, back)


def _sampled(field: WindingField, cell: float, options: CloudOptions) -> tuple[Lattice, Array]:
    """The lattice over the field's points, and the field at its corners."""
    lattice = lattice_over(field.points, cell)
    hole = options.hole * spacing_of(field.points, field.options.neighbours)
    back = np.linalg.inv(field.frame)
    values = corner_values(
        lattice,
        field.points,
        max(_CELLS_REACHED * cell, hole),
        lambda places: field.inside(places @ back.T + field.middle),
    )
    return lattice, values
