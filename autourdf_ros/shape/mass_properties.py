"""Mass properties of a link from its closed volume."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.shape.visual.closed_mesh import SPECK_RADIUS

DENSITY = 1000.0
"""kg/m³, assumed of every link: light-alloy castings with motors and air inside come near water.
Motion alone, seen from outside, does not show it."""

_FLATTEST = 1e-6  # least of a link's three second moments, of the largest


@dataclass(frozen=True)
class MassProperties:
    """mass: kg. centre: (3,) m. inertia: (3, 3) kg m² about the centre; all in the mesh's frame."""

    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]


def mass_properties(mesh: trimesh.Trimesh | None, density: float = DENSITY) -> MassProperties:
    """Return those of a solid bounded by the closed mesh; of a small ball without one.

    Always physically consistent: positive definite, with principal moments that satisfy the
    triangle inequality by more than their digits are rounded (see `consistent`).
    """
    if mesh is None:
        mass = density * _speck_volume()
        return MassProperties(mass, np.zeros(3), 0.4 * mass * SPECK_RADIUS**2 * np.eye(3))
    # About the vertices' mean: a small link far from its frame would lose its digits.
    shift = np.asarray(mesh.vertices, float).mean(0)
    solid = trimesh.Trimesh(mesh.vertices - shift, mesh.faces, process=False)
    solid.density = density
    inertia = consistent(np.asarray(solid.moment_inertia, float))
    return MassProperties(float(solid.mass), np.asarray(solid.center_mass, float) + shift, inertia)


def consistent(inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inertia (3, 3) with its second moments kept clear of zero.

    An inertia is that of some body of positive mass exactly where its matrix of second moments,
    tr(I)/2 - I, is positive definite (Traversaro et al., IROS 2016); then it is so itself and
    satisfies the triangle inequality.
    """
    second = np.trace(inertia) / 2 * np.eye(3) - (inertia + inertia.T) / 2
    moments, axes = np.linalg.eigh(second)
    second = (axes * np.maximum(moments, _FLATTEST * moments.max())) @ axes.T
    second = (second + second.T) / 2
    return np.trace(second) * np.eye(3) - second


def density_of(mass: float, meshes: Iterable[trimesh.Trimesh | None]) -> float:
    """Return the density (kg/m³) at which the solids of all meshes weigh `mass` (kg) together."""
    volumes = [_speck_volume() if mesh is None else float(mesh.volume) for mesh in meshes]
    return mass / sum(volumes)


def _speck_volume() -> float:
    return 4 / 3 * np.pi * SPECK_RADIUS**3
