"""Reasons for which the clouds of a moment do not become a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal["points", "coverage", "sync_slop", "motion"]


@dataclass(frozen=True)
class Rejection:
    """Why a frame is not recorded; the text names what was measured and what is accepted."""

    reason: Reason
    text: str
