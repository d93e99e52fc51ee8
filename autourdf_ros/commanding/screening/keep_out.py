"""Regions that no link may enter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KeepOut:
    """A box that no link may enter.

    Attributes:
        name: of the box.
        lower: (3,) lower corner in the base frame (m).
        upper: (3,) upper corner in the base frame (m).
    """

    name: str
    lower: tuple[float, ...]
    upper: tuple[float, ...]
