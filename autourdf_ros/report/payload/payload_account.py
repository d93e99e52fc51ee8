"""What the report of a payload needs of an estimate, whichever method made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.held_payload import HeldPayload

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PayloadAccount:
    """An estimate as its report accounts for it.

    Attributes:
        payload: What was found.
        document: Content of payload.json.
        points: (n, 3) of the object in the sensor's frame (m), empty without a shape.
        colours: (n, 3) of the points, RGB from 0 to 1; None where unknown.
        times: (m,) s of the records.
        measured: (m, 6) wrenches (N, N m).
        predicted: (m, 6) of the estimate, with the bias.
        name: Of the object.
        observed: (n,) whether a sensor saw the point; None where all were seen.
    """

    payload: HeldPayload
    document: Mapping[str, Any]
    points: Array
    colours: Array | None
    times: Array
    measured: Array
    predicted: Array
    name: str
    observed: NDArray[np.bool_] | None = None
