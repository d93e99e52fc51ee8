"""What a payload estimator takes and gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.estimation.inertia.payload.field.link_parameters import LinkParameters
from autourdf_ros.estimation.inertia.payload.moment_equations import NOTHING_ELSE, KnownLoad
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class PayloadData:
    """A held object, and the wrenches that it exerts.

    Attributes:
        recording: Motions of the sensor, and wrenches of all that hangs on it.
        body: The object's volume, in the object's frame; None where its shape is unknown.
        object_in_sensor: (4, 4) pose of the object's frame in the sensor's frame.
        clusters: (n,) cluster of every element of the body, of the over-segmentation; `field`.
        parts: (n,) part of every element of the body; `hps`.
        links: (n,) link of every element of a body with joints; no cluster lies in two links.
        gripper: What hangs on the sensor beside the object.
        prior: (10,) parameters in the sensor's frame that `geo` is pulled to; None takes the mass
            that the records show and a homogeneous body.
    """

    recording: WrenchRecording
    body: SolidBody | None
    object_in_sensor: Array
    clusters: Labels | None = None
    parts: Labels | None = None
    prior: Array | None = None
    links: Labels | None = None
    gripper: KnownLoad = NOTHING_ELSE


@dataclass(frozen=True)
class PayloadEstimate:
    """Inertial parameters of a payload.

    Attributes:
        parameters: (10,) in the sensor's frame, in the order of `PARAMETERS`.
        covariance: (10, 10) of them; None for a method that states none.
        method: `field`, `hps`, `ols` or `geo`.
        part_masses: (k,) kg of the parts or clusters; empty for a method that knows none.
        predicted: (n, 6) wrenches that the estimate predicts for the records, gripper and bias
            with it.
        used: (n,) whether a record was used.
        condition_number: Of the scaled regressor.
        warnings: Sentences for the user, each a reason for doubt.
        bias: (6,) of the sensor (N, N m) that was estimated with the load; zero where none was.
        bias_std: (6,) of it.
        cost: Squared length of what the estimate leaves of the ten equations in deviations, and
            how many equations there are; None for a method without weights.
        links: What each link has, by `field`; None for an object without joints.
        correlation: (6,) over how many records the noise of each channel lasts; None for a method
            that states no covariance.
    """

    parameters: Array
    covariance: Array | None
    method: str
    part_masses: Array
    predicted: Array
    used: NDArray[np.bool_]
    condition_number: float
    warnings: tuple[str, ...] = ()
    bias: Array | None = None
    bias_std: Array | None = None
    cost: tuple[float, int] | None = None
    links: LinkParameters | None = None
    correlation: Array | None = None
