"""Everything that the launch files name exists, and reaches the nodes."""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from distutils.core import run_setup  # of setuptools
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import rclpy
import yaml
from hinged_video import hinged_video
from launched import Launched, LaunchedNode, Shutdown, launch
from rclpy.context import Context
from rclpy.node import Node
from sample_results import write_small_arm
from weighing_arm import JOINTS, URDF

from autourdf_ros.demo.parameters import DemoOptions, node_parameters
from autourdf_ros.model.limits.motion_limits import JointLimits, limits_yaml, read_limits
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.ros.common.launch_process import LAUNCH_PROCESS, launch_process
from autourdf_ros.simulation.mechanisms.mechanism_mjcf import mjcf
from autourdf_ros.simulation.mechanisms.swinging_scenes import cart_pole
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "launch").glob("*.launch.py"))
ROBOTS = sorted((ROOT / "config" / "robots").glob("*.yaml"))
LIMITS = str(ROBOTS[0])


@pytest.fixture(scope="module")
def launched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Launched:
    """A launch file with everything on."""
    folder = tmp_path_factory.mktemp(request.param)
    arguments = {
        "self_model": {"limits": LIMITS, "rviz": "true"},
        "demo": {"rviz": "true", "output": str(folder)},
        "display": {"model": str(folder)},
        "monitor": {"history": str(folder / "models")},
        "identification": weighing(folder),
        "rendering": {"model": str(folder / "arm")},
        "cart_pole": {"model": str(folder / "pole"), "mjcf": str(folder / "pole.xml")},
    }
    if request.param == "monitor":  # its node has to have a model to start with
        ModelHistory(folder / "models").add(write_small_arm(folder / "arm"))
    if request.param == "rendering":
        write_small_arm(folder / "arm")
    if request.param == "cart_pole":
        write_mechanism(hinged_video(np.zeros((4, 2))), folder / "pole", WrittenMechanism("pole"))
        (folder / "pole.xml").write_text(mjcf(cart_pole()))
    return launch(ROOT / "launch" / f"{request.param}.launch.py", **arguments[request.param])


def weighing(folder: Path) -> dict[str, str]:
    """Limits and model of an arm that can turn what it holds."""
    (folder / "arm.urdf").write_text(URDF)
    limits = dict.fromkeys(JOINTS, JointLimits(-2.5, 2.5, 2.0, 8.0))
    (folder / "limits.yaml").write_text(limits_yaml(limits))
    return {"limits": str(folder / "limits.yaml"), "model": str(folder / "arm.urdf")}


every_file = pytest.mark.parametrize(
    "launched",
    [file.name.removesuffix(".launch.py") for file in FILES],
    indirect=True,
    scope="module",
)


def test_the_launch_files_are_there() -> None:
    assert [file.name for file in FILES] == [
        "cart_pole.launch.py",
        "demo.launch.py",
        "display.launch.py",
        "identification.launch.py",
        "monitor.launch.py",
        "rendering.launch.py",
        "self_model.launch.py",
    ]


@every_file
def test_packages_and_executables_exist(
    launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)  # the package may have been installed before it had this executable
    scripts = run_setup("setup.py", stop_after="init").entry_points["console_scripts"]
    ours = {entry.partition(" =")[0] for entry in scripts}
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
        if node.package != "autourdf_ros" or not node.name:
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


def test_nothing_is_weighed_by_default(tmp_path: Path) -> None:
    launched = launch(ROOT / "launch" / "identification.launch.py", **weighing(tmp_path))
    assert launched.node("identification_node").parameters[-1]["allow_motion"] is False


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


MANAGED = {"capture_node", "reconstruction_node", "publisher_node", "monitor_node"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("self_model", {"limits": LIMITS}),
        ("demo", {}),
        ("display", {"model": str(ROOT)}),
        ("monitor", {}),
    ],
)
@pytest.mark.parametrize(("autostart", "managed"), [({}, False), ({"autostart": "false"}, True)])
def test_nodes_wait_for_a_manager_where_they_do_not_start_by_themselves(
    name: str, given: dict[str, str], autostart: dict[str, str], managed: bool, tmp_path: Path
) -> None:
    given = given | ({"output": str(tmp_path)} if name == "demo" else {})
    launched = launch(ROOT / "launch" / f"{name}.launch.py", **given, **autostart)
    waiting = {
        node.executable
        for node in launched.nodes
        for parameters in node.parameters
        if isinstance(parameters, dict) and parameters.get("use_lifecycle_manager")
    }
    assert waiting == (MANAGED & {node.executable for node in launched.nodes} if managed else set())


@every_file
def test_every_node_knows_the_process_of_its_launch(launched: Launched) -> None:
    for node in launched.nodes:
        assert node.environment == {LAUNCH_PROCESS: launch_process()}


@pytest.mark.parametrize(
    ("name", "arguments", "missing", "way_out"),
    [
        ("self_model", {"limits": LIMITS, "rviz": "true"}, "rviz2", "rviz:=false"),
        ("self_model", {"limits": LIMITS}, "autourdf_ros", "source its install/setup.bash"),
        ("demo", {"rviz": "true"}, "rviz2", "rviz:=false"),
        ("display", {}, "rviz2", "ros-kilted-rviz2"),
        ("display", {}, "joint_state_publisher_gui", "sliders:=parameters"),
        (
            "display",
            {"robot_state_publisher": "true"},
            "robot_state_publisher",
            "robot_state_publisher:=false",
        ),
        ("monitor", {}, "autourdf_ros", "source its install/setup.bash"),
    ],
)
def test_what_is_not_installed_is_named_before_anything_starts(
    name: str,
    arguments: dict[str, str],
    missing: str,
    way_out: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROS_DISTRO", "kilted")
    given = {"demo": {"output": str(tmp_path)}, "display": {"model": str(ROOT)}}.get(name, {})
    file = ROOT / "launch" / f"{name}.launch.py"
    with pytest.raises(RuntimeError, match="nothing is started") as caught:
        launch(file, missing=[missing], **given, **arguments)
    problem = str(caught.value)
    assert f"of package '{missing}' is not installed: " in problem
    assert way_out in problem and "\n" not in problem


def test_what_is_not_asked_for_need_not_be_installed(tmp_path: Path) -> None:
    launch(ROOT / "launch" / "self_model.launch.py", missing=["rviz2"], limits=LIMITS)
    launch(ROOT / "launch" / "demo.launch.py", missing=["rviz2"], output=str(tmp_path))
    display(missing=["joint_state_publisher_gui", "robot_state_publisher"], sliders="sweep")


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("self_model", {"limits": "no/limits.yaml"}, "capture_node: no/limits.yaml is no file"),
        ("self_model", {"limits": LIMITS, "model": "no/model"}, "model:=no/model: there is no"),
        (
            "self_model",
            {"limits": LIMITS, "namespace": "a b"},
            "namespace 'a b': Invalid",
        ),
        (
            "identification",
            {"limits": "no/limits.yaml", "model": str(ROOT)},
            "limits:=no/limits.yaml: there is no such file or folder",
        ),
        (
            "self_model",
            {"limits": LIMITS, "params_file": "no/own.yaml"},
            "capture_node: no/own.yaml is no file",
        ),
        ("display", {"model": "no/result"}, "model:=no/result: there is no such file or folder"),
        ("rendering", {"model": "no/arm"}, "model:=no/arm: there is no such file or folder"),
        ("monitor", {"result": "no/result"}, "result:=no/result: there is no such file or folder"),
    ],
)
def test_files_that_are_not_there_are_named_before_anything_starts(
    name: str, arguments: dict[str, str], problem: str
) -> None:
    with pytest.raises(RuntimeError, match=f"nothing is started. {problem}"):
        launch(ROOT / "launch" / f"{name}.launch.py", **arguments)


def test_a_value_of_a_wrong_type_is_refused_before_anything_starts() -> None:
    with pytest.raises(ValueError, match="5"):
        launch(ROOT / "launch" / "self_model.launch.py", limits=LIMITS, cameras="5")


def ended(node: LaunchedNode, code: int, asked: bool = False) -> list[Any]:
    """What launch is to do once a node has ended. asked: whether it was already ending all."""
    event = SimpleNamespace(
        process_name=f"{node.executable}-1",
        returncode=code,
        action=SimpleNamespace(node_package=node.package),
    )
    return node.on_exit(event, SimpleNamespace(is_shutdown=asked))


@every_file
@pytest.mark.parametrize("code", [1, 2, -signal.SIGKILL, -signal.SIGSEGV])
def test_a_node_that_fails_fails_the_launch(launched: Launched, code: int) -> None:
    for node in launched.nodes:
        # What launch makes of an exception: it ends all others, and `ros2 launch` ends with 1.
        with pytest.raises(
            RuntimeError, match=f"{node.executable}-1 has ended with exit code {code}"
        ):
            ended(node, code)


@every_file
@pytest.mark.parametrize("code", [0, -signal.SIGINT])
def test_a_node_that_ends_well_ends_the_launch_well(launched: Launched, code: int) -> None:
    for node in launched.nodes:
        (action,) = ended(node, code)
        assert isinstance(action, Shutdown)


@every_file
def test_what_was_asked_to_end_and_does_is_no_failure(launched: Launched) -> None:
    for node in launched.nodes:
        for code in (0, -signal.SIGINT, -signal.SIGTERM):
            assert ended(node, code, asked=True) == []
        if node.package != "autourdf_ros":
            assert ended(node, -signal.SIGSEGV, asked=True) == []
            continue
        with pytest.raises(RuntimeError, match="exit code -9"):  # it had to be killed
            ended(node, -signal.SIGKILL, asked=True)


def test_a_real_cell_needs_limits() -> None:
    with pytest.raises(RuntimeError, match="limits"):
        launch(ROOT / "launch" / "self_model.launch.py")


def test_arguments_reach_the_nodes(tmp_path: Path) -> None:
    launched = launch(
        ROOT / "launch" / "self_model.launch.py",
        limits=LIMITS,
        cameras="[/front/points, /left/points]",
        command_interface="forward_position",
        command_topic="/arm/commands",
        model=str(tmp_path),
        allow_motion="true",
        frame_prefix="copy/",
    )
    capture = launched.node("capture_node").parameters
    assert capture[1]["model"] == str(tmp_path)
    assert capture[2] == Path(LIMITS)
    assert list(capture[3]["cameras"]) == ["/front/points", "/left/points"]
    assert capture[3]["command_interface"] == "forward_position"
    assert capture[3]["command_topic"] == "/arm/commands"
    assert capture[-1]["allow_motion"] is True
    assert launched.node("publisher_node").parameters[1]["frame_prefix"] == "copy/"


def test_arguments_that_count_for_all_nodes_reach_them(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    given = {"seed": 7, "allow_motion": True}
    own.write_text(yaml.safe_dump({"/**/capture": {"ros__parameters": given}}))
    launched = launch(
        ROOT / "launch" / "self_model.launch.py",
        limits=LIMITS,
        namespace="cell_1",
        joint_states="/arm/joint_states",
        use_sim_time="true",
        params_file=str(own),
        sequences="3",
        frames="12",
    )
    namespaces = {node.executable: node.namespace for node in launched.nodes}
    assert namespaces == {
        "capture_node": "cell_1",
        "reconstruction_node": "cell_1",
        "publisher_node": "cell_1/self_model",
    }
    for node in launched.nodes:
        assert {"use_sim_time": True} in node.parameters and own in node.parameters
    reconstruction = launched.node("reconstruction_node").parameters
    assert reconstruction[1]["capture_topic"] == "/cell_1/capture/completed"
    assert reconstruction[1]["begun_topic"] == "/cell_1/capture/begun"
    published = launched.node("publisher_node").parameters[1]
    assert published["completed_topic"] == "/cell_1/reconstruction/completed"
    assert published["joint_states_topic"] == "/arm/joint_states"
    capture = launched.node("capture_node")
    assert capture.remappings == {"joint_states": "/arm/joint_states"}
    with started(capture, tmp_path) as node:
        names = ("sequences", "frames", "seed", "allow_motion")
        values = {name: node.get_parameter(name).value for name in names}
        # Only the argument permits motion.
        assert values == {"sequences": 3, "frames": 12, "seed": 7, "allow_motion": False}
        assert node.get_fully_qualified_name() == "/cell_1/capture"


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


def test_the_demo_has_the_parameters_of_the_command(tmp_path: Path) -> None:
    launched = launch(ROOT / "launch" / "demo.launch.py", output=str(tmp_path / "a"), frames="5")
    robot = SimulatedRobot(find_urdf("ur5_gripper"))
    for node, more in node_parameters(DemoOptions(frames=5), robot, tmp_path / "a").items():
        _, *given = launched.node(f"{node}_node").parameters
        assert given == more
    values = launched.node("capture_node").parameters[-1]
    assert values["joint_state_timeout"] == 2.0 and values["frames"] == 5


@pytest.mark.parametrize(
    ("given", "arguments"),
    [({}, []), ({"rviz": "true"}, ["--stay"]), ({"rviz": "true", "stay": "false"}, [])],
)
def test_the_demo_ends_with_its_follower_unless_it_stays(
    given: dict[str, str], arguments: list[str], tmp_path: Path
) -> None:
    launched = launch(ROOT / "launch" / "demo.launch.py", output=str(tmp_path), **given)
    follower = launched.node("demo_follower")
    assert follower.arguments == (str(tmp_path), *arguments)
    assert follower is launched.nodes[0]  # it listens before anybody reports


def test_what_the_demo_needs_later_waits_for_the_cell(tmp_path: Path) -> None:
    launched = launch(ROOT / "launch" / "demo.launch.py", output=str(tmp_path))
    after = {node.executable: node.after for node in launched.nodes}
    assert after["sim_cell_node"] is after["capture_node"] is after["demo_follower"] is None
    assert after["reconstruction_node"] == after["publisher_node"] == tmp_path / "truth.json"


def test_a_number_that_is_none_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"nothing is started. frames:=many"):
        launch(ROOT / "launch" / "demo.launch.py", output=str(tmp_path), frames="many")


def test_display_keeps_to_its_own_tf() -> None:
    launched = launch(ROOT / "launch" / "display.launch.py", model=str(ROOT), sliders="none")
    for node in launched.nodes:
        assert node.namespace == "display"
        assert node.remappings == {"/tf": "tf", "/tf_static": "tf_static"}
    assert "joint_state_publisher_gui" not in {node.package for node in launched.nodes}


def display(missing: Collection[str] = (), **arguments: str) -> Launched:
    file = ROOT / "launch" / "display.launch.py"
    return launch(file, missing=missing, model=str(ROOT), **arguments)


def test_display_may_do_without_rviz() -> None:
    """Which a machine without a screen lacks; Foxglove shows the same."""
    assert "rviz2" in {node.executable for node in display().nodes}
    without = display(rviz="false", missing={"rviz2"})
    assert "rviz2" not in {node.executable for node in without.nodes}
    with pytest.raises(RuntimeError, match="or launch with rviz:=false"):
        display(missing={"rviz2"})


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
