"""Where a session is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Status:
    """Where a session is.

    frame: of all frames of all sequences. refusals: so far. rejections: views that did not become a
    frame so far, by reason; rejection: why the last of them did not.
    """

    phase: str
    sequence: int = 0
    frame: int = 0
    frames: int = 0
    refusals: int = 0
    rejections: Mapping[str, int] = field(default_factory=dict)
    rejection: str = ""
