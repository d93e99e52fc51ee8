"""Joint positions among the arguments of commands."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.errors import InputError


def joint_positions(given: Sequence[str], option: str) -> dict[str, float]:
    """Return positions (rad or m) by name of joint or motor from texts NAME=VALUE.

    Raises:
        InputError: A text is no such, or a value is no number below a million.
    """
    positions = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            positions[name] = float(value)
        except ValueError:
            positions[name] = float("nan")
        if not abs(positions[name]) < 1e6:
            raise InputError(f"{option}: {text!r}; accepted is NAME=VALUE in rad or m")
    return positions
