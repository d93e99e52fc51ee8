"""What the launch files have in common; the only module that needs ROS 2's `launch`.

Nothing starts before all that a launch file names is found, so that none of its nodes, of which
one may move a robot, runs without the others. When one node ends, the launch ends.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from launch import LaunchContext
from launch.actions import Shutdown
from launch.substitutions import PathJoinSubstitution
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare
from launch_ros.utilities import evaluate_parameters, normalize_parameters
from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from autourdf_ros.ros.common.launch_parent import LAUNCH_PROCESS

PACKAGE = "autourdf_ros"
CLEAN = (0, -signal.SIGINT)
"""Ends that are no fault: of a node that was asked to end, or was before it could listen."""
WHEN_ASKED = (*CLEAN, -signal.SIGTERM)
"""Those of one that `launch` asks to end: where SIGINT got lost, as an import may lose it, it sends
SIGTERM after a while. A node that has come to listen ends with 0 by either."""


def share(*path: str) -> PathJoinSubstitution:
    """A file that the package has installed."""
    return PathJoinSubstitution([FindPackageShare(PACKAGE), *path])


class JoinedNode(Node):
    """A node that ends with the launch, and the launch with it."""

    def __init__(
        self,
        *,
        executable: str,
        package: str = PACKAGE,
        namespace: Any = None,
        parameters: Sequence[Any] = (),
        arguments: Sequence[Any] = (),
        without: str = "",
        **others: Any,
    ) -> None:
        """Declare it, as any other node.

        Args:
            executable: its name, the package's own for those of other packages.
            package: which it is of.
            namespace: a text or a substitution; None: the launch's own.
            parameters: files and dictionaries, later ones win.
            arguments: of its command line; joined paths among them are files.
            without: launch argument that does without the node, told where it is missing.
            others: as `launch_ros.actions.Node` takes them.
        """
        super().__init__(
            package=package,
            executable=executable,
            namespace=namespace,
            parameters=[*parameters],
            arguments=[*arguments],
            additional_env={LAUNCH_PROCESS: str(os.getpid())},
            on_exit=on_exit,
            **others,
        )
        self._package, self._executable, self._without = package, executable, without
        self._namespace, self._parameters, self._arguments = namespace, parameters, arguments

    def missing(self, context: LaunchContext) -> Iterator[str]:
        """What it needs and is not there, or cannot be used, each with what to do."""
        try:
            ExecutableInPackage(self._executable, self._package).perform(context)
        except (LookupError, RuntimeError):  # of the package, of the executable
            yield self._how_to_get_it()
        for file in self._files(context):
            if not file.is_file():
                yield f"{self._executable}: {file} is no file"
        namespace = _text(context, self._namespace or "")
        try:
            validate_namespace("/" + namespace.strip("/"))
        except InvalidNamespaceException as error:
            yield f"namespace {namespace!r}: {' '.join(str(error).split())}"

    def _files(self, context: LaunchContext) -> Iterator[Path]:
        # Values, too, are evaluated here: one of a wrong type is refused before anything starts.
        for entry in evaluate_parameters(context, normalize_parameters(self._parameters)):
            if isinstance(entry, Path):
                yield entry
        for argument in self._arguments:
            if isinstance(argument, PathJoinSubstitution):
                yield Path(_text(context, argument))

    def _how_to_get_it(self) -> str:
        what = f"{self._executable!r} of package {self._package!r} is not installed"
        if self._package == PACKAGE:
            return f"{what}: build the workspace, and source its install/setup.bash"
        distribution = os.environ.get("ROS_DISTRO", "$ROS_DISTRO")
        get = f"apt install ros-{distribution}-{self._package.replace('_', '-')}"
        return f"{what}: {get}" + (f", or launch with {self._without}" if self._without else "")


def found(
    context: LaunchContext, nodes: Sequence[JoinedNode], paths: Sequence[str] = ()
) -> list[JoinedNode]:
    """The nodes whose condition holds, once all that they name is known to be there.

    Args:
        context: of the launch, in which its arguments are known.
        nodes: all that the launch file may start.
        paths: names of launch arguments that are files or folders, or empty.

    Returns:
        What is to be started.

    Raises:
        RuntimeError: something is not there; one line names all that is not, and what to do.
    """
    wanted = [node for node in nodes if node.condition is None or node.condition.evaluate(context)]
    missing = [
        *_missing_paths(context, paths),
        *(line for node in wanted for line in node.missing(context)),
    ]
    if missing:
        raise RuntimeError(f"nothing is started. {'; '.join(dict.fromkeys(missing))}")
    return wanted


def _missing_paths(context: LaunchContext, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        given = context.launch_configurations[name]
        if given and not Path(given).expanduser().exists():
            yield f"{name}:={given}: there is no such file or folder"


def on_exit(event: Any, context: LaunchContext) -> list[Shutdown]:
    """What the end of a node means: the end of the launch.

    Args:
        event: `ProcessExited` of the node.
        context: of the launch.

    Returns:
        The end of all others.

    Raises:
        RuntimeError: the node failed. An exception is all by which launch can be made to end with
            something else than 0: always with 1, so the text tells the node's own exit code.
            While it shuts down, only nodes of this package count: others are known to break then.
    """
    asked = context.is_shutdown
    clean = event.returncode in (WHEN_ASKED if asked else CLEAN)
    if not clean and (event.action.node_package == PACKAGE or not asked):
        raise RuntimeError(
            f"{event.process_name} has ended with exit code {event.returncode}: all others are "
            "ended, too"
        )
    if asked:
        return []
    return [Shutdown(reason=f"{event.process_name} has ended")]


def _text(context: LaunchContext, value: Any) -> str:
    return str(perform_substitutions(context, normalize_to_list_of_substitutions(value)))
