from __future__ import annotations

from pathlib import Path
from typing import Any

from launch import LaunchContext
from launch.utilities import perform_substitutions


class LaunchConfiguration:
    """Value of a launch argument."""

    def __init__(self, name: str) -> None:
        self.name = name

    def perform(self, context: LaunchContext) -> str:
        if self.name not in context.launch_configurations:
            raise RuntimeError(f"launch configuration '{self.name}' does not exist")
        return context.launch_configurations[self.name]


class PathJoinSubstitution:
    """Parts of a path."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def perform(self, context: LaunchContext) -> str:
        return str(Path(*(perform_substitutions(context, [part]) for part in self.parts)))
