"""Where the sensor is in the frame of the link that gets the payload, as transforms show it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import ClockType
from rclpy.time import Time
from scipy.spatial.transform import Rotation
from tf2_ros import TransformException

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

_NEWEST = Time(clock_type=ClockType.ROS_TIME)
SHIFT, TURN = 0.005, 0.02
"""How far (m, rad) the sensor may move in the link's frame: errors of a reconstructed model."""


class LinkPlace:
    """Seen at every rest of a weighing; at rest the newest transforms belong together."""

    def __init__(self, place: Callable[[str, Time], Array], prefix: str, link: str) -> None:
        """Create it.

        Args:
            place: Returns a frame's pose (4, 4) in the base frame. Raises TransformException.
            prefix: Of the model's frames.
            link: That gets the payload.
        """
        self._place, self._link = place, link
        self._names = tuple(dict.fromkeys((prefix + link, link)))
        self._seen: list[Array] = []

    def observe(self, sensor: str) -> None:
        """Take the pose of the sensor's frame in the link's.

        Raises:
            InputError: there is no transform, or the sensor moves against the link.
        """
        found = np.linalg.inv(self._pose(self._names, self._link)) @ self._pose((sensor,), sensor)
        self._seen.append(found)
        change = np.linalg.inv(self._seen[0]) @ found
        shift = float(np.linalg.norm(change[:3, 3]))
        turn = float(Rotation.from_matrix(change[:3, :3]).magnitude())
        if shift > SHIFT or turn > TURN:
            raise InputError(
                f"link {self._link!r} moves against {sensor!r} by {1e3 * shift:.0f} mm and "
                f"{np.degrees(turn):.1f} degrees; accepted is a link that the sensor holds"
            )

    @property
    def sensor_in_link(self) -> Array:
        """(4, 4) pose of the sensor's frame in the link's, where it was seen first."""
        return self._seen[0]

    def _pose(self, names: tuple[str, ...], what: str) -> Array:
        reason = ""
        for name in names:
            try:
                return self._place(name, _NEWEST)
            except TransformException as error:
                reason = reason or str(error)
        raise InputError(
            f"no transform of {what!r}: {reason}; accepted is a model that is published, with its "
            "frame_prefix as parameter"
        )
