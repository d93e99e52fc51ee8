"""The whole way of a payload: check and prepare the records, estimate, doubt the result."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.load_checks import check_cost
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData, PayloadEstimate
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadOptions,
    estimate_payload,
)
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import (
    PreparedRecords,
    SensorOptions,
    check_bias,
    prepare_records,
)
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IdentifyOptions:
    """Choices for a payload.

    Attributes:
        sensor: How its records are prepared.
        payload: How it is estimated; its `tare` and `gain` follow the sensor's.
    """

    sensor: SensorOptions = field(default_factory=SensorOptions)
    payload: PayloadOptions = field(default_factory=PayloadOptions)


@dataclass(frozen=True)
class Identified:
    """A payload with how it was found.

    Attributes:
        estimate: Of the payload.
        prepared: The records that it was estimated from.
    """

    estimate: PayloadEstimate
    prepared: PreparedRecords


def identify_payload(
    data: PayloadData, options: IdentifyOptions, progress: Progress = silent
) -> Identified:
    """Return the payload of a recording of a real sensor.

    Raises:
        InputError: names what is wrong with records, shape or both.
    """
    progress("checking the wrenches", 0.0)
    prepared = prepare_records(data.recording, options.sensor)
    progress("estimating the payload", 0.4)
    payload = replace(options.payload, tare=options.sensor.tare, gain=options.sensor.gain)
    data = replace(data, recording=prepared.recording, gripper=options.sensor.gripper)
    source = data.recording.source
    try:
        estimate = estimate_payload(data, payload)
        if estimate.cost is not None:
            check_cost(estimate.cost)
    except InputError as error:
        named = str(error).startswith(source)
        raise InputError(str(error) if named else f"{source}: {error}") from error
    if estimate.bias is not None:
        gravity = float(np.linalg.norm(prepared.recording.gravity))
        check_bias(estimate.bias, estimate.parameters[0] * gravity, source)
    progress("payload estimated", 1.0)
    warnings = (*prepared.warnings, *estimate.warnings)
    return Identified(replace(estimate, warnings=warnings), prepared)
