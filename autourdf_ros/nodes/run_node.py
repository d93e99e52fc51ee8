"""Runs one node as a process, until SIGINT or SIGTERM."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable

import rclpy
from rclpy.executors import (
    ExternalShutdownException,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
)
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from autourdf_ros.errors import InputError


def run_node(create: Callable[[], Node], name: str, threads: int = 1) -> int:
    """Spin the node that `create` makes, and call its `close` at the end if it has one.

    threads: that run callbacks of different groups at once.
    Returns 0, or 2 after one line on standard error when `create` raises InputError.
    """
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        node = create()
    except InputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        rclpy.try_shutdown()
        return error.exit_code
    executor = SingleThreadedExecutor() if threads == 1 else MultiThreadedExecutor(threads)
    executor.add_node(node)
    try:
        while not ended.is_set():
            executor.spin_once(timeout_sec=0.1)
    except ExternalShutdownException:
        pass
    finally:
        if hasattr(node, "close"):
            node.close()
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0
