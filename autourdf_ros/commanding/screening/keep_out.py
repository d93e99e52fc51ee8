"""Where no link may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KeepOut:
    """A box in the base frame that no link may enter. lower, upper: (3,) its corners (m)."""

    name: str
    lower: tuple[float, ...]
    upper: tuple[float, ...]
