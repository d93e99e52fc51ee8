"""Runs one node as a process, until a signal ends it or its launch is gone."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

import rclpy
from rclpy.exceptions import NameValidationException, ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.launch_parent import end_with_launch
from autourdf_ros.ros.common.namesakes import report_namesakes

# Of arguments that rcl cannot parse, or does not know.
_RCL_ERRORS = (rclpy_implementation.RCLError, rclpy_implementation.UnknownROSArgsError)
_Made = TypeVar("_Made", bound=Node)


def made(create: Callable[[], _Made]) -> _Made:
    """Create a node. Raise InputError where rclpy refuses a parameter or a name."""
    try:
        return create()
    except (ParameterException, NameValidationException) as error:
        raise InputError(" ".join(str(error).split())) from error


def started(create: Callable[[], _Made], ended: threading.Event) -> _Made:
    """Create a node from this process' arguments.

    SIGINT, SIGTERM and SIGHUP set `ended`, and so does the end of its launch. A terminal that is
    closed ends the launch and its nodes by SIGHUP, unless that is ignored, as with `nohup`.

    Raises:
        InputError: an argument, a parameter or the environment cannot be used.
    """
    try:
        rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    except _RCL_ERRORS as error:
        raise InputError(" ".join(str(error).split())) from error
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: ended.set())
    end_with_launch(ended)
    node = made(create)
    report_namesakes(node)
    return node


def run_node(create: Callable[[], Node], name: str) -> int:
    """Spin a node until it has to end, and call its `close`, if it has one.

    A node with an `end` is spun until that returns True, since it may have to stop a robot. An
    exception of a callback ends the node in the same way, and is raised at the very end. A managed
    node that its manager shuts down (`finalized`) ends, too.

    Args:
        create: makes the node.
        name: of the node, for errors.

    Returns:
        0, or 2 after one line on standard error when `create` raises InputError.
    """
    ended = threading.Event()
    try:
        node = started(create, ended)
    except InputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        rclpy.try_shutdown()
        return error.exit_code
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    failure: Exception | None = None
    try:
        while not (ended.is_set() and _ended(node)):
            try:
                executor.spin_once(timeout_sec=0.1)
            except ExternalShutdownException:
                break
            except Exception as error:
                if failure is None:
                    node.get_logger().fatal(f"ends by {type(error).__name__}: {error}")
                failure = failure or error
                ended.set()
            if getattr(node, "finalized", False):
                ended.set()
    finally:
        ended.set()  # also for the watch of the launch
        if hasattr(node, "close"):
            node.close()
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    if failure is not None:
        raise failure
    return 0


def _ended(node: Node) -> bool:
    return not hasattr(node, "end") or bool(node.end())
