"""The running graph of the demo, stage by stage."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autourdf_ros.demo.events import Events
from autourdf_ros.demo.parameters import (
    DemoOptions,
    capture_parameters,
    config_folder,
    sim_cell_parameters,
    write_limits,
    write_parameters,
)
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.terminal import Terminal
from autourdf_ros.errors import AutourdfError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

NODES = ("sim_cell", "capture", "reconstruction", "publisher")
POLL = 0.1  # s
CELL_TIMEOUT = 60.0  # s; loading meshes and building the ray casting scenes
SILENCE = 120.0  # s without progress after which a stage has failed
CHECK_TIMEOUT = 20.0  # s, of the external observer


class CheckFailedError(AutourdfError):
    """The graph ran, but its result is wrong."""


class Graph:
    """Starts the nodes and follows their reports."""

    def __init__(
        self, options: DemoOptions, output: Path, processes: ProcessGroups, terminal: Terminal
    ) -> None:
        """Write to the folder `output`; the processes end with their context."""
        self._options = options
        self._output = output
        self._processes = processes
        self._terminal = terminal
        self._config = config_folder()
        self._events = Events(
            processes.start(
                "observer",
                [sys.executable, "-m", "autourdf_ros.ros.observers.demo_observer"],
                output=subprocess.PIPE,
            )
        )

    @property
    def truth_file(self) -> Path:
        """Where the simulated cell writes its truth."""
        return self._output / "truth.json"

    def start_cell(self, robot: SimulatedRobot) -> None:
        """Start the simulated cell and all nodes that wait for it."""
        parameters = self._output / "parameters"
        self._start("sim_cell", sim_cell_parameters(self._options, self.truth_file))
        limits = write_limits(parameters, robot)
        self._start(
            "reconstruction",
            {
                "output": str(self._output / "results"),
                "name": robot.name,
                "limits": str(limits),
            },
        )
        self._start("publisher", {})
        self._wait(self.truth_file.exists, "sim_cell", CELL_TIMEOUT)
        truth = json.loads(self.truth_file.read_text())
        start = truth["reference_configuration"]
        recordings = self._output / "recordings"
        values = capture_parameters(self._options, robot, start, recordings)
        self._start("capture", values, limits)

    def wait_for(self, node: str) -> Path:
        """Follow a node until it has completed; return the path that it reports."""
        self._wait(lambda: node in self._events.completed, node, SILENCE)
        return Path(self._events.completed[node])

    def end(self, node: str) -> None:
        """End a node that has completed."""
        self._processes.stop(node)

    def check_description(self) -> dict[str, Any]:
        """Return what an external observer receives. Raise CheckFailedError where it is wrong."""
        command = [sys.executable, "-m", "autourdf_ros.ros.observers.external_observer"]
        observer = self._processes.start(
            "external_observer", [*command, "--timeout", str(CHECK_TIMEOUT)], output=subprocess.PIPE
        )
        answer, _ = observer.communicate(timeout=2 * CHECK_TIMEOUT)
        tail = self._processes.tail("external_observer")
        self._processes.stop("external_observer")
        if observer.returncode != 0:
            raise CheckFailedError(f"the check of robot_description failed:\n{tail}")
        seen: dict[str, Any] = json.loads(answer)
        if "error" in seen:
            raise CheckFailedError(f"robot_description: {seen['error']}")
        if seen["missing"]:
            raise CheckFailedError(f"TF: no transform of link {', '.join(seen['missing'])}")
        if seen["missing_meshes"]:
            raise CheckFailedError(
                f"robot_description: no file {', '.join(seen['missing_meshes'])}"
            )
        return seen

    def stay(self) -> None:
        """Keep running until interrupted or a node dies."""
        while True:
            self._processes.check()
            self._events.update()
            time.sleep(POLL)

    def _start(self, node: str, values: dict[str, Any], *more: Path) -> None:
        files = [self._config / f"{node}.yaml", *more]
        files.append(write_parameters(self._output / "parameters", node, values))
        command = [sys.executable, "-m", f"autourdf_ros.ros.{node}.{node}_node", "--ros-args"]
        for file in files:
            command += ["--params-file", str(file)]
        self._processes.start(node, command)

    def _wait(self, done: Callable[[], bool], node: str, patience: float) -> None:
        """Poll until done. Raise where a node died, or this one reports an error or is silent."""
        news, since = "", time.monotonic()
        while not done():
            self._processes.check()
            self._events.update()
            message, fraction = self._events.message(node), self._events.progress(node)
            self._terminal.progress(f"{node}: {message}" if message else f"{node}: ...", fraction)
            if self._events.is_error(node):
                raise AutourdfError(f"the node '{node}' reports: {message}")
            if news != f"{message} {fraction}":
                news, since = f"{message} {fraction}", time.monotonic()
            if time.monotonic() - since > patience:
                raise AutourdfError(
                    f"the node '{node}' has not moved on for {patience:.0f} s; the end of "
                    f"{self._processes.log(node)}:\n{self._processes.tail(node)}"
                )
            time.sleep(POLL)
