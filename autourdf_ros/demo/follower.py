"""The process of launch/demo.launch.py that ends with the demo: 0 with a model, otherwise not.

`autourdf demo` starts the same nodes itself and follows them in the same way.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from autourdf_ros.errors import AutourdfError, CancelledError
from autourdf_ros.ros.common.launch_process import ended_with_launch


def main(argv: Sequence[str] | None = None) -> int:
    """Follow the demo that is launched; arguments of ROS are not for this process.

    Returns:
        0 once the model is there and its live description is right, or when it was asked to end;
        1 where a node reports an error or the result is wrong.
    """
    parser = argparse.ArgumentParser(description="Follow the nodes of a demo to its result.")
    parser.add_argument("output", type=Path, help="folder of the demo")
    parser.add_argument("--stay", action="store_true", help="remain once the model is there")
    arguments, _ = parser.parse_known_args(argv)
    with ended_with_launch():  # these import for seconds
        from autourdf_ros.demo.processes import ProcessGroups
        from autourdf_ros.demo.running_demo import RunningDemo
        from autourdf_ros.demo.terminal import Terminal
        from autourdf_ros.ros.common.launch_parent import end_with_launch
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())

    def check() -> None:
        if ended.is_set():
            raise CancelledError("the demo is ended")

    try:
        end_with_launch(ended)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with ProcessGroups(arguments.output / "logs", environment) as processes:
            running = RunningDemo(arguments.output, processes, Terminal(), check)
            running.until_the_cell_is_ready()
            running.to_the_result()
            if arguments.stay:
                running.stay()
    except CancelledError:
        return 0
    except AutourdfError as error:
        print(f"demo: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
