"""How an uncertain surface makes a body's moments uncertain.

Each of two opposite faces errs by s on its own: their middle by s/√2, half their distance as well.
So the body shifts by s/√2 and its ends move by s/√2 as it is stretched. It is sheared where both
faces tilt alike: their ends move by s/2. A cluster's thickness errs by √2 s. The affine changes act on the pseudo-inertia as a congruence (`moved`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from autourdf_ros.model.inertial.inertial_parameters import moved, pseudo_inertia

Array = NDArray[np.float64]

DEVIATIONS = 12
"""Numbers of an affine change: three shifts, nine displacements along one axis per another."""


@dataclass(frozen=True)
class ShapeOptions:
    """Constants of the shape's uncertainty.

    Attributes:
        most: Largest deviation of a logarithm of scale or of a volume: a physical limit, a body
            does not vanish.
        least: Smallest one: the share by which volume elements misrepresent a known body.
    """

    most: float = 0.4
    least: float = 1e-3


@dataclass(frozen=True)
class ShapeUncertainty:
    """Deviations of a body's shape, in the sensor's frame.

    Attributes:
        centre: (3,) of the body's volume (m).
        axes: (3, 3) its principal axes as columns.
        shift_std: (3,) deviation of its place along them (m).
        stretch_std: (3, 3) deviation of the displacement along one axis per way along another:
            logarithms of scale on the diagonal, shears and turns beside it.
        volume_std: (k,) relative deviation of every cluster's volume.
    """

    centre: Array
    axes: Array
    shift_std: Array
    stretch_std: Array
    volume_std: Array

    def generators(self, moments: Array, densities: Array) -> Array:
        """Return the derivatives (10, 12) of the parameters, one deviation a column."""
        body = densities @ moments
        step = 1e-4  # of a deviation
        changed = [
            moved(body, congruence(self, one)) - moved(body, congruence(self, -one))
            for one in step * np.eye(DEVIATIONS)
        ]
        return np.array(changed).T / (2 * step)


def congruence(shape: ShapeUncertainty, deviations: Array) -> Array:
    """Return the affine change (4, 4) of the shape by deviations (12,): shifts, then stretches."""
    stretch = deviations[3:].reshape(3, 3) * shape.stretch_std
    local = np.eye(4)
    local[:3, :3] = expm(stretch)
    local[:3, 3] = deviations[:3] * shape.shift_std
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = shape.axes, shape.centre
    return np.asarray(frame @ local @ np.linalg.inv(frame))


def shape_uncertainty(
    moments: Array,
    shape_std: float,
    options: ShapeOptions = ShapeOptions(),  # noqa: B008  (frozen)
) -> ShapeUncertainty:
    """Return the deviations of a body of k clusters.

    Args:
        moments: (k, 10) of the clusters at unit density.
        shape_std: Standard deviation of the surface's place (m).
        options: Constants.
    """
    second, centre = central_moments(moments.sum(0))
    values, axes = np.linalg.eigh(second)
    half = np.sqrt(3 * np.maximum(values, np.finfo(float).tiny))  # of a box with these moments
    own = np.array([np.linalg.eigvalsh(central_moments(one)[0]) for one in moments])
    sides = np.sqrt(12 * np.maximum(own, np.finfo(float).tiny))
    own_std = shape_std / np.sqrt(2)
    ends = np.where(np.eye(3, dtype=bool), 1.0, 1 / np.sqrt(2))
    return ShapeUncertainty(
        centre,
        axes,
        np.full(3, max(own_std, options.least * float(half.min()))),
        np.clip(ends * own_std / half, options.least, options.most),
        np.clip(2 * own_std / sides[:, 0], options.least, options.most),
    )


def central_moments(parameters: Array) -> tuple[Array, Array]:
    """Return second moments (3, 3) about the centre, per mass, and the centre (3,)."""
    pseudo = pseudo_inertia(parameters) / parameters[0]
    centre = pseudo[:3, 3]
    return pseudo[:3, :3] - np.outer(centre, centre), centre
