"""The nodes of the launch files.

Nothing starts before everything that a launch file names is found, so that no node, of which one
may move a robot, runs without the others. When one node ends, the launch ends.
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
from launch_ros.substitutions import ExecutableInPackage
from launch_ros.utilities import evaluate_parameters, normalize_parameters
from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from autourdf_ros.ros.common.launch_process import LAUNCH_PROCESS, launch_process
from autourdf_ros.ros.launching.start_after import prefix

PACKAGE = "autourdf_ros"
CLEAN = (0, -signal.SIGINT)
"""Exit codes that are no fault: of a node that was asked to end, also before it could listen."""
WHEN_ASKED = (*CLEAN, -signal.SIGTERM)
"""Exit codes of a node that `launch` asked to end: where SIGINT was lost, as during an import, it
sends SIGTERM after a while. A node that listens ends with 0 by either."""


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
        after: Path | None = None,
        **others: Any,
    ) -> None:
        """Declare the node.

        Args:
            executable: name of the executable.
            package: that contains it.
            namespace: a text or a substitution; None: that of the launch.
            parameters: files and dictionaries; later ones win.
            arguments: of its command line; joined paths among them are files.
            without: launch argument that omits the node, for the message where it is missing.
            after: file that another node writes, before which this one does not start.
            others: as `launch_ros.actions.Node` takes them.
        """
        super().__init__(
            package=package,
            executable=executable,
            namespace=namespace,
            parameters=[*parameters],
            arguments=[*arguments],
            additional_env={LAUNCH_PROCESS: launch_process()},
            on_exit=on_exit,
            **({} if after is None else {"prefix": prefix(after)}),
            **others,
        )
        self.after = after
        self._package, self._executable, self._without = package, executable, without
        self._namespace, self._parameters, self._arguments = namespace, parameters, arguments

    def missing(self, context: LaunchContext) -> Iterator[str]:
        """Yield what the node needs but is missing or unusable, each with the remedy."""
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
        # This also evaluates values: one of a wrong type is refused before anything starts.
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
    """Return the nodes whose condition holds, once everything that they name is found.

    Args:
        context: of the launch, with its arguments.
        nodes: all nodes that the launch file may start.
        paths: names of launch arguments that are files or folders, or empty.

    Returns:
        The nodes to start.

    Raises:
        RuntimeError: something is missing; one line names everything, with the remedies.
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
    """End the launch when a node ends.

    Args:
        event: `ProcessExited` of the node.
        context: of the launch.

    Returns:
        The shutdown of all other nodes.

    Raises:
        RuntimeError: the node failed. Only an exception makes `launch` end with another code than
            0, which is always 1, so that the text names the node's own exit code. During a shutdown
            only nodes of this package count, since others are known to fail then.
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
