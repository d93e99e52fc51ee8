"""Numbers among the arguments of commands; an error names the text and what is accepted."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable


def whole_number(text: str) -> int:
    """Parse a whole number.

    Raises:
        ArgumentTypeError: The text is none.
    """
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is {text!r}; accepted is a whole number") from error


def number(text: str) -> float:
    """Parse a number.

    Raises:
        ArgumentTypeError: The text is none.
    """
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is {text!r}; accepted is a number") from error


def at_least(least: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from `least` on."""

    def parse(text: str) -> int:
        value = whole_number(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"is {value}; accepted is at least {least}")
        return value

    return parse


def above_zero(unit: str) -> Callable[[str], float]:
    """Return a parser of finite numbers above 0; `unit` is for the error."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"is {text}; accepted is a number above 0 ({unit})")
        return value

    return parse
