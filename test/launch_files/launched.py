"""What a launch file would start, with ROS 2's `launch` or, where it is absent, the recorder."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("launch_ros") is None:
    sys.path.insert(0, str(Path(__file__).with_name("recorder")))

from launch import LaunchContext
from launch.actions import DeclareLaunchArgument, Shutdown
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_ros.actions import Node
from launch_ros.utilities import evaluate_parameters

from autourdf_ros.ros.launching import joined_node

__all__ = ["Launched", "LaunchedNode", "Shutdown", "launch"]


class InstalledExecutable:
    """Stands in for `ExecutableInPackage`: what is installed here is no matter of these tests."""

    def __init__(self, missing: Collection[str], executable: str, package: str) -> None:
        self._missing, self._executable, self._package = missing, executable, package

    def perform(self, context: LaunchContext) -> str:
        """Where it is. Raises LookupError where its package is missing."""
        if self._package in self._missing:
            raise LookupError(f"package '{self._package}' not found")
        return self._executable


@dataclass(frozen=True)
class LaunchedNode:
    """A node that would be started; its parameters are files and dictionaries, later ones win.

    environment: added to that of all processes. on_exit: what its end leads to. after: the file
    that it waits for.
    """

    package: str
    executable: str
    name: str
    namespace: str
    parameters: tuple[Path | dict[str, Any], ...]
    arguments: tuple[str, ...]
    remappings: dict[str, str]
    environment: dict[str, str]
    on_exit: Callable[[Any, Any], Any]
    after: Path | None


@dataclass(frozen=True)
class Launched:
    """What a launch file would start. environment: of the processes, after it."""

    nodes: tuple[LaunchedNode, ...]
    environment: Mapping[str, str]
    arguments: dict[str, Any]

    def node(self, executable: str) -> LaunchedNode:
        """The node of an executable."""
        (node,) = (node for node in self.nodes if node.executable == executable)
        return node


def launch(file: Path, *, missing: Collection[str] = (), **arguments: str) -> Launched:
    """Resolve a launch file with these arguments, and start nothing.

    missing: packages that are not installed; all others seem to be.
    """
    spec = importlib.util.spec_from_file_location("launch_file", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # A launch file sets variables of this very process, which later tests must not see.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", os.environ.copy())
        patch.setattr(joined_node, "ExecutableInPackage", partial(InstalledExecutable, missing))
        context = LaunchContext()
        context.launch_configurations.update(arguments)
        actions = list(_executed(module.generate_launch_description().entities, context))
        nodes = [_resolve(action, context) for action in actions if isinstance(action, Node)]
        declared = {
            action.name: action for action in actions if isinstance(action, DeclareLaunchArgument)
        }
        return Launched(tuple(nodes), dict(context.environment), declared)


def _executed(entities: list[Any], context: LaunchContext) -> Iterator[Any]:
    """All actions whose condition holds; those that start no process are executed."""
    for action in entities:
        if action.condition is not None and not action.condition.evaluate(context):
            continue
        yield action
        if not isinstance(action, Node):
            yield from _executed(action.execute(context) or [], context)


def _resolve(node: Any, context: LaunchContext) -> LaunchedNode:
    def text(value: Any) -> str:
        if value is None:
            return ""
        return perform_substitutions(context, normalize_to_list_of_substitutions(value))

    added = node.additional_env  # a dictionary, or pairs of substitutions
    return LaunchedNode(
        text(node.node_package),
        text(node.node_executable),
        text(node._Node__node_name),
        text(node._Node__node_namespace),
        tuple(evaluate_parameters(context, node._Node__parameters)),
        tuple(text(argument) for argument in node._Node__arguments or []),
        {text(old): text(new) for old, new in node._Node__remappings},
        {text(k): text(v) for k, v in (added.items() if isinstance(added, dict) else added)},
        node._ExecuteLocal__on_exit,
        node.after,
    )
