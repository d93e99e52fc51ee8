"""Why a motion was not made, though the robot could go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Refusal:
    """by: the controller, or the screening, which sent nothing. reason: in words."""

    by: Literal["controller", "screening"]
    reason: str
