"""A monitor that may move its robot: it observes from informative places, or says why not.

The monitor's reports are scripted here; motion, observation and repair are real, and the
robot is another process.
"""

import json
import re
import signal

import numpy as np
import pytest
import scripted_monitor
from capture_rig import ACTION, LIMITS, START, assert_silent, destroy, overrides, start_process
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from fake_result import written_fake
from fake_robot import SLIPPED as OFF
from live import trigger
from rclpy.parameter import Parameter
from scripted_monitor import SLIPPED, ScriptedMonitor
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring import watch_session
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.continual import recent_observations
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.ros.common.conversions import diagnostic
from autourdf_ros.ros.monitor.monitor_node import MonitorNode
from autourdf_ros.ros.monitor.observation_cell import ObservationCell

pytestmark = pytest.mark.timeout(300)
TOPIC = "/joint_trajectory_controller/joint_trajectory"
REACH = 0.2
PARAMETERS = {
    "allow_motion": True,
    "cameras": ["/camera_0/points"],
    "joints": ["pan", "tilt"],
    "pan": LIMITS,
    "tilt": LIMITS,
    "speed": 1.0,
    "motions": 2,
    "motion_reach": REACH,
    "joint_state_timeout": 3.0,
    "motion_cloud_timeout": 5.0,
    "still_timeout": 30.0,
    "view_timeout": 30.0,
}
SLOW = {"speed": 0.02}  # so that it is still on its way when a fault shows
LATER = ("measured", "did within", "has no", "no controller", "nothing publishes", "no message")
LATER += ("the robot moved within",)  # it has just slipped


class Watch:
    """The monitor in this process, spun by the cell's executor, which calls its services, too."""

    def __init__(self, cell, robot, result):
        self.cell, self.robot, self.result = cell, robot, result
        self.node, self.repair = None, ""
        self.clients = {
            name: cell.node.create_client(Trigger, f"/monitor/{name}")
            for name in ("repair", "stop", "rollback")
        }
        cell.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)

    def parameters(self, **changes):
        given = {"history": str(self.cell.folder / "models"), "result": str(self.result)}
        return PARAMETERS | given | changes

    def start(self, **changes):
        self.node = MonitorNode(parameter_overrides=overrides(self.parameters(**changes)))
        self.cell.executor.add_node(self.node)
        self.session = self.node._worker.session

    def change(self, monkeypatch, *changes):
        """Keep observations, let the zero slip, and keep observations since then."""
        self.until(lambda: len(self.session._kept.healthy) >= 3)
        self.robot.do("slip")
        monkeypatch.setattr(ScriptedMonitor, "changes", changes or (SLIPPED,))
        self.until(lambda: len(self.session._kept.recent) >= 4)

    def _diagnose(self, message):
        for status in message.status:
            if status.name == "monitor":
                self.repair = {one.key: one.value for one in status.values}["repair"]

    def until(self, condition):
        self.cell.until(condition)

    def until_reported(self, text):
        self.until(lambda: text in self.repair)

    def call(self, name):
        return trigger(
            self.clients[name], self.until, ("already", "nothing to stop", str(self.cell.folder))
        )

    def call_repair(self):
        """Return the first answer that does not just report missing inputs."""
        answers = []

        def answered():
            answers.append(self.call("repair"))
            return not any(text in answers[-1].message for text in LATER)

        self.until(answered)
        return answers[-1]

    def until_moving(self, monkeypatch, **changes):
        """Begin a slow motion, and wait until the robot is under way."""
        self.start(**SLOW | changes)
        self.change(monkeypatch)
        answer = self.call_repair()
        assert answer.success, answer.message
        self.until(lambda: self.robot.commands)

    def assert_stopped(self, reason, commands=(2,)):
        """It ended for this reason, sent nothing after what holds the robot, repaired nothing."""
        self.until_reported("moving and repairing failed: ")
        assert re.search(reason, self.repair), self.repair
        assert len(self.robot.commands) in commands, self.robot.commands
        assert_silent(self.robot)
        assert len(ModelHistory(self.cell.folder / "models").entries) == 1
        assert not self.node._motion.active

    def close(self):
        if self.node is not None:
            self.until(self.node.end)
            self.cell.executor.remove_node(self.node)
            self.node.close()
            commander = self.node._motion and self.node._motion._cell._commander
            self.cell.spun(destroy, self.node, commander)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_fake(tmp_path_factory.mktemp("results") / "fake")


@pytest.fixture
def watch(cell, robot, result, monkeypatch):
    monkeypatch.setattr(watch_session, "Monitor", ScriptedMonitor)
    monkeypatch.setattr(recent_observations, "PERIOD", 0.15)  # s: not these tests' matter
    monkeypatch.setattr(ScriptedMonitor, "changes", ())
    made = Watch(cell, robot, result)
    yield made
    made.close()


def goals(robot):
    return np.array([[float(value) for value in one.split()[1:]] for one in robot.commands])


def offset(watch):
    """Of the tilt, by which the current model differs from the first one."""
    made = (
        watch.session.model.transmission.offset
        - load_watched_model(watch.result).transmission.offset
    )
    return made[1]


def test_it_observes_from_chosen_places_returns_and_repairs(watch, monkeypatch):
    watch.start()
    watch.change(monkeypatch)
    kept = []
    keep = watch.session.keep
    monkeypatch.setattr(watch.session, "keep", lambda one: (kept.append(one), keep(one)))
    answer = watch.call_repair()
    assert answer.success and answer.message == "moving and repairing joint_zero tilt"
    watch.until_reported("current is")
    assert watch.repair.startswith(
        "observed from where it stood, and from 2 places nearby; joint_zero of tilt re-estimated"
    )
    assert offset(watch) == pytest.approx(OFF, abs=0.01)
    # Two places, and back.
    sent = goals(watch.robot)
    assert len(sent) == 3 and (np.abs(sent) <= LIMITS["upper"]).all()
    assert np.abs(sent - START).max() <= REACH + 0.01
    assert np.abs(sent[:2] - START).max(axis=1).min() > 0.02
    assert sent[2] == pytest.approx(START, abs=0.002)
    # What was repaired by was seen there, and where it stood.
    seen = np.array([[one.readings[name] for name in ("pan", "tilt")] for one in kept])
    assert seen == pytest.approx(np.array([START, *sent[:2]]), abs=0.005)
    monkeypatch.setattr(ScriptedMonitor, "changes", ())
    assert watch.call("rollback").success
    watch.until(lambda: watch.repair.startswith("went back to"))
    assert len(watch.robot.commands) == 3


@pytest.mark.parametrize(
    ("fault", "reason", "changes"),
    [
        ("mute_joint_states", "/joint_states is stale: no reading", {"joint_state_timeout": 0.0}),
        ("mute_clouds", "camera fails: no message on /camera_0", {"motion_cloud_timeout": 0.0}),
        ("lose_camera", "camera fails: nothing publishes /camera_0/points", {}),
        ("set_back", "the clock of /joint_states was set back by ", {}),
        ("push", "joint pan works with an effort", {"pan": LIMITS | {"stop_effort": 9.0}}),
        ("stick", "joint tilt does not follow|the robot did not begin to move", {"speed": 0.2}),
        ("abort", "the controller broke off a motion: aborted: PATH_TOLERANCE", ACTION),
    ],
)
def test_a_fault_on_the_way_ends_it_and_nothing_is_repaired(
    watch, monkeypatch, fault, reason, changes
):
    watch.until_moving(monkeypatch, **changes)
    watch.robot.do(fault)
    # The first planned motion may not turn what sticks, and the second nothing else.
    watch.assert_stopped(reason, commands=(2, 3) if fault == "stick" else (2,))


def test_a_controller_that_is_gone_ends_it(watch, monkeypatch):
    watch.until_moving(monkeypatch)
    watch.robot.do("lose")
    watch.assert_stopped("the controller is gone: nothing subscribes to", commands=(1,))


def test_a_goal_that_is_rejected_is_not_sent_again(watch, monkeypatch):
    watch.start(**ACTION)
    watch.change(monkeypatch)
    watch.robot.do("reject")
    assert watch.call_repair().success
    watch.until_reported("moving and repairing failed: the controller refuses the motion")
    assert watch.robot.commands == ["rejected"]
    assert_silent(watch.robot)


def test_a_stop_ends_it(watch, monkeypatch):
    watch.until_moving(monkeypatch)
    assert watch.call("stop").success
    watch.assert_stopped("~/stop was called")
    assert not watch.call("stop").success


def test_somebody_else_who_may_command_ends_it_and_keeps_it_from_moving(watch, monkeypatch):
    watch.until_moving(monkeypatch)
    other = watch.cell.node.create_publisher(JointTrajectory, TOPIC, 10)
    reason = f"somebody else may command the robot by {TOPIC}"
    watch.assert_stopped(reason)
    assert reason in watch.call("repair").message
    watch.cell.spun(watch.cell.node.destroy_publisher, other)


def test_a_robot_that_others_move_is_not_moved(watch, monkeypatch):
    watch.start()
    watch.change(monkeypatch)
    watch.until(watch.node._motion._stands)
    watch.robot.do("drift")
    watch.until(lambda: not watch.node._motion._stands())
    watch.until(lambda: "somebody else moves it" in watch.call("repair").message)
    assert not watch.robot.commands


def test_a_controller_that_is_said_to_be_inactive_is_not_commanded(watch, monkeypatch):
    watch.start()
    watch.change(monkeypatch)
    publisher = watch.cell.node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    state = {"joint_trajectory_controller": "inactive"}
    name = "controller_manager: Controllers Activity"

    def refused():
        publisher.publish(
            DiagnosticArray(status=[diagnostic(name, DiagnosticStatus.OK, "", state)])
        )
        return "is inactive, not active" in watch.call("repair").message

    watch.until(refused)
    assert not watch.robot.commands
    watch.cell.spun(watch.cell.node.destroy_publisher, publisher)


def test_without_allow_motion_it_repairs_from_what_it_saw_and_cannot_move(watch, monkeypatch):
    watch.start(allow_motion=False)
    watch.change(monkeypatch)
    watch.until(lambda: len(watch.session._kept.recent) >= 10)
    services = dict(watch.node.get_service_names_and_types_by_node("monitor", "/"))
    assert "/monitor/repair" in services and "/monitor/stop" not in services
    publishers = dict(watch.node.get_publisher_names_and_types_by_node("monitor", "/"))
    assert not [name for name in publishers if "controller" in name]
    assert watch.call_repair().message == "repairing joint_zero tilt"
    watch.until_reported("current is")
    assert offset(watch) == pytest.approx(OFF, abs=0.01)
    (outcome,) = watch.node.set_parameters([Parameter("allow_motion", value=True)])
    assert not outcome.successful and "read-only" in outcome.reason
    assert not watch.robot.commands


def test_by_itself_it_repairs_and_never_moves(watch, monkeypatch):
    watch.start(policy="auto")
    watch.change(monkeypatch)
    watch.until_reported("current is")
    assert "observed from" not in watch.repair and not watch.robot.commands


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ((SLIPPED, Change("object", "", (), 30.0, "a box stands there")), "a box stands there"),
        ((Change("joint_zero", "tilt", (), 20.0, "slipped"),), "size of the change is unknown"),
    ],
)
def test_where_it_cannot_be_screened_it_repairs_from_what_it_saw(
    watch, monkeypatch, changes, reason
):
    watch.start()
    watch.change(monkeypatch, *changes)
    watch.until(lambda: len(watch.session._kept.recent) >= 10)
    assert watch.call_repair().success
    watch.until_reported("current is")
    assert "nothing was moved: " in watch.repair and reason in watch.repair
    assert not watch.robot.commands


def test_where_no_way_is_free_nothing_moves(watch, monkeypatch):
    """A wall is so near that the arm may be in it, where its tilt is off."""
    wall = {"lower": [0.1, 0.108, 0.0], "upper": [0.5, 0.2, 1.0]}
    watch.start(keep_out=["wall"], wall=wall, clearance=0.0)
    watch.change(monkeypatch)
    watch.until(lambda: len(watch.session._kept.recent) >= 10)
    assert watch.call_repair().success
    watch.until_reported("current is")
    assert "nothing was moved: none of 32 configurations nearby is surely free" in watch.repair
    assert not watch.robot.commands


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        (Change("joint_sign", "tilt", (), 20.0, "it reads backwards"), "correct it in the driver"),
        (Change("sag", "two", (), 20.0, "joints yield"), "state the load to the controller"),
        (Change("camera_pose", "left", (), 20.0, "it shakes", (), True), "fasten left"),
    ],
)
def test_what_no_repair_helps_moves_nothing(watch, monkeypatch, change, remedy):
    watch.start()
    watch.change(monkeypatch, change)
    assert watch.call_repair().success
    watch.until_reported(f"failed: nothing to repair: {change.summary}; {remedy}")
    assert not watch.robot.commands


def test_a_joint_that_is_not_commanded_and_moves_ends_it(watch, monkeypatch):
    where = {"gripper": 0.1}
    monkeypatch.setattr(ObservationCell, "unmoved_positions", lambda _: dict(where))
    watch.until_moving(monkeypatch)
    where["gripper"] = 0.3
    watch.assert_stopped("joint gripper, which is not commanded, went from 0.100 to 0.300")


def test_joint_states_of_another_topic_are_heard(watch, monkeypatch):
    watch.start(joint_states_topic="/other/joint_states")
    publisher = watch.cell.node.create_publisher(JointState, "/other/joint_states", 10)
    cell = watch.node._motion._cell

    def heard():
        publisher.publish(JointState(name=["pan", "tilt"], position=[0.5, 0.6]))
        return (cell.history.latest or (0, {}))[1] == {"pan": 0.5, "tilt": 0.6}

    watch.until(heard)
    watch.cell.spun(watch.cell.node.destroy_publisher, publisher)


def test_a_monitor_that_is_interrupted_holds_the_robot_first(watch, tmp_path):
    trigger, file = tmp_path / "reported", tmp_path / "monitor.yaml"
    given = watch.parameters(**SLOW)
    file.write_text(json.dumps({"monitor": {"ros__parameters": given}}))
    script = scripted_monitor.__file__
    process = start_process(script, str(trigger), "--ros-args", "--params-file", str(file))
    try:
        kept = []
        watch.cell.node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda message: kept.append(message), 10
        )

        def judged():
            values = [
                {one.key: one.value for one in status.values}
                for message in kept
                for status in message.status
                if status.name == "monitor"
            ]
            counts = [
                int(one["/camera_0/points received"])
                - int(one["/camera_0/points replaced by newer"])
                for one in values
            ]
            return counts[-1] if counts else 0

        watch.until(lambda: judged() > 30)
        watch.robot.do("slip")
        trigger.touch()
        before = judged()
        watch.until(lambda: judged() > before + 30)
        assert watch.call_repair().success
        watch.until(lambda: watch.robot.commands)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, process.stdout.read()
        watch.until(lambda: watch.robot.stood)
        assert len(watch.robot.commands) == 2
        assert_silent(watch.robot)
        assert len(ModelHistory(watch.cell.folder / "models").entries) == 1
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "joints is .*; accepted is a list of joint names"),
        ({"joints": ["pan"]}, r"pan.lower"),
        ({"joints": ["pan"], "pan": LIMITS | {"velocity": 0.0}}, "pan"),
        (
            {"joints": ["nobody"], "nobody": LIMITS},
            "joints names nobody, which .* does not have; it has pan, tilt",
        ),
        (
            {"joints": ["pan"], "pan": LIMITS, "motions": 10},
            "parameter motions is 10; accepted is an integer from 1 to 9",
        ),
        (
            {"joints": ["pan"], "pan": LIMITS, "motion_reach": 1.0},
            "parameter motion_reach is 1.0; accepted is a number from",
        ),
        (
            {"joints": ["pan"], "pan": LIMITS, "tilt": {"lower": 0.0}},
            "limits of 'tilt', which is not among joints",
        ),
    ],
)
def test_nothing_moves_without_limits(ros, result, tmp_path, values, message):
    given = {"history": str(tmp_path / "models"), "result": str(result), "cameras": ["/a"]}
    with pytest.raises(InputError, match=message):
        MonitorNode(parameter_overrides=overrides(given | {"allow_motion": True} | values))
