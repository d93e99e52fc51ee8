from __future__ import annotations

from typing import Any

from launch.actions import Action


class Node(Action):
    """A node to be started. The attributes are those of the real class."""

    def __init__(
        self,
        *,
        package: str,
        executable: str,
        name: Any = None,
        namespace: Any = None,
        parameters: list[Any] | None = None,
        remappings: list[tuple[str, str]] | None = None,
        arguments: list[Any] | None = None,
        output: str = "log",
        on_exit: Any = None,
        additional_env: dict[str, str] | None = None,
        prefix: str | None = None,
        condition: Any = None,
    ) -> None:
        super().__init__(condition=condition)
        self.node_package = package
        self.node_executable = executable
        self.output = output
        self.prefix = prefix
        self._ExecuteLocal__on_exit = on_exit
        self.additional_env = additional_env or {}
        self.__node_name = name
        self.__node_namespace = namespace
        self.__parameters = parameters or []
        self.__remappings = remappings or []
        self.__arguments = arguments or []
