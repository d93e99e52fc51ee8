"""A cart-pole is swung up by an identified model, by messages between processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hinged_video import hinged_video
from live import Observer, node_process, observer, trigger
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.conversions import joint_state
from autourdf_ros.ros.mechanism_cell.mechanism_cell_node import MechanismCellNode
from autourdf_ros.ros.swing_up.swing_up_node import SwingUpNode
from autourdf_ros.ros.swing_up.swing_up_parameters import declare_parameters
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism

CONFIG = Path(__file__).parents[3] / "config"
# As heavy as hinged_video's model by its volumes and 1000 kg/m³, and some 5 % more.
TRUE = """<mujoco><option timestep="0.001" integrator="RK4"/><worldbody><body name="cart">
<joint name="rail" type="slide" axis="1 0 0" damping="0.2"/><geom type="box" size=".1 .05 .05"
density="1050" contype="0" conaffinity="0"/><body name="bar"><joint name="hinge" axis="0 1 0"
damping="0.003"/><geom type="box" size=".015 .015 .25" pos="0 -.07 -.25" density="1060"
contype="0" conaffinity="0"/></body></body></worldbody></mujoco>"""
LIMITS = {
    "limits.lower": -0.9,
    "limits.upper": 0.9,
    "limits.velocity": 5.0,
    "limits.effort": 20.0,
    "limits.effort_rate": 800.0,
}
GIVEN = LIMITS | {"upright": float(np.pi), "joint_state_timeout": 10.0}


class Watching:
    """Hears states and commands, and asks the node to start and stop."""

    def __init__(self, seen: Observer) -> None:
        self.seen, self.states, self.forces = seen, [], []
        node = seen.node
        node.destroy_publisher(seen.joint_states)  # one too many
        node.create_subscription(JointState, "/joint_states", self.states.append, 200)
        node.create_subscription(
            Float64MultiArray, "/effort_controller/commands", self._on_force, 200
        )

    def _on_force(self, message: Float64MultiArray) -> None:
        self.forces.append(message.data[0])

    def ask(self, what: str) -> Any:
        client = self.seen.node.create_client(Trigger, f"/swing_up/{what}")
        return trigger(client, self.seen.until, "it is running")

    def begin(self) -> None:
        """Start, once it has found the controller and measured the joint states."""
        answers: list[str] = []

        def begun() -> bool:
            answer = self.ask("start")
            answers.append(answer.message)
            return bool(answer.success)

        try:
            self.seen.until(begun, 20)
        except AssertionError as error:
            raise AssertionError(answers) from error

    def angle(self) -> float:
        """From upright (rad)."""
        return float(abs((self.states[-1].position[1]) % (2 * np.pi) - np.pi))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A result folder of the cart-pole, and the MJCF of the true one."""
    folder = tmp_path_factory.mktemp("cart_pole")
    times = np.linspace(0, 2, 20)
    values = np.column_stack([0.3 * np.sin(3 * times), np.cos(4 * times)])
    write_mechanism(hinged_video(values), folder / "out", WrittenMechanism("cart-pole"))
    (folder / "true.xml").write_text(TRUE)
    return folder / "out", folder / "true.xml"


@contextmanager
def running(files: tuple[Path, Path], **changes: Any) -> Iterator[tuple[Watching, Any, Any]]:
    """The simulated cart-pole and its control as processes, which wait for each other."""
    model, mjcf = files
    cell = {"mjcf": mjcf, "effort": 20.0, "step_per_command": 0.05}
    control = GIVEN | {"model": model, "allow_motion": True} | changes
    with (
        node_process("mechanism_cell_node", parameters=cell) as plant,
        node_process("swing_up_node", parameters=control) as node,
        observer() as seen,
    ):
        watching = Watching(seen)
        seen.until(lambda: watching.states, 60)
        seen.status("swing_up", "", 60)
        yield watching, plant, node


def test_it_swings_up_holds_and_stops_when_the_joint_states_fall_silent(
    files: tuple[Path, Path],
) -> None:
    with running(files, joint_state_timeout=1.5) as (watching, plant, _):
        seen = watching.seen
        watching.begin()
        seen.status("swing_up", "holding", 120)
        forces = np.array(watching.forces)
        assert np.abs(forces).max() <= 20.0
        assert np.abs(np.diff(np.append(0.0, forces))).max() <= 800.0 * 0.05 + 1e-6
        assert watching.angle() < 0.5
        assert not watching.ask("start").success  # it is running
        os.killpg(plant.pid, signal.SIGSTOP)
        try:
            stopped = seen.status("swing_up", "stopped", 60)
        finally:
            os.killpg(plant.pid, signal.SIGCONT)
        assert "is not read for" in stopped.message and stopped.level == stopped.ERROR
        seen.until(lambda: watching.forces[-1] == 0.0)
        count = len(watching.forces)
        seen.status("swing_up", "stopped")
        assert len(watching.forces) == count


def test_a_second_commander_stops_it(files: tuple[Path, Path]) -> None:
    with running(files) as (watching, _, node):
        watching.begin()
        watching.seen.until(lambda: len(watching.forces) > 3)
        watching.seen.node.create_publisher(Float64MultiArray, "/effort_controller/commands", 1)
        watching.seen.status("swing_up", "somebody else may command the cart")
        answer = watching.ask("start")
        assert not answer.success and "somebody else" in answer.message
        assert watching.forces[-1] == 0.0
        node.send_signal(signal.SIGTERM)
        output, _ = node.communicate(timeout=40)
        assert node.returncode == 0 and "Traceback" not in output


def test_nothing_moves_without_permission(
    ros: None, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = GIVEN | {"model": str(files[0])}
    node = SwingUpNode(parameter_overrides=[Parameter(n, value=v) for n, v in given.items()])
    sent: list[Float64MultiArray] = []
    monkeypatch.setattr(node._commands, "publish", sent.append)
    try:
        answer = node._on_start(Trigger.Request(), Trigger.Response())
        assert not answer.success and answer.message == "allow_motion is false"
        for stamp in (1.0, 1.05, 1.1):
            state = joint_state({"rail": 0.0, "hinge": 0.0}, stamp, {"rail": 0.0, "hinge": 0.0})
            node._on_state(state)
            node._on_timer()
        (outcome,) = node.set_parameters([Parameter("allow_motion", value=True)])
        assert not outcome.successful
        node.close()
    finally:
        node.destroy_node()
    assert not sent


@pytest.mark.parametrize("lacking", LIMITS)
def test_it_does_not_start_without_every_limit(ros: None, lacking: str) -> None:
    given = {name: value for name, value in LIMITS.items() if name != lacking}
    node = Node("swing_up", parameter_overrides=[Parameter(n, value=v) for n, v in given.items()])
    try:
        with pytest.raises(InputError, match=lacking):
            declare_parameters(node)
    finally:
        node.destroy_node()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"mjcf": "nowhere.xml"}, "is no file"),
        ({"start": [1.0, 2.0]}, "one for each of start_joints"),
        ({"effort": 0.0}, "parameter effort is 0"),
    ],
)
def test_unusable_parameters_of_the_cell_are_named(
    ros: None, given: dict[str, Any], reason: str
) -> None:
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    with pytest.raises(InputError, match=reason):
        MechanismCellNode(parameter_overrides=overrides)


def test_the_parameter_files_hold_every_parameter_with_its_default(ros: None) -> None:
    overrides = [Parameter(name, value=value) for name, value in LIMITS.items()]
    node = Node("swing_up", parameter_overrides=overrides)
    declare_parameters(node)
    declared = {
        name: parameter.value
        for name, parameter in node.get_parameters_by_prefix("").items()
        if name not in ("use_sim_time", "start_type_description_service", *LIMITS)
    }
    node.destroy_node()
    (written,) = yaml.safe_load((CONFIG / "swing_up.yaml").read_text()).values()
    assert written["ros__parameters"] == declared
