from __future__ import annotations

from typing import Any

from launch import LaunchContext


def normalize_to_list_of_substitutions(value: Any) -> list[Any]:
    """One or several texts and substitutions, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def perform_substitutions(context: LaunchContext, parts: list[Any]) -> str:
    """All parts, put together."""
    return "".join(part if isinstance(part, str) else part.perform(context) for part in parts)
