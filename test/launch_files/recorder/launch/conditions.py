from __future__ import annotations

from typing import Any

from launch import LaunchContext
from launch.utilities import perform_substitutions


class IfCondition:
    """Whether a value says yes."""

    def __init__(self, predicate: Any) -> None:
        self.predicate = predicate

    def evaluate(self, context: LaunchContext) -> bool:
        value = perform_substitutions(context, [self.predicate]).lower()
        if value not in ("true", "false", "1", "0"):
            raise RuntimeError(f"'{value}' is not a truth value")
        return value in ("true", "1")
