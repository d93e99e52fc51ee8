"""Everything that the launch files name exists, and reaches the nodes."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import rclpy
import yaml
from launched import Launched, LaunchedNode, launch
from rclpy.context import Context
from rclpy.node import Node
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.model.limits.motion_limits import read_limits
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.workflows.reconstruct import write_reconstruction

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "launch").glob("*.launch.py"))
ROBOTS = sorted((ROOT / "config" / "robots").glob("*.yaml"))
LIMITS = str(ROBOTS[0])


@pytest.fixture
def launched(request: pytest.FixtureRequest, tmp_path: Path) -> Launched:
    """A launch file with everything on."""
    arguments = {
        "self_model": {"limits": LIMITS, "rviz": "true"},
        "demo": {"rviz": "true", "output": str(tmp_path)},
        "display": {"model": str(tmp_path)},
        "monitor": {"history": str(tmp_path / "models")},
    }
    if request.param == "monitor":  # its node has to have a model to start with
        made = arm_reconstruction(count=30)
        result = write_reconstruction(
            made, tmp_path / "arm", name="arm", recording=arm_recording(made)
        )
        ModelHistory(tmp_path / "models").add(result)
    return launch(ROOT / "launch" / f"{request.param}.launch.py", **arguments[request.param])


every_file = pytest.mark.parametrize(
    "launched", [file.name.removesuffix(".launch.py") for file in FILES], indirect=True
)


def test_the_launch_files_are_there() -> None:
    assert [file.name for file in FILES] == [
        "demo.launch.py",
        "display.launch.py",
        "monitor.launch.py",
        "self_model.launch.py",
    ]


@every_file
def test_packages_and_executables_exist(launched: Launched) -> None:
    ours = {
        entry.name
        for entry in metadata.distribution("autourdf_ros").entry_points
        if entry.group == "console_scripts"
    }
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    dependencies = {element.text for element in manifest.iter("exec_depend")}
    for node in launched.nodes:
        if node.package == "autourdf_ros":
            assert node.executable in ours
        else:
            assert node.package in dependencies
            assert node.executable == node.package


@every_file
def test_files_exist_and_can_be_read(launched: Launched) -> None:
    values = [value for node in launched.nodes for value in (*node.parameters, *node.arguments)]
    files = [
        Path(value)
        for value in values
        if not isinstance(value, dict) and Path(value).suffix in (".yaml", ".rviz")
    ]
    assert files
    for file in files:
        assert isinstance(yaml.safe_load(file.read_text()), dict), file


@every_file
def test_every_argument_is_described(launched: Launched) -> None:
    for argument in launched.arguments.values():
        assert argument.description


@contextmanager
def started(node: LaunchedNode, folder: Path) -> Iterator[Node]:
    """The node itself, in this process, with the parameters that it is launched with."""
    arguments = ["--ros-args", "-r", f"__node:={node.name}", "-r", f"__ns:=/{node.namespace}"]
    for number, parameters in enumerate(node.parameters):
        if isinstance(parameters, dict):
            file = folder / f"{node.executable}_{number}.yaml"
            file.write_text(yaml.safe_dump({"/**": {"ros__parameters": parameters}}))
            parameters = file
        arguments += ["--params-file", str(parameters)]
    folder = node.executable.removesuffix("_node")
    module = importlib.import_module(f"autourdf_ros.ros.{folder}.{node.executable}")
    name = "".join(part.capitalize() for part in node.executable.split("_"))
    rclpy.init(args=arguments)
    try:
        instance = getattr(module, name)()
        try:
            yield instance
        finally:
            for end in ("stop", "close"):
                getattr(instance, end, bool)()
            instance.destroy_node()
    finally:
        rclpy.shutdown()


def flatten(parameters: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested parameters by their dotted names."""
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


@every_file
def test_every_parameter_is_declared_and_arrives(launched: Launched, tmp_path: Path) -> None:
    for node in launched.nodes:
        if node.package != "autourdf_ros":
            continue
        wanted: dict[str, Any] = {}
        for parameters in node.parameters:
            if isinstance(parameters, Path):
                (section,) = yaml.safe_load(parameters.read_text()).values()
                parameters = flatten(section["ros__parameters"])
            wanted |= parameters
        # A result folder that is not there is an error of its own.
        if "result" in wanted:
            node = without(node, "result")
            wanted["result"] = ""
        with started(node, tmp_path) as instance:
            declared = set(instance.list_parameters([], 0).names)
            assert set(wanted) <= declared
            for name, value in wanted.items():
                found = instance.get_parameter(name).value
                assert (list(found) if isinstance(value, list) else found) == value, name


def without(node: LaunchedNode, name: str) -> LaunchedNode:
    """The same node with one parameter fewer."""
    parameters = tuple(
        {key: value for key, value in entry.items() if key != name}
        if isinstance(entry, dict)
        else entry
        for entry in node.parameters
    )
    return LaunchedNode(**(vars(node) | {"parameters": parameters}))


def test_a_simulated_cell_that_ended_offers_no_action(tmp_path: Path) -> None:
    launched = launch(ROOT / "launch" / "demo.launch.py", output=str(tmp_path))
    context = Context()
    rclpy.init(context=context)
    observer = rclpy.create_node("observer", context=context)
    send_goal = "/joint_trajectory_controller/follow_joint_trajectory/_action/send_goal"

    def wait_for(count: int) -> None:
        end = time.monotonic() + 10.0
        while observer.count_services(send_goal) != count:
            assert time.monotonic() < end
            time.sleep(0.01)

    try:
        with started(launched.node("sim_cell_node"), tmp_path):
            wait_for(1)
        wait_for(0)
    finally:
        observer.destroy_node()
        context.try_shutdown()


def test_nothing_moves_by_default() -> None:
    launched = launch(ROOT / "launch" / "self_model.launch.py", limits=LIMITS)
    assert launched.node("capture_node").parameters[-1]["allow_motion"] is False
    assert {node.executable for node in launched.nodes} == {
        "capture_node",
        "reconstruction_node",
        "publisher_node",
    }


@pytest.mark.parametrize("file", ROBOTS, ids=lambda file: file.stem)
def test_the_limits_of_robots_reach_the_capture(file: Path, tmp_path: Path) -> None:
    launched = launch(ROOT / "launch" / "self_model.launch.py", limits=str(file))
    with started(launched.node("capture_node"), tmp_path) as capture:
        for name, limits in read_limits(file).items():
            assert capture.get_parameter(f"{name}.velocity").value == limits.velocity
    with started(launched.node("reconstruction_node"), tmp_path) as reconstruction:
        assert reconstruction.get_parameter("limits").value == str(file)


def test_a_real_cell_needs_limits() -> None:
    with pytest.raises(RuntimeError, match="limits"):
        launch(ROOT / "launch" / "self_model.launch.py")


def test_arguments_reach_the_nodes() -> None:
    launched = launch(
        ROOT / "launch" / "self_model.launch.py",
        limits=LIMITS,
        cameras="[/front/points, /left/points]",
        command_interface="forward_position",
        command_topic="/arm/commands",
        model="results/arm",
        allow_motion="true",
        frame_prefix="twin/",
    )
    capture = launched.node("capture_node").parameters
    assert capture[1]["model"] == "results/arm"
    assert capture[2] == Path(LIMITS)
    assert list(capture[3]["cameras"]) == ["/front/points", "/left/points"]
    assert capture[3]["command_interface"] == "forward_position"
    assert capture[3]["command_topic"] == "/arm/commands"
    assert capture[3]["allow_motion"] is True
    assert launched.node("publisher_node").parameters[1]["frame_prefix"] == "twin/"


def test_a_wrong_choice_is_refused() -> None:
    with pytest.raises(RuntimeError, match="command_interface"):
        launch(
            ROOT / "launch" / "self_model.launch.py", limits=LIMITS, command_interface="telepathy"
        )


def test_the_demo_reaches_no_real_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "102")  # above all that the demo takes
    launched = launch(ROOT / "launch" / "demo.launch.py", output=str(tmp_path))
    assert launched.environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert launched.environment["ROS_DOMAIN_ID"] not in ("0", os.environ["ROS_DOMAIN_ID"])
    assert launched.node("capture_node").parameters[-1]["allow_motion"] is True


def test_display_keeps_to_its_own_tf() -> None:
    launched = launch(ROOT / "launch" / "display.launch.py", model="somewhere", sliders="none")
    for node in launched.nodes:
        assert node.namespace == "display"
        assert node.remappings == {"/tf": "tf", "/tf_static": "tf_static"}
    assert "joint_state_publisher_gui" not in {node.package for node in launched.nodes}


def display(**arguments: str) -> Launched:
    return launch(ROOT / "launch" / "display.launch.py", model="somewhere", **arguments)


def test_display_leaves_tf_to_one_publisher() -> None:
    own, other = display(), display(robot_state_publisher="true")
    assert "robot_state_publisher" not in {node.package for node in own.nodes}
    assert own.node("publisher_node").parameters[1]["publish_tf"] is True
    assert other.node("publisher_node").parameters[1]["publish_tf"] is False
    node = other.node("robot_state_publisher")
    assert node.parameters == ({"description_from_topic": True},)
    assert node.namespace == "display"
    assert node.remappings == {"/tf": "tf", "/tf_static": "tf_static"}


@pytest.mark.parametrize(
    ("sliders", "source"),
    [
        ("window", "joint_state_publisher_gui"),
        ("parameters", "slider_node"),
        ("sweep", "slider_node"),
        ("none", None),
    ],
)
def test_display_has_one_source_of_joint_states(
    sliders: str, source: str | None, tmp_path: Path
) -> None:
    launched = display(sliders=sliders)
    sources = {node.executable for node in launched.nodes} - {"publisher_node", "rviz2"}
    assert sources == ({source} if source else set())
    if source == "slider_node":
        node = launched.node("slider_node")
        with started(node, tmp_path) as instance:
            assert instance.get_parameter("sweep").value is (sliders == "sweep")
            # The topic that the publisher hears, which no robot's driver is on.
            assert instance.resolve_topic_name("joint_states") == "/display/joint_states"
    assert launched.node("publisher_node").parameters[1]["joint_states_topic"] == "joint_states"


def test_results_are_loaded_from_where_they_are_written() -> None:
    launched = launch(ROOT / "launch" / "self_model.launch.py", limits=LIMITS, results="mine")
    assert launched.node("reconstruction_node").parameters[1]["output"] == "mine"
    assert launched.node("publisher_node").parameters[1]["results_root"] == "mine"
