"""Declares parameters with descriptors, and checks their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from autourdf_ros.errors import InputError


class Parameters:
    """Declares the parameters of a node.

    Each method declares one parameter with its description and returns its value. It raises
    InputError with the name, the value and what is accepted.
    """

    def __init__(self, node: Node, adjustable: Sequence[str] = ()) -> None:
        """Create it; the node itself checks later values of the parameters in `adjustable`.

        All other parameters are read-only.
        """
        self._node = node
        self._adjustable = frozenset(adjustable)

    def number(
        self,
        name: str,
        default: float | None,
        text: str,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> float:
        """Declare a finite number in [low, high], also given as integer; default None: required."""
        bounded = math.isfinite(low) or math.isfinite(high)
        accepted = f"a number from {low:g} to {high:g}" if bounded else "a finite number"
        value = self._declare(name, default, text, accepted)
        if not is_number(value) or not low <= value <= high:
            self._refuse(name, value, accepted)
        return float(value)

    def optional(self, name: str, text: str) -> float | None:
        """Declare a finite number, or None where nothing is given."""
        accepted = "a finite number"
        value = self._declare(name, None, text, accepted)
        if value is not None and not is_number(value):
            self._refuse(name, value, accepted)
        return None if value is None else float(value)

    def integer(self, name: str, default: int, text: str, low: int, high: int) -> int:
        """Declare an integer in [low, high]."""
        accepted = f"an integer from {low} to {high}"
        value = self._declare(name, default, text, accepted)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self._refuse(name, value, accepted)
        return int(value)

    def flag(self, name: str, default: bool, text: str) -> bool:
        """Declare true or false."""
        value = self._declare(name, default, text, "true or false")
        if not isinstance(value, bool):
            self._refuse(name, value, "true or false")
        return bool(value)

    def text(self, name: str, default: str, text: str, accepted: Sequence[str] = ()) -> str:
        """Declare a string, one of `accepted` if there are any."""
        choices = "one of " + ", ".join(accepted) if accepted else "a string"
        value = self._declare(name, default, text, choices)
        if not isinstance(value, str) or (accepted and value not in accepted):
            self._refuse(name, value, choices)
        return str(value)

    def texts(self, name: str, default: Sequence[str], text: str) -> list[str]:
        """Declare a list of different strings that are not empty."""
        accepted = "a list of different names"
        value = self._declare(name, list(default) or None, text, accepted)
        if value is None:
            return []
        if isinstance(value, str) or not isinstance(value, Iterable):
            self._refuse(name, value, accepted)
        items = list(value)
        named = all(isinstance(item, str) and item for item in items)
        if not named or len(set(items)) < len(items):
            self._refuse(name, items, accepted)
        return items

    def vector(self, name: str, default: Sequence[float], text: str) -> tuple[float, ...]:
        """Declare finite numbers, as many as the default has."""
        accepted = f"{len(default)} numbers"
        value = self._declare(name, [float(item) for item in default], text, accepted)
        try:
            items = list(value)
        except TypeError:
            items = []
        if len(items) != len(default) or not all(map(is_number, items)):
            self._refuse(name, value, accepted)
        return tuple(float(item) for item in items)

    def numbers(self, name: str, text: str) -> tuple[float, ...]:
        """Declare any number of finite numbers; none by default."""
        accepted = "a list of finite numbers"
        value = self._declare(name, None, text, accepted)
        if value is None:
            return ()
        if isinstance(value, str) or not isinstance(value, Iterable):
            self._refuse(name, value, accepted)
        items = list(value)
        if not all(map(is_number, items)):
            self._refuse(name, items, accepted)
        return tuple(float(item) for item in items)

    def given(self, name: str) -> bool:
        """Return whether the node was given a value for a parameter."""
        return name in self._node._parameter_overrides

    def unknown(self) -> list[str]:
        """Return the sorted names of parameters that were given but not declared."""
        # rclpy has no public access to what it was given.
        given = self._node._parameter_overrides
        return sorted(
            name
            for name in given
            if not self._node.has_parameter(name) and not name.startswith("qos_overrides.")
        )

    def _declare(self, name: str, default: Any, text: str, accepted: str) -> Any:
        # Typed parameters would refuse a YAML 1 for a double; the values are checked here instead.
        descriptor = ParameterDescriptor(
            description=text,
            additional_constraints=accepted,
            read_only=name not in self._adjustable,
            dynamic_typing=True,
        )
        return self._node.declare_parameter(name, default, descriptor).value

    def _refuse(self, name: str, value: Any, accepted: str) -> None:
        raise InputError(
            f"{self._node.get_fully_qualified_name()}: parameter {name} is {value!r}; "
            f"accepted is {accepted}"
        )


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
