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
        outside: How far the centre of mass may lie outside the object's box, in its largest
            extents: a multiple of the object's size.
    """

    densities: tuple[float, float] = (5.0, 23_000.0)
    level: float = 1e-9
    outside: float = 0.15


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
    if not least <= density <= most:
        raise InputError(
            f"mass {mass:.3g} kg in {1e6 * body.volume:.3g} cm³ is a density of {density:.3g} kg/m³; "
            f"accepted are {least:g} to {most:g}: wrong unit of force or length, or the cloud of "
            "another object"
        )
    own = moved(parameters, np.linalg.inv(pose))
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


def check_misfit(misfit: tuple[float, int], level: float = LOAD_OPTIONS.level) -> str | None:
    """Return a warning where no densities of this shape explain the wrenches; None otherwise."""
    squared, count = misfit
    if squared <= float(chi2.isf(level, count)):
        return None
    return (
        "no density of this shape explains the wrenches within their noise: the cloud may be of "
        "another object, the grasp pose wrong, or the load not rigid"
    )
