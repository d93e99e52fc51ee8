"""From wrenches and a shape to a payload's inertial parameters, by any of the methods."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.classic_methods import (
    GeoOptions,
    HpsOptions,
    geo,
    hps,
    ols,
)
from autourdf_ros.estimation.inertia.payload.coloured_noise import with_coloured_noise
from autourdf_ros.estimation.inertia.payload.effort_equations import effort_regression
from autourdf_ros.estimation.inertia.payload.field.field_method import (
    FieldClusters,
    FieldOptions,
    estimate_field,
)
from autourdf_ros.estimation.inertia.payload.field.shape_uncertainty import shape_uncertainty
from autourdf_ros.estimation.inertia.payload.load_checks import check_load, cost_warning
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression, regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import (
    RecordFilter,
    SmoothingOptions,
    record_filter,
)
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData, PayloadEstimate
from autourdf_ros.estimation.inertia.payload.regressor import (
    condition_number,
    recording_regressor,
)
from autourdf_ros.estimation.inertia.payload.rigid_records import (
    of_records,
    rigid_records,
    rigid_warning,
)
from autourdf_ros.estimation.inertia.payload.sensor.tare import bias_of, tared
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise
from autourdf_ros.model.inertial.inertial_parameters import moved
from autourdf_ros.shape.segmentation.over_segmentation import over_segmented
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]
PayloadMethod = Literal["field", "hps", "ols", "geo"]
METHODS: tuple[PayloadMethod, ...] = ("field", "hps", "ols", "geo")


@dataclass(frozen=True)
class PayloadOptions:
    """Choices of the user and constants of the methods.

    Attributes:
        method: What estimates.
        tare: Estimate the sensor's bias with the load.
        gain: Standard deviation of the gain of each of the sensor's channels, as a share.
        smoothing: Of wrenches and regressors; `hps`, `ols` and `geo` take them as measured.
        field: Of our method.
        hps: Of Homogeneous Part Segmentation.
        geo: Of geometric regularisation.
    """

    method: PayloadMethod = "field"
    tare: bool = False
    gain: float = 0.0
    smoothing: SmoothingOptions = dataclasses.field(default_factory=SmoothingOptions)
    field: FieldOptions = dataclasses.field(default_factory=FieldOptions)
    hps: HpsOptions = dataclasses.field(default_factory=HpsOptions)
    geo: GeoOptions = dataclasses.field(default_factory=GeoOptions)


PAYLOAD_OPTIONS = PayloadOptions()


def estimate_payload(
    data: PayloadData, options: PayloadOptions = PAYLOAD_OPTIONS
) -> PayloadEstimate:
    """Return the payload's inertial parameters in the sensor's frame.

    Raises:
        InputError: the method needs what the data lack, or the data contradict each other.
    """
    if options.method == "field":
        return _by_field(data, options)
    if options.method == "hps":
        return _checked(data, options, _by_hps(data, options))
    rows = recording_regressor(data.recording)
    every = np.ones(len(rows), bool)
    regression = regression_of(data.recording, RecordFilter(), data.gripper)
    regression = tared(regression) if _has_bias(data, options) else regression
    equations, wrenches = regression.rows, regression.load_wrenches
    if options.method == "ols":
        found = ols(equations, wrenches)
    else:
        prior = data.prior
        if prior is None:
            prior = homogeneous(data, ols(equations, wrenches)[0])
        found = geo(equations, wrenches, prior, options.geo)
    return _checked(data, options, _estimate(data, options.method, found, rows, every))


def homogeneous(data: PayloadData, mass: float) -> Array:
    """Return the parameters (10,) of a homogeneous body of a mass (kg), in the sensor's frame."""
    body = _body(data, "geo")
    whole = moved(body.element_parameters().sum(0), data.object_in_sensor)
    return np.asarray(whole * (mass / whole[0]))


def field_clusters(data: PayloadData) -> FieldClusters:
    """Return the clusters of the object's volume in the sensor's frame.

    Raises:
        InputError: there is no shape.
    """
    body = _body(data, "field")
    labels = data.clusters
    if labels is None:
        labels = over_segmented(body, groups=data.links)
    moments = moved(body.group_parameters(labels), data.object_in_sensor)
    colours = None
    if body.colours is not None:
        weights = np.bincount(labels, body.volumes)
        sums = [np.bincount(labels, body.volumes * one) for one in body.colours.T]
        colours = np.column_stack(sums) / weights[:, None]
    shape = shape_uncertainty(moments, body.shape_std)
    if data.links is None:
        return FieldClusters(moments, colours, shape)
    links = np.zeros(len(moments), np.int64)
    links[labels] = data.links
    return FieldClusters(moments, colours, shape, links)


@dataclass(frozen=True)
class _Equations:
    """A recording in linear form.

    Attributes:
        every: (n, 6, 10) filtered regressors of all records.
        whole: The records that a rigid load explains, with their noise.
        regression: The same, free of a bias.
        kept: (n,) which records these are.
        correlation: (6,) records for which their noise lasts.
    """

    every: Array
    whole: Regression
    regression: Regression
    kept: NDArray[np.bool_]
    correlation: Array


def _equations(data: PayloadData, options: PayloadOptions) -> _Equations:
    """Return the equations.

    Raises:
        InputError: hardly any record is a rigid load's, or mass or first moment are not this
            object's.
    """
    recording = with_noise(data.recording)
    smoothing = record_filter(recording, options.smoothing)
    whole = _regression(recording, smoothing, data, options.gain)
    every = whole.rows
    biased = _has_bias(data, options)
    kept, correlation = np.ones(len(whole.rows), bool), np.ones(6)
    if recording.joints is None:  # the noise of joints is counted joint by joint
        rigid = rigid_records(whole, smoothing, biased)
        kept, whole = rigid.kept, of_records(whole, rigid.kept)
        bare = of_records(_regression(recording, RecordFilter(), data), kept)
        found, correlation = with_coloured_noise(
            *((tared(whole), tared(bare)) if biased else (whole, bare))
        )
        # What lasts over several records is not counted a second time.
        counted = float(np.median(found.wrench_variance / whole.wrench_variance))
        whole = replace(
            whole,
            wrench_variance=found.wrench_variance,
            excess=max(1.0, rigid.excess / counted),
        )
    regression = tared(whole) if biased else whole
    if data.body is not None:
        _check_against_shape(data, data.body, regression)
    return _Equations(every, whole, regression, kept, correlation)


def _cost(regression: Regression, parameters: Array) -> tuple[float, int]:
    """Squared length of what parameters (10,) leave of the equations, in deviations; how many."""
    matrix, target = regression.equations(parameters).whitened()
    rest = target - matrix @ parameters
    return float(rest @ rest), len(rest)


def _checked(
    data: PayloadData, options: PayloadOptions, estimate: PayloadEstimate
) -> PayloadEstimate:
    """An estimate of the literature with the sensor's bias, and a doubt where noise is exceeded."""
    regression = _equations(data, options).regression
    if cost_warning(_cost(regression, estimate.parameters)) is not None:
        estimate = replace(
            estimate,
            warnings=(
                f"{estimate.method} leaves more of the wrenches over than their noise does; "
                "--method field explains them, or says that the shape does not",
            ),
        )
    if not _has_bias(data, options):
        return estimate
    used = estimate.used
    bias = (data.recording.wrenches[used] - estimate.predicted[used]).mean(0)
    return replace(estimate, bias=bias, predicted=estimate.predicted + bias)


def _by_field(data: PayloadData, options: PayloadOptions) -> PayloadEstimate:
    clusters = field_clusters(data)
    used = _equations(data, options)
    whole, regression = used.whole, used.regression
    found = estimate_field(regression, clusters, options.field)
    cost = _cost(regression, found.parameters)
    warnings = rigid_warning(used.kept), cost_warning(cost)
    estimate = _estimate(data, "field", found.parameters, used.every, used.kept)
    estimate = replace(
        estimate,
        covariance=found.covariance,
        part_masses=found.densities * clusters.moments[:, 0],
        cost=cost,
        links=found.links,
        correlation=used.correlation,
        warnings=tuple(one for one in warnings if one is not None),
    )
    if not _has_bias(data, options):
        return estimate
    bias, bias_std = bias_of(whole, found.parameters, found.covariance)
    return replace(estimate, bias=bias, bias_std=bias_std, predicted=estimate.predicted + bias)


def _has_bias(data: PayloadData, options: PayloadOptions) -> bool:
    """Whether a bias is estimated; of joints the offsets are unknown instead."""
    return options.tare and data.recording.joints is None


def _regression(
    recording: WrenchRecording, smoothing: RecordFilter, data: PayloadData, gain: float = 0.0
) -> Regression:
    """The records in linear form; gain: see `regression_of`, of a sensor of wrenches."""
    if recording.joints is not None:
        return effort_regression(recording, recording.joints, smoothing, data.gripper)
    return regression_of(recording, smoothing, data.gripper, gain)


def _check_against_shape(data: PayloadData, body: SolidBody, regression: Regression) -> None:
    """Refuse where mass and first moment by the wrenches alone are not this object's."""
    stated = replace(regression, excess=1.0)  # whose noise, widened, would excuse a wrong unit
    matrix, target = stated.equations(np.zeros(10)).whitened()
    normal = np.linalg.pinv(matrix.T @ matrix, rcond=1e-12, hermitian=True)
    free = normal @ (matrix.T @ target)
    check_load(body, data.object_in_sensor, np.asarray(free), np.asarray(normal))


def _by_hps(data: PayloadData, options: PayloadOptions) -> PayloadEstimate:
    body = _body(data, "hps")
    if data.parts is None:
        raise InputError("method hps needs parts of the object; accepted is a segmentation")
    moments = moved(body.group_parameters(data.parts), data.object_in_sensor)
    unit = moments / moments[:, :1]
    masses, used = hps(
        data.recording, unit, options.hps, data.gripper.parameters, _has_bias(data, options)
    )
    rows = recording_regressor(data.recording)
    estimate = _estimate(data, "hps", masses @ unit, rows, used)
    return replace(estimate, part_masses=masses)


def _estimate(
    data: PayloadData, method: str, parameters: Array, rows: Array, used: NDArray[np.bool_]
) -> PayloadEstimate:
    return PayloadEstimate(
        parameters=np.asarray(parameters),
        covariance=None,
        method=method,
        part_masses=np.zeros(0),
        predicted=np.asarray(rows @ (parameters + data.gripper.parameters)),
        used=used,
        condition_number=condition_number(rows[used]),
    )


def _body(data: PayloadData, method: str) -> SolidBody:
    if data.body is None:
        raise InputError(f"method {method} needs the object's shape; accepted is a cloud or a mesh")
    return data.body
