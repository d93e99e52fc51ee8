"""Where a session is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Status:
    """Where a session is. frame: of all frames of all sequences.

    refusals: of targets so far; screened: those of them that were not sent at all. refusal: why the
    last one was refused. rejections: views that did not become a frame so far, by reason;
    rejection: why the last of them did not.
    """

    phase: str
    sequence: int = 0
    frame: int = 0
    frames: int = 0
    refusals: int = 0
    screened: int = 0
    refusal: str = ""
    rejections: Mapping[str, int] = field(default_factory=dict)
    rejection: str = ""
