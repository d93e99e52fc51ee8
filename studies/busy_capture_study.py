"""Captures in the simulated cell with default timeouts, beside busy processes.

`.venv/bin/python studies/busy_capture_study.py [--runs 10] [--load 1] [--robot NAME] [-o FILE]`.
Only the cell and the capture node run; the demo's own timeouts are left out. Each run prints one
line of JSON: how it ended, seconds, and the load of the machine (processes that want a core).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autourdf_ros.demo import graph
from autourdf_ros.demo.parameters import DemoOptions, node_parameters
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.running_demo import RunningDemo
from autourdf_ros.demo.terminal import Terminal
from autourdf_ros.domain import free_domain, private_environment
from autourdf_ros.errors import AutourdfError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

TIMEOUTS = (
    "joint_state_timeout",
    "cloud_timeout",
    "view_timeout",
    "sync_slop",
    "still_timeout",
    "following_lag",
)
"""What the demo sets and this study leaves at its default."""


def default_parameters(
    options: DemoOptions, robot: SimulatedRobot, output: Path
) -> dict[str, list[Path | dict[str, Any]]]:
    """Return the demo's parameters of cell and capture, without its timeouts."""
    given = node_parameters(options, robot, output)
    limits, values = given["capture"]
    assert isinstance(values, dict)
    kept = {name: value for name, value in values.items() if name not in TIMEOUTS}
    return {"sim_cell": given["sim_cell"], "capture": [limits, kept]}


def capture(robot_name: str, seed: int) -> dict[str, object]:
    """Run one capture; return how it ended."""
    robot = SimulatedRobot(find_urdf(robot_name))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder)
        environment = {**private_environment(free_domain()), "PYTHONUNBUFFERED": "1"}
        try:
            with (
                ProcessGroups(output / "logs", environment) as processes,
                (output / "terminal.log").open("w") as log,
            ):
                running = RunningDemo(output, processes, Terminal(log))
                options = DemoOptions(robot_name, seed=seed)
                graph.start_nodes(options, robot, output, processes, running)
                running.completed("capture")
            said = "complete"
        except AutourdfError as error:
            said = str(error)
    seconds, load = round(time.monotonic() - began, 1), round(os.getloadavg()[0], 1)
    return {"seed": seed, "complete": said == "complete", "s": seconds, "load": load, "said": said}


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep that many cores busy."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def main() -> None:
    """Run everything, and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="seed of the first run")
    parser.add_argument("--load", type=int, default=1, help="busy processes beside it")
    parser.add_argument("--robot", default="ur5_gripper")
    parser.add_argument("-o", "--output", type=Path, help="file of the results, JSON lines")
    given = parser.parse_args()
    graph.node_parameters = default_parameters
    complete = 0
    with busy(given.load):
        for seed in range(given.first, given.first + given.runs):
            result = capture(given.robot, seed)
            complete += bool(result["complete"])
            line = json.dumps(result)
            print(line, flush=True)
            if given.output:
                with given.output.open("a") as file:
                    file.write(line + "\n")
    print(f"{complete} of {given.runs} complete")


if __name__ == "__main__":
    main()
