"""From wrenches and a shape to a payload's inertial parameters, by any of the methods."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.classic_methods import (
    GeoOptions,
    HpsOptions,
    geo,
    hps,
    ols,
)
from autourdf_ros.estimation.inertia.payload.field.field_method import (
    FieldClusters,
    FieldOptions,
    estimate_field,
)
from autourdf_ros.estimation.inertia.payload.field.shape_uncertainty import shape_uncertainty
from autourdf_ros.estimation.inertia.payload.load_checks import check_load, cost_warning
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression, regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import (
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
        tare: Estimate the sensor's bias with the load (`field` only).
        smoothing: Of wrenches and regressors (`field` only).
        field: Of our method.
        hps: Of Homogeneous Part Segmentation.
        geo: Of geometric regularisation.
    """

    method: PayloadMethod = "field"
    tare: bool = False
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
        return _by_hps(data, options)
    rows = recording_regressor(data.recording)
    wrenches = data.recording.wrenches - rows @ data.gripper.parameters
    if options.method == "ols":
        found = ols(rows, wrenches)
    else:
        prior = homogeneous(data, ols(rows, wrenches)[0]) if data.prior is None else data.prior
        found = geo(rows, wrenches, prior, options.geo)
    every = np.ones(len(rows), bool)
    return _estimate(data, options.method, found, rows, every)


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


def _by_field(data: PayloadData, options: PayloadOptions) -> PayloadEstimate:
    clusters = field_clusters(data)
    recording = with_noise(data.recording)
    smoothing = record_filter(recording, options.smoothing)
    every = regression_of(recording, smoothing, data.gripper)
    rigid = rigid_records(every, smoothing, options.tare)
    whole = of_records(every, rigid.kept, rigid.excess)
    regression = tared(whole) if options.tare else whole
    _check_against_shape(data, regression)
    found = estimate_field(regression, clusters, options.field)
    matrix, target = regression.equations(found.parameters).whitened()
    rest = target - matrix @ found.parameters
    cost = (float(rest @ rest), len(rest))
    warnings = rigid_warning(rigid.kept), cost_warning(cost)
    estimate = _estimate(data, "field", found.parameters, every.rows, rigid.kept)
    estimate = replace(
        estimate,
        covariance=found.covariance,
        part_masses=found.densities * clusters.moments[:, 0],
        cost=cost,
        links=found.links,
        warnings=tuple(one for one in warnings if one is not None),
    )
    if not options.tare:
        return estimate
    bias, bias_std = bias_of(whole, found.parameters, found.covariance)
    return replace(estimate, bias=bias, bias_std=bias_std, predicted=estimate.predicted + bias)


def _check_against_shape(data: PayloadData, regression: Regression) -> None:
    """Refuse where mass and first moment by the wrenches alone are not this object's."""
    stated = replace(regression, excess=1.0)  # whose noise, widened, would excuse a wrong unit
    matrix, target = stated.equations(np.zeros(10)).whitened()
    normal = np.linalg.pinv(matrix.T @ matrix, rcond=1e-12, hermitian=True)
    free = normal @ (matrix.T @ target)
    check_load(_body(data, "field"), data.object_in_sensor, np.asarray(free), np.asarray(normal))


def _by_hps(data: PayloadData, options: PayloadOptions) -> PayloadEstimate:
    body = _body(data, "hps")
    if data.parts is None:
        raise InputError("method hps needs parts of the object; accepted is a segmentation")
    moments = moved(body.group_parameters(data.parts), data.object_in_sensor)
    unit = moments / moments[:, :1]
    masses, used = hps(data.recording, unit, options.hps, data.gripper.parameters)
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
