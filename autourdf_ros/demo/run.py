"""The demo from start to end."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from autourdf_ros.demo.graph import start_nodes
from autourdf_ros.demo.parameters import DemoOptions, config_folder
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.running_demo import RunningDemo
from autourdf_ros.demo.shown_page import (
    PATIENCE,
    VIEW,
    open_in_browser,
    page_address,
    start_page,
)
from autourdf_ros.demo.terminal import Terminal
from autourdf_ros.domain import free_domain, private_environment
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


def run_demo(
    options: DemoOptions,
    output: Path,
    domain: int | None,
    stay: bool,
    view: bool,
    terminal: Terminal,
) -> None:
    """Run the whole chain and print the result; no process is left behind.

    Args:
        options: of the demo.
        output: folder of everything that is written.
        domain: ROS domain; None: a free one.
        stay: whether to keep the graph alive until interrupted.
        view: whether to show on a page what is recorded, and the model, until interrupted.
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
    terminal.line(f"{robot.name} on ROS domain {number}, on this machine only; files in {output}")
    with ProcessGroups(logs, environment) as processes:
        running = RunningDemo(output, processes, terminal)
        with running.stage("start the simulated cell and the nodes"):
            if view:
                start_page(output, processes)
            start_nodes(options, robot, output, processes, running)
        if view:
            running.wait(lambda: bool(page_address(processes)), VIEW, PATIENCE)
            terminal.line(f"  {page_address(processes)} shows what is recorded, and the model")
            open_in_browser(page_address(processes))
        # Its cameras and readings would go on taking time of the processor.
        running.to_the_result(lambda: None if stay else processes.stop("capture"))
        if stay:
            _stay(running, number, terminal)
        elif view:
            processes.stop(*(name for name in processes.names if name != VIEW))
            terminal.block(f"The page stays at {page_address(processes)} until Ctrl-C.")
            with suppress(KeyboardInterrupt):
                running.stay()


def _stay(running: RunningDemo, domain: int, terminal: Terminal) -> None:
    terminal.block(
        f"The graph stays alive until Ctrl-C. To view it, in another terminal:\n"
        f"  export ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST\n"
        f"  rviz2 -d {config_folder().parent / 'rviz' / 'self_model.rviz'}"
    )
    with suppress(KeyboardInterrupt):
        running.stay()


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
