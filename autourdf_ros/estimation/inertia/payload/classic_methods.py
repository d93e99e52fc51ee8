"""Estimators of the literature: `ols` (Atkeson), `hps` (Nadeau) and `geo` (Lee, Wensing, Park)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.regressor import (
    gravity_in_sensor,
    recording_regressor,
    regressor,
)
from autourdf_ros.model.inertial.inertial_parameters import is_consistent, pseudo_inertia

Array = NDArray[np.float64]

REST_PARTS, MOVING_PARTS = 4, 10
"""Masses that records at rest and records in motion determine: the ranks of the regressor."""


@dataclass(frozen=True)
class HpsOptions:
    """Constants of Homogeneous Part Segmentation.

    Attributes:
        rest: Norm of linear (m/s²) and angular (rad/s²) acceleration below which a record counts
            as at rest: the paper's.
        dynamic: Use all records and the motion, for up to ten parts.
    """

    rest: float = 1.0
    dynamic: bool = False


@dataclass(frozen=True)
class GeoOptions:
    """Constants of geometric regularisation.

    Attributes:
        alpha: Weight of the distance from the prior: the paper's.
    """

    alpha: float = 1e-5


def ols(rows: Array, wrenches: Array) -> Array:
    """Return the parameters (10,) of least squares; they may be no body's.

    Source: Atkeson, An, Hollerbach, IJRR 1986.
    """
    found = np.linalg.lstsq(rows.reshape(-1, 10), wrenches.reshape(-1), rcond=None)[0]
    return np.asarray(found)


def hps(
    recording: WrenchRecording,
    moments: Array,
    options: HpsOptions,
    gripper: Array | None = None,
    tare: bool = False,
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the masses (k,) of homogeneous parts, none negative, and which records (n,) count.

    Equations 5 to 7 of Nadeau, Giamou, Kelly, "The Sum of Its Parts", 2023.

    Args:
        recording: Wrenches and motions.
        moments: (k, 10) parameters of the parts at a mass of 1 kg each, in the sensor's frame.
        options: Constants.
        gripper: (10,) parameters of what else hangs on the sensor; None: nothing.
        tare: Whether the sensor has a constant bias: then the records count less their means.

    Raises:
        InputError: more parts than the records determine, or no record at rest.
    """
    most = MOVING_PARTS if options.dynamic else REST_PARTS
    if len(moments) > most:
        raise InputError(f"hps: {len(moments)} parts; accepted are up to {most}")
    if options.dynamic:
        used = np.ones(len(recording.times), bool)
        rows = recording_regressor(recording)
    else:
        norms = np.linalg.norm(recording.accelerations.reshape(-1, 2, 3), axis=2)
        used = (norms < options.rest).all(1)
        zero = np.zeros((len(used), 3))
        rows = regressor(gravity_in_sensor(recording), zero, zero)
    if not used.any():
        raise InputError(
            f"{recording.source}: no record at rest (accelerations below {options.rest:g} m/s² and "
            "rad/s²); accepted is a motion that stops, or another method"
        )
    wrenches = recording.wrenches if gripper is None else recording.wrenches - rows @ gripper
    rows, wrenches = rows[used], wrenches[used]
    if tare:
        rows, wrenches = rows - rows.mean(0), wrenches - wrenches.mean(0)
    masses, _ = nnls((rows @ moments.T).reshape(-1, len(moments)), wrenches.ravel())
    return masses, used


def geo(rows: Array, wrenches: Array, prior: Array, options: GeoOptions) -> Array:
    """Return the parameters (10,) of least squares regularised by the entropic distance.

    Mean square of the residual plus α (tr P₀⁻¹P - log det P): the Bregman divergence of the
    pseudo-inertia from the prior's. Source: Lee, Wensing, Park, "Geometric Robot Dynamic
    Identification: A Convex Programming Approach", T-RO 2020.

    Raises:
        InputError: the extra 'inertia' is missing, the prior is no body's, or nothing is found.
    """
    try:
        import cvxpy
    except ImportError as error:
        raise InputError(
            "method geo needs cvxpy and clarabel: install the extra 'inertia'"
        ) from error
    if not is_consistent(prior):
        raise InputError("geo: the prior is no body's; accepted are consistent parameters")
    # Scaled so that the prior's pseudo-inertia is the identity: well-conditioned for any load.
    factor = np.linalg.cholesky(pseudo_inertia(prior))
    pseudo = cvxpy.Variable((4, 4), PSD=True)
    basis = pseudo_basis()
    linear = rows.reshape(-1, 10) @ basis.reshape(10, 16) @ np.kron(factor, factor)
    orthogonal, triangle = np.linalg.qr(np.column_stack([linear, wrenches.ravel()]))
    del orthogonal
    fit = cvxpy.sum_squares(triangle[:, :16] @ cvxpy.vec(pseudo, order="C") - triangle[:, 16])
    distance = cvxpy.trace(pseudo) - cvxpy.log_det(pseudo)
    problem = cvxpy.Problem(cvxpy.Minimize(fit / wrenches.size / options.alpha + distance))
    problem.solve(solver=cvxpy.CLARABEL)
    if pseudo.value is None:
        raise InputError(f"geo: the solver ends with {problem.status}; accepted is another method")
    return np.asarray(basis.reshape(10, 16) @ (factor @ pseudo.value @ factor.T).ravel())


def pseudo_basis() -> Array:
    """Return the map (10, 4, 4) from a pseudo-inertia's entries to the parameters."""
    from autourdf_ros.model.inertial.inertial_parameters import parameters_of

    units = np.eye(16).reshape(16, 4, 4)
    symmetric = (units + np.swapaxes(units, 1, 2)) / 2
    return parameters_of(symmetric).T.reshape(10, 4, 4)
