"""The joints of a URDF that a person can set, and how they sweep through their ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lxml import etree

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import parse_xml

_SET = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Slider:
    """A joint and its range (rad or m)."""

    joint: str
    lower: float
    upper: float

    def clipped(self, value: float) -> float:
        """Return the nearest value in range."""
        return min(max(value, self.lower), self.upper)

    def swept(self, start: float, phase: float) -> float:
        """Return a value on the way from `start` to the upper limit, to the lower one and back.

        Args:
            phase: In [0, 1], the share of the way; the speed is the same everywhere.
        """
        span = self.upper - self.lower
        way = 2 * span * phase
        if way <= self.upper - start:
            return start + way
        if way <= 2 * self.upper - start - self.lower:
            return 2 * self.upper - start - way
        return 2 * self.lower - 2 * self.upper + start + way


def read_sliders(urdf: str) -> tuple[Slider, ...]:
    """Read the joints that mimic no other, in the URDF's order.

    A continuous joint ranges over one turn. Raises InputError where the text is no URDF or a joint
    lacks its limits.
    """
    root = parse_xml(urdf.encode(), "robot_description")
    return tuple(
        _slider(joint)
        for joint in root.findall("joint")
        if joint.get("type") in _SET and joint.find("mimic") is None
    )


def _slider(joint: etree._Element) -> Slider:
    name = joint.get("name", "")
    if joint.get("type") == "continuous":
        return Slider(name, -math.pi, math.pi)
    limit = joint.find("limit")
    try:
        lower, upper = (float(limit.get(end, "0")) for end in ("lower", "upper"))
    except (AttributeError, ValueError) as error:
        raise InputError(
            f"robot_description: joint {name} has no limits; accepted are numbers lower and upper"
        ) from error
    if not -math.inf < lower <= upper < math.inf:
        raise InputError(
            f"robot_description: joint {name} has limits {lower:g} to {upper:g}; accepted are "
            "finite ones, the lower one first"
        )
    return Slider(name, lower, upper)
