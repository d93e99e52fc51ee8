from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch import LaunchContext
from launch.utilities import perform_substitutions


class Action:
    """Base of all actions."""

    def __init__(self, *, condition: Any = None) -> None:
        self.condition = condition

    def execute(self, context: LaunchContext) -> list[Any] | None:
        """Do what needs no process; returns further actions."""


class DeclareLaunchArgument(Action):
    """An argument of the launch file."""

    def __init__(
        self,
        name: str,
        *,
        default_value: Any = None,
        description: str | None = None,
        choices: list[str] | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.default_value = default_value
        self.description = description
        self.choices = choices

    def execute(self, context: LaunchContext) -> None:
        if self.name not in context.launch_configurations:
            if self.default_value is None:
                raise RuntimeError(f"Required launch argument '{self.name}' was not provided")
            context.launch_configurations[self.name] = perform_substitutions(
                context, [self.default_value]
            )
        value = context.launch_configurations[self.name]
        if self.choices is not None and value not in self.choices:
            raise RuntimeError(f"Argument '{self.name}' has '{value}', not one of {self.choices}")


class OpaqueFunction(Action):
    """Actions that a function gives."""

    def __init__(self, *, function: Callable[[LaunchContext], list[Any] | None]) -> None:
        super().__init__()
        self.function = function

    def execute(self, context: LaunchContext) -> list[Any] | None:
        return self.function(context)


class SetEnvironmentVariable(Action):
    """A variable of the environment of all processes that follow."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__()
        self.name, self.value = name, value

    def execute(self, context: LaunchContext) -> None:
        name = perform_substitutions(context, [self.name])
        context.environment[name] = perform_substitutions(context, [self.value])


class LogInfo(Action):
    """A line for people."""

    def __init__(self, *, msg: Any) -> None:
        super().__init__()
        self.msg = msg


class Shutdown(Action):
    """The end of everything."""

    def __init__(self, *, reason: str = "") -> None:
        super().__init__()
        self.reason = reason
