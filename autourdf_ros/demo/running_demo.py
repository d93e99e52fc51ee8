"""Follows the nodes of a running demo to its result, whoever started them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autourdf_ros.demo.events import Events
from autourdf_ros.demo.parameters import TRUTH
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.result_table import joint_table, paths_table, result_table, timing_table
from autourdf_ros.demo.terminal import Terminal
from autourdf_ros.errors import AutourdfError

if TYPE_CHECKING:
    from autourdf_ros.assessment.metrics.estimate_reading import Estimate
    from autourdf_ros.assessment.metrics.evaluation import Evaluation

POLL = 0.1  # s
BESIDE = 10
"""Niceness of what is computed beside the nodes and, at 5, the engine. With 19, on a machine that
others use fully, the comparison waited for it for five minutes."""
SILENCE = 120.0  # s without progress after which a stage has failed
CHECK_TIMEOUT = 20.0  # s, of the external observer
RETURNED = "complete"  # status of the capture node
OBSERVER = "external_observer"


class CheckFailedError(AutourdfError):
    """The graph ran, but its result is wrong."""


class RunningDemo:
    """Follows the reports of the demo's nodes.

    Attributes:
        seconds: durations of the stages (s), by name.
    """

    def __init__(
        self,
        output: Path,
        processes: ProcessGroups,
        terminal: Terminal,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Begin to listen; call it before the nodes report anything.

        Args:
            output: folder of the demo.
            processes: those of the observers end with their context.
            terminal: where the progress is printed.
            check: is called all the time, and raises where nobody needs to follow any more.
        """
        self.seconds: dict[str, float] = {}
        self._returned: Callable[[], None] | None = None
        self._truth = output / TRUTH
        self._processes = processes
        self._terminal = terminal
        self._check = check
        self._events = Events(
            processes.start(
                "observer",
                [sys.executable, "-m", "autourdf_ros.ros.observers.demo_observer"],
                output=subprocess.PIPE,
            )
        )

    def until_the_cell_is_ready(self) -> None:
        """Wait until the cell has loaded meshes and written the truth. Raise as `wait`."""
        self.wait(self._truth.exists, "sim_cell", SILENCE)

    def to_the_result(self, captured: Callable[[], None] = lambda: None) -> Path:
        """Follow capture and reconstruction, check the live description, and print the tables.

        Args:
            captured: is called when the robot has returned from the last frame.

        Returns:
            The folder of the model.

        Raises:
            NodeDiedError: a node ended although it was needed.
            CheckFailedError: the graph ran, but its result is wrong.
            AutourdfError: a node reports an error, or nothing any more.
        """
        self._start_observer()
        with ThreadPoolExecutor(1, initializer=_yield_to_the_nodes) as beside:
            beside.submit(_import_comparison)
            with self.stage("capture: move, take frames"):
                recording = self.completed("capture")
            shown: list[Future[frozenset[str]]] = []

            def returned() -> None:
                captured()
                # Not before: while the robot returns, the engine has hardly a core to itself.
                shown.append(beside.submit(observable_of, self._truth, recording))

            self._returned = returned  # meanwhile the robot is reconstructed
            with self.stage("reconstruct the robot"):
                model = self.completed("reconstruction")
            if not shown:  # the robot still returns
                self._returned = captured
                shown.append(beside.submit(observable_of, self._truth, recording))
        with self.stage("check the live description as an external observer"):
            links = self._check_description()["links"]
        self._terminal.line(f"  robot_description parses; TF of all {len(links)} links has arrived")
        with self.stage("compare with the truth"):
            estimate, evaluation = compare(model, self._truth, shown[0].result())
        tables = (
            result_table(evaluation, estimate.report["verdict"]),
            joint_table(evaluation),
            timing_table(self.seconds, estimate.report.get("timings", {})),
            paths_table(model, recording, self._processes.folder),
        )
        self._terminal.block("\n\n".join(["", *tables, ""]))
        if not evaluation.joints:
            raise CheckFailedError("no true joint was found")
        return model

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Print the name of a stage, and note how long it takes."""
        self._terminal.line(name)
        start = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - start

    def stay(self) -> None:
        """Keep running until interrupted or a node dies."""
        while True:
            self._update()
            time.sleep(POLL)

    def wait(self, done: Callable[[], bool], node: str, patience: float) -> None:
        """Poll until done. Raise where a node died, or this one reports an error or is silent."""
        news, since = "", time.monotonic()
        while not done():
            self._update()
            message, fraction = self._events.message(node), self._events.progress(node)
            self._terminal.progress(f"{node}: {message}" if message else f"{node}: ...", fraction)
            if self._events.is_error(node):
                raise AutourdfError(f"the node '{node}' reports: {message}")
            if news != f"{message} {fraction}":
                news, since = f"{message} {fraction}", time.monotonic()
            if time.monotonic() - since > patience:
                raise AutourdfError(
                    f"the node '{node}' has not moved on for {patience:.0f} s"
                    f"{self._processes.end_of_log(node)}"
                )
            time.sleep(POLL)

    def completed(self, node: str) -> Path:
        """Wait until a node has written its result; return where. Raise as `wait`."""
        self.wait(lambda: node in self._events.completed, node, SILENCE)
        return Path(self._events.completed[node])

    def _update(self) -> None:
        self._check()
        self._processes.check()
        self._events.update()
        self._follow_the_way_back()

    def _follow_the_way_back(self) -> None:
        """Note that the robot has returned from the last frame. Raise where it was stopped."""
        if self._returned is None:
            return
        message = self._events.message("capture")
        if self._events.is_error("capture"):
            raise AutourdfError(f"the node 'capture' reports: {message}")
        if message == RETURNED:
            returned, self._returned = self._returned, None
            returned()

    def _start_observer(self) -> None:
        """Have an external observer join the graph, which takes seconds; it listens only later."""
        command = [sys.executable, "-m", "autourdf_ros.ros.observers.external_observer", "--wait"]
        self._observer = self._processes.start(
            OBSERVER,
            [*command, "--timeout", str(CHECK_TIMEOUT)],
            output=subprocess.PIPE,
            stdin=subprocess.PIPE,
        )

    def _check_description(self) -> dict[str, Any]:
        """Return what an external observer receives. Raise CheckFailedError where it is wrong."""
        observer = self._observer
        answer, _ = observer.communicate(b"\n", timeout=2 * CHECK_TIMEOUT)
        end = self._processes.end_of_log(OBSERVER)
        self._processes.stop(OBSERVER)
        if observer.returncode != 0:
            raise CheckFailedError(f"the check of robot_description failed{end}")
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


def _yield_to_the_nodes() -> None:
    """Have this thread compute mostly what the nodes and the engine leave."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BESIDE)


def _import_comparison() -> None:
    """Import what `observable_of` and `compare` need, which takes seconds."""
    for module in ("estimate_reading", "evaluation", "truth.observability"):
        import_module(f"autourdf_ros.assessment.metrics.{module}")


def compare(
    model: Path, truth_file: Path, observable: frozenset[str]
) -> tuple[Estimate, Evaluation]:
    """Return the estimate and its evaluation against the truth of the simulated cell."""
    # Only now what takes long to import: until then the nodes would wait for it.
    from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
    from autourdf_ros.assessment.metrics.evaluation import evaluate
    from autourdf_ros.assessment.metrics.truth.truth import truth_for

    estimate = load_estimate(model)
    truth = truth_for(truth_file, None, estimate.readings)
    return estimate, evaluate(estimate.skeleton, truth, observable)


def observable_of(truth_file: Path, recording: Path) -> frozenset[str]:
    """Return which true joints of the simulated cell the recording shows."""
    from autourdf_ros.assessment.metrics.truth.observability import observable_joints
    from autourdf_ros.assessment.metrics.truth.truth import load_truth

    return observable_joints(truth_file, load_truth(truth_file), recording)
