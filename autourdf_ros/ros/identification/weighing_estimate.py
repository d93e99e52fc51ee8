"""From the records of a weighing to the payload: its files, and the link that gets it."""

from __future__ import annotations

from typing import cast

import numpy as np
from autourdf_msgs.action import Identify

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import NOTHING_ELSE
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadMethod,
    PayloadOptions,
)
from autourdf_ros.estimation.inertia.payload.payload_pipeline import IdentifyOptions
from autourdf_ros.estimation.inertia.payload.sensor.own_load import measured_gripper
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.progress import Progress
from autourdf_ros.ros.identification.identification_parameters import (
    IdentificationSettings,
    SensorSettings,
)
from autourdf_ros.ros.identification.link_place import LinkPlace
from autourdf_ros.ros.identification.sources.load_source import LoadSource
from autourdf_ros.ros.identification.weighing_request import WeighingRequest
from autourdf_ros.ros.identification.weighing_result import payload_result
from autourdf_ros.workflows.payloads.payload_result import PayloadChoices, payload_to_folder


def estimate_weighing(
    request: WeighingRequest,
    settings: IdentificationSettings,
    source: LoadSource,
    place: LinkPlace | None,
    progress: Progress,
) -> Identify.Result:
    """Return the result of a weighing whose records are written.

    Args:
        request: The goal.
        settings: Of the node.
        source: Reads the records.
        place: Of the link that gets the payload; None: none does.
        progress: Is called with stage and fraction, and may raise to end the work.

    Raises:
        InputError: the records show no payload; then nothing is written.
    """
    if request.held is None:
        raise InputError(f"method {request.method} needs the shape of the held object")
    recording = source.read(request.records)
    sensor_in_link = np.eye(4) if place is None else place.sensor_in_link
    pose = np.linalg.inv(sensor_in_link) if request.pose is None else request.pose
    method = PayloadOptions(cast(PayloadMethod, request.method))
    choices = PayloadChoices(
        IdentifyOptions(_sensor(settings.sensor, source), method),
        np.asarray(pose, np.float64),
        source.frame,
        request.attach,
        sensor_in_link,
    )
    payload_to_folder(request.held, recording, request.out, choices, progress)
    result = payload_result(request.out)
    if request.attach is not None:
        result.result_folder = str(request.attach[0].resolve())
    return result


def _sensor(settings: SensorSettings, source: LoadSource) -> SensorOptions:
    gripper = NOTHING_ELSE
    if settings.gripper is not None:
        gripper = measured_gripper(source.read(settings.gripper), settings.delay)
    return SensorOptions(not settings.tared, settings.delay, gripper, settings.gain)
