"""Mass properties of a link from its closed volume."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

DENSITY = 1000.0
"""kg/m³, assumed of every link: light-alloy castings with motors and air inside come near water.
Motion alone, seen from outside, cannot tell it."""

_SPECK_RADIUS = 0.005  # m, of the ball that stands for a link too sparsely seen to have a volume


@dataclass(frozen=True)
class MassProperties:
    """mass: kg. centre: (3,) m. inertia: (3, 3) kg m² about the centre; all in the mesh's frame."""

    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]


def mass_properties(mesh: trimesh.Trimesh | None, density: float = DENSITY) -> MassProperties:
    """Of a homogeneous solid bounded by the closed mesh; of a 5 mm ball where there is none.

    A real solid's inertia is physically consistent: positive definite, and its principal moments
    satisfy the triangle inequality.
    """
    if mesh is None:
        mass = density * 4 / 3 * np.pi * _SPECK_RADIUS**3
        return MassProperties(mass, np.zeros(3), 0.4 * mass * _SPECK_RADIUS**2 * np.eye(3))
    solid = mesh.copy()
    solid.density = density
    inertia = np.asarray(solid.moment_inertia, float)
    return MassProperties(
        float(solid.mass), np.asarray(solid.center_mass, float), (inertia + inertia.T) / 2
    )
