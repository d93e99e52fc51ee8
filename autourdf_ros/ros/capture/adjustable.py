"""What may be changed while the capture node runs: its speed, and where home is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter

from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.cell.capture_parameters import SPEED_RANGE, home_of
from autourdf_ros.ros.common.parameters import is_number

NAMES = ("speed", "home")
"""Parameters that may be set at any time."""


class Adjustable:
    """Takes changes of the parameters in `NAMES`; all others are read-only.

    Attributes:
        home: target of ~/home (rad or m by joint); empty: none is given.
    """

    def __init__(self, control: Control, limits: Limits, home: Positions, where: str) -> None:
        """Create it; `where` names the node in errors."""
        self.home = dict(home)
        self._control, self._limits, self._where = control, limits, where

    def change(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Take the changes; they count from the next motion on."""
        speed, home = self._control.speed, self.home
        try:
            for change in changes:
                if change.name == "speed":
                    speed = _speed(change.value)
                elif change.name == "home":
                    home = home_of(_numbers(change.value), self._limits, self._where)
        except InputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        self._control.speed, self.home = speed, home
        return SetParametersResult(successful=True)


def _speed(value: Any) -> float:
    low, high = SPEED_RANGE
    if not is_number(value) or not low <= value <= high:
        raise InputError(f"speed is {value!r}; accepted is a number from {low:g} to {high:g}")
    return float(value)


def _numbers(value: Any) -> tuple[float, ...]:
    items = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else None
    if items is None or not all(map(is_number, items)):
        raise InputError(f"home is {value!r}; accepted is a list of finite numbers")
    return tuple(float(item) for item in items)
