"""Which records a rigid load explains within their noise.

Poses that are differentiated do not show accelerations that jump between a few records, and their
wrenches do; a touch or a blow is no load's wrench at all. Such records leave more of any rigid
load's ten parameters over than noise does. They are left out, with all records whose filter takes
them in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation
from scipy.stats import chi2

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter
from autourdf_ros.estimation.inertia.payload.sensor.tare import tared

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_CHANNELS = 6


@dataclass(frozen=True)
class RigidOptions:
    """Constants of the test.

    Attributes:
        level: Of significance at which a recording has a record that no rigid load explains.
        besides: Of significance at which a record of such a recording is another one.
        rounds: Of parameters and records in turn: a resource bound.
        least: Share of the records that has to be explained: below, a stop-and-go motion has lost
            most of its stops as well.
        doubted: Share below which the result is doubtful: starts and stops of a robot that jumps
            from one acceleration to another cost some records and no accuracy.
        rank: Singular values of the equations below this share of the largest are noise.
    """

    level: float = 1e-3
    besides: float = 1e-3
    rounds: int = 6
    least: float = 0.2
    doubted: float = 0.6
    rank: float = 1e-6


RIGID_OPTIONS = RigidOptions()


@dataclass(frozen=True)
class RigidRecords:
    """What a rigid load explains.

    Attributes:
        kept: (n,) records that it explains.
        excess: How many times the variance that the noise has what it leaves of them has; 1 where
            that is less.
    """

    kept: Mask
    excess: float


def rigid_records(
    regression: Regression,
    smoothing: RecordFilter,
    tare: bool,
    options: RigidOptions = RIGID_OPTIONS,
) -> RigidRecords:
    """Return which records a rigid load explains within their noise.

    A record's squared residual, in deviations, is compared to the chi-square distribution. Where
    half of all records exceed its median, it counts in units of theirs, so that a first estimate
    which some records distort finds these.

    Args:
        regression: Of all records.
        smoothing: Its filter.
        tare: Whether there is a constant bias beside the load.
        options: Constants.

    Raises:
        InputError: hardly any record is explained.
    """
    count = len(regression.rows)
    gains = smoothing.noise_gains(count)
    alarm = float(chi2.isf(options.level / count, _CHANNELS))
    besides = float(chi2.isf(options.besides, _CHANNELS))
    middle = float(chi2.median(_CHANNELS))
    kept, parameters, excess = np.ones(count, bool), np.zeros(10), 1.0
    for _ in range(options.rounds):
        squares, parameters = _squares(regression, kept, parameters, tare, options.rank)
        squares = squares / gains
        excess = max(1.0, float(np.median(squares)) / middle)
        beyond = squares > excess * (besides if squares.max() > excess * alarm else alarm)
        found = ~binary_dilation(beyond, np.ones(smoothing.window + 2))
        if found.mean() < options.least:
            raise InputError(
                "no rigid load explains the wrenches of more than "
                f"{100 * found.mean():.0f} % of the records within their noise: the motion is "
                "faster than its poses show, or the load is not rigid or touches something; "
                "accepted are slower motions of a rigid load"
            )
        if (found == kept).all():
            break
        kept = found
    excess = max(1.0, float(np.median(squares[kept])) / middle)
    return RigidRecords(kept, excess)


def of_records(regression: Regression, kept: Mask, excess: float = 1.0) -> Regression:
    """Return the regression of some records (n,), with so many times the noise's variance."""
    rows, wrenches = regression.rows[kept], regression.wrenches[kept]
    return replace(regression, rows=rows, wrenches=wrenches, excess=excess)


def rigid_warning(kept: Mask, options: RigidOptions = RIGID_OPTIONS) -> str | None:
    """Return the warning of records that were left out; None where they are few enough."""
    if kept.mean() >= options.doubted:
        return None
    return (
        f"{int((~kept).sum())} of {len(kept)} records were left out, because no rigid load "
        "explains them: the motion jumps faster than its poses show, or the load touches "
        "something. Move more smoothly, or record faster"
    )


def _squares(
    regression: Regression, kept: Mask, parameters: Array, tare: bool, rank: float
) -> tuple[Array, Array]:
    """Squared residuals (n,) of a free rigid load in deviations, and its parameters (10,)."""
    chosen = of_records(regression, kept)
    chosen = tared(chosen) if tare else chosen
    for _ in range(2):  # the weights follow the parameters
        matrix, target = chosen.equations(parameters).whitened()
        parameters = np.asarray(np.linalg.lstsq(matrix, target, rcond=rank)[0], float)
    rest = regression.load_wrenches - regression.rows @ parameters
    if tare:
        rest = rest - rest[kept].mean(0)
    noise = regression.noise(parameters)
    return np.einsum("ni,ij,nj->n", rest, np.linalg.inv(noise), rest), parameters
