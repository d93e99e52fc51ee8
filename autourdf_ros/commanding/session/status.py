"""The progress of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Status:
    """The progress of a session.

    Attributes:
        phase: what the session does, in a few words.
        sequence: number of the sequence, from 0.
        frame: number of frames taken, of all sequences.
        frames: number of frames to be taken.
        refusals: number of targets refused so far.
        screened: number of those that the screening refused, so that they were not sent.
        refusal: reason of the latest refusal.
        rejections: number of views that did not become a frame, by reason.
        rejection: reason of the latest rejection.
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
