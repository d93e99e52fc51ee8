"""The command that gives a self-model from images alone again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMMAND = "splat"


def choices(document: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (option, what was chosen, what is without it) of `autourdf splat`."""
    return []
