"""The wrench of a held load while its sensor moves: what payload estimators take."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

GRAVITY = (0.0, 0.0, -9.81)
"""m/s², in a world frame whose z points up."""


@dataclass(frozen=True)
class JointLoad:
    """What n records of J joints show of a load: efforts = Jᵀ wrench + constants @ unknown + noise.

    Attributes:
        jacobians: (n, 6, J) of the sensor's origin, along the sensor's axes.
        efforts: (n, J) N m or N that balance the load, without the robot's own.
        constants: (n, J, m) of m unknown constants: friction, offsets.
    """

    jacobians: Array
    efforts: Array
    constants: Array


@dataclass(frozen=True)
class WrenchRecording:
    """n records of a sensor at the robot's wrist and the load that hangs on it.

    Attributes:
        times: (n,) s, increasing.
        sensor_poses: (n, 4, 4) of the sensor in the world frame, which does not move.
        velocities: (n, 6) linear, angular, of the sensor's origin, in the sensor's frame.
        accelerations: (n, 6) linear (of the sensor's origin, dv/dt in the world frame, without
            gravity) and angular, both turned into the sensor's frame. As measured: with noise.
        wrenches: (n, 6) force (N) and torque (N m) that the load exerts on the sensor, about the
            sensor's origin, in the sensor's frame. At rest the force is m g.
        gravity: (3,) m/s² in the world frame.
        acceleration_std: Standard deviations (linear m/s², angular rad/s²) of the noise of the
            accelerations; None where it is to be estimated.
        wrench_std: Standard deviations (force N, torque N m) of the noise; None likewise.
        source: Where the records come from, for messages.
        left_out: Records beside these n whose motion a gap hides.
        joints: The efforts that the wrenches were found from; None where a sensor measured them.

    Raises:
        InputError: shapes differ, numbers are not finite, or times do not increase.
    """

    times: Array
    sensor_poses: Array
    velocities: Array
    accelerations: Array
    wrenches: Array
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))
    acceleration_std: tuple[float, float] | None = None
    wrench_std: tuple[float, float] | None = None
    source: str = "wrenches"
    left_out: int = 0
    joints: JointLoad | None = None

    def __post_init__(self) -> None:
        count = len(self.times)
        for name, shape in (
            ("times", (count,)),
            ("sensor_poses", (count, 4, 4)),
            ("velocities", (count, 6)),
            ("accelerations", (count, 6)),
            ("wrenches", (count, 6)),
            ("gravity", (3,)),
        ):
            values = getattr(self, name)
            if np.shape(values) != shape:
                raise InputError(
                    f"{self.source}: {name} of shape {np.shape(values)}; accepted is {shape}"
                )
            if not np.isfinite(values).all():
                raise InputError(f"{self.source}: {name} has numbers that are not finite")
        check_times(self.times, self.source)


def check_times(times: Array, source: str) -> None:
    """Raise InputError where records (n,) are too few, or their times (s) do not increase."""
    if len(times) < 2:
        raise InputError(f"{source}: {len(times)} records; accepted are 2 or more")
    if len(later := np.flatnonzero(~(np.diff(times) > 0))):
        number = int(later[0]) + 1
        raise InputError(
            f"{source}: times do not increase: record {number + 1} has {times[number]:.9g} s after "
            f"{times[number - 1]:.9g} s; accepted are times that rise"
        )
