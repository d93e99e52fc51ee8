"""Refuse estimates that the object's shape contradicts: each fault by its name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import moved
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LoadOptions:
    """Constants of the checks.

    Attributes:
        densities: Least and largest mean density of objects (kg/m³): physical, foam and osmium.
        level: Of significance at which the shape contradicts the wrenches.
        doubt: Of significance from which that is a reason for doubt.
        outside: How far the centre of mass may lie outside the object's box, in its largest
            extents: a multiple of the object's size.
        largest: Extent (m) of an object that a robot holds, from which a wrong density is due to
            the shape's unit.
    """

    densities: tuple[float, float] = (5.0, 23_000.0)
    level: float = 1e-12
    doubt: float = 1e-5
    outside: float = 0.15
    largest: float = 10.0


LOAD_OPTIONS = LoadOptions()


def check_load(
    body: SolidBody,
    pose: Array,
    parameters: Array,
    spread: Array,
    options: LoadOptions = LOAD_OPTIONS,
) -> None:
    """Raise InputError where mass and first moment, found without the shape, are not the object's.

    Args:
        body: The object.
        pose: (4, 4) of the object in the sensor's frame.
        parameters: (10,) by the wrenches alone, in the sensor's frame.
        spread: (10, 10) their covariance.
        options: Constants.
    """
    mass = parameters[0]
    density = mass / body.volume
    least, most = options.densities
    size = float(np.ptp(body.centres, axis=0).max())
    if not least <= density <= most and size > options.largest:
        raise InputError(
            f"the object measures {size:.3g} m; accepted are lengths in m (is the shape in mm?)"
        )
    if not least <= density <= most:
        raise InputError(
            f"mass {mass:.3g} kg in {1e6 * body.volume:.3g} cm³ is a density of {density:.3g} "
            f"kg/m³; accepted are {least:g} to {most:g}: wrong unit of force or length, or the "
            "cloud of another object"
        )
    own = moved(parameters, np.asarray(np.linalg.inv(pose), float))
    centre = own[1:4] / mass
    inner, outer = body.centres.min(0), body.centres.max(0)
    beyond = np.maximum(np.maximum(inner - centre, centre - outer), 0)
    jacobian = np.hstack([-(parameters[1:4] / mass)[:, None], np.eye(3)]) / mass
    doubt = 4 * float(np.sqrt(np.trace(jacobian @ spread[:4, :4] @ jacobian.T)))
    allowed = options.outside * float((outer - inner).max())
    if (distance := float(np.linalg.norm(beyond))) > allowed + doubt:
        raise InputError(
            f"the centre of mass lies {1e3 * distance:.0f} mm outside the object: wrong unit of "
            "torque, wrong grasp pose or sensor frame, or the cloud of another object"
        )


def cost_warning(cost: tuple[float, int], options: LoadOptions = LOAD_OPTIONS) -> str | None:
    """Return a warning where no densities of this shape explain the wrenches well; else None.

    Args:
        cost: Squared length of what is left of the equations, in deviations, and their number.
        options: Constants.
    """
    return _UNEXPLAINED if cost[0] > float(chi2.isf(options.doubt, cost[1])) else None


def check_cost(cost: tuple[float, int], options: LoadOptions = LOAD_OPTIONS) -> None:
    """Raise InputError where no densities of this shape explain the wrenches at all."""
    if cost[0] > float(chi2.isf(options.level, cost[1])):
        raise InputError(f"{_UNEXPLAINED}; accepted is the shape of the held object")


_UNEXPLAINED = (
    "no density of this shape explains the wrenches within their noise: the cloud may be of "
    "another object, the grasp pose wrong, the sensor turned by a degree from its stated frame, or "
    "the load not rigid"
)
