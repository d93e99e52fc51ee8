"""A robot as it is known before a recording is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.arrays import Array, Labels


@dataclass(frozen=True)
class Gear:
    """How a joint follows what its motor reports: reading = ratio * value + offset.

    Attributes:
        reading: name of the motor, as readings give it.
        ratio: of readings to values.
        offset: reading (rad or m) where the joint's value is 0.
    """

    reading: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class PriorRobot:
    """Joints and surface of a robot, in metres, at some configuration in its base frame.

    Attributes:
        source: where it comes from, for messages.
        links: names of B bodies.
        joints: names of J joints; joint j moves body j + 1.
        model: the joints at that configuration.
        values: (J,) of the joints at that configuration (rad or m).
        gears: of the joints.
        points: (M, 3) of the surface.
        normals: (M, 3) unit, of either sign.
        labels: (M,) body of every point.
    """

    source: str
    links: tuple[str, ...]
    joints: tuple[str, ...]
    model: Articulation
    values: Array
    gears: tuple[Gear, ...]
    points: Array
    normals: Array
    labels: Labels

    def moved_by(self, readings: Mapping[str, float] | None) -> Array:
        """Return by how much (J,) the joints moved until these readings; NaN where there is none.

        Args:
            readings: of the motors (rad or m), if there are any.
        """
        known = readings or {}
        found = [
            (known[gear.reading] - gear.offset) / gear.ratio if gear.reading in known else np.nan
            for gear in self.gears
        ]
        return np.array(found, dtype=np.float64).reshape(len(self.gears)) - self.values
