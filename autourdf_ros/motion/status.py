"""Where a session is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """Where a session is. frame: of all frames of all sequences; refusals: so far."""

    phase: str
    sequence: int = 0
    frame: int = 0
    frames: int = 0
    refusals: int = 0
