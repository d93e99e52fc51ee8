"""The demo from start to end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from autourdf_ros.assessment.metrics.estimate_reading import Estimate, load_estimate
from autourdf_ros.assessment.metrics.evaluation import Evaluation, evaluate
from autourdf_ros.assessment.metrics.truth.observability import observable_joints
from autourdf_ros.assessment.metrics.truth.truth import truth_for
from autourdf_ros.demo.graph import CheckFailedError, Graph
from autourdf_ros.demo.parameters import DemoOptions, config_folder
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.result_table import joint_table, paths_table, result_table, timing_table
from autourdf_ros.demo.terminal import Terminal
from autourdf_ros.domain import free_domain, private_environment
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


def run_demo(
    options: DemoOptions, output: Path, domain: int | None, stay: bool, terminal: Terminal
) -> None:
    """Run the whole chain and print the result; no process is left behind.

    Args:
        options: of the demo.
        output: folder of everything that is written.
        domain: ROS domain; None: a free one.
        stay: whether to keep the graph alive until interrupted.
        terminal: where the progress is printed.

    Raises:
        NodeDiedError: a node ended although it was needed.
        CheckFailedError: the graph ran, but its result is wrong.
        InputError: an option cannot be used.
    """
    robot = SimulatedRobot(find_urdf(options.robot))
    output = new_folder(output)
    number = free_domain() if domain is None else domain
    logs = output / "logs"
    environment = {
        **private_environment(number),
        "PYTHONUNBUFFERED": "1",
        "ROS_LOG_DIR": str(logs / "ros"),
    }
    seconds: dict[str, float] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        terminal.line(name)
        start = time.monotonic()
        yield
        seconds[name] = time.monotonic() - start

    terminal.line(f"{robot.name} on ROS domain {number}, on this machine only; files in {output}")
    with ProcessGroups(logs, environment) as processes:
        graph = Graph(options, output, processes, terminal)
        with stage("start the simulated cell and the nodes"):
            graph.start_cell(robot)
        with stage("capture: move, take frames"):
            recording = graph.wait_for("capture")
            if not stay:
                graph.end("capture")
        with stage("reconstruct the robot"):
            model = graph.wait_for("reconstruction")
        with stage("check the live description as an external observer"):
            seen = graph.check_description()
        terminal.line(
            f"  robot_description parses; TF of all {len(seen['links'])} links has arrived"
        )
        with stage("compare with the truth"):
            estimate, evaluation = compare(model, graph.truth_file, recording)
        tables = (
            result_table(evaluation, estimate.report["verdict"]),
            joint_table(evaluation),
            timing_table(seconds, estimate.report.get("timings", {})),
            paths_table(model, recording, logs),
        )
        terminal.block("\n\n".join(["", *tables, ""]))
        if not evaluation.joints:
            raise CheckFailedError("no true joint was found")
        if stay:
            _stay(graph, number, terminal)


def _stay(graph: Graph, domain: int, terminal: Terminal) -> None:
    terminal.block(
        f"The graph stays alive until Ctrl-C. To view it, in another terminal:\n"
        f"  export ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST\n"
        f"  rviz2 -d {config_folder().parent / 'rviz' / 'self_model.rviz'}"
    )
    with suppress(KeyboardInterrupt):
        graph.stay()


def compare(model: Path, truth_file: Path, recording: Path) -> tuple[Estimate, Evaluation]:
    """Return the estimate and its evaluation against the truth of the simulated cell."""
    estimate = load_estimate(model)
    truth = truth_for(truth_file, None, estimate.readings)
    observable = observable_joints(truth_file, truth, recording)
    return estimate, evaluate(estimate.skeleton, truth, observable)


def new_folder(path: Path) -> Path:
    """Make `path`, or `path_2`, `path_3`... if it is not empty. Raise InputError on failure."""
    path = path.expanduser().resolve()
    for number in range(1, 1000):
        folder = path if number == 1 else path.with_name(f"{path.name}_{number}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be made: {error.strerror}") from error
        if not any(folder.iterdir()):
            return folder
    raise InputError(f"{path}: a thousand earlier results are beside it; remove some")
