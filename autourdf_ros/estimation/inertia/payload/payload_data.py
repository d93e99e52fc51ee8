"""What a payload estimator takes and gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PayloadData:
    """A held object, and the wrenches that it exerts.

    Attributes:
        recording: Wrenches and motions of the sensor.
        body: The object's volume, in the object's frame; None where its shape is unknown.
        object_in_sensor: (4, 4) pose of the object's frame in the sensor's frame.
    """

    recording: WrenchRecording
    body: SolidBody | None
    object_in_sensor: Array


@dataclass(frozen=True)
class PayloadEstimate:
    """Inertial parameters of a payload.

    Attributes:
        parameters: (10,) in the sensor's frame, in the order of `PARAMETERS`.
        covariance: (10, 10) of them; None for a method that states none.
        method: `field`, `hps`, `ols` or `geo`.
        part_masses: (k,) kg of the parts or clusters; empty for a method that knows none.
        predicted: (n, 6) wrenches that the estimate predicts for the records.
        used: (n,) whether a record was used.
        condition_number: Of the scaled regressor.
        warnings: Sentences for the user, each a reason for doubt.
    """

    parameters: Array
    covariance: Array | None
    method: str
    part_masses: Array
    predicted: Array
    used: NDArray[np.bool_]
    condition_number: float
    warnings: tuple[str, ...] = ()
