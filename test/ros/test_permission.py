"""Without `allow_motion` nothing that anybody may ask for moves the robot."""

import ast
import asyncio
import inspect
from itertools import product
from pathlib import Path

import pytest
from autourdf_msgs.action import Capture
from capture_rig import PARAMETERS, overrides
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.ros.capture import capture_node
from autourdf_ros.ros.capture.adjustable import NAMES
from autourdf_ros.ros.capture.capture_cell import CaptureCell
from autourdf_ros.ros.capture.capture_node import CaptureNode

HERE = {"pan": 0.1, "tilt": -0.1}
# What ~/record_background does needs cameras, and has no trajectory in it.
QUIET = {"record_background"}


def services():
    """Names of all services of the node, from its code."""
    return {ast.literal_eval(call.args[1]).removeprefix("~/") for call in calls("create_service")}


def calls(function):
    """All calls of a function in the code of the node."""
    for file in Path(capture_node.__file__).parent.glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(function):
                yield call


@pytest.fixture
def node(ros, tmp_path, monkeypatch):
    monkeypatch.setattr(CaptureCell, "missing", lambda _: [])
    monkeypatch.setattr(JointHistory, "latest", (1.0, HERE))
    given = PARAMETERS | {"allow_motion": False, "home": [0.5, 0.0], "autostart": True}
    given |= {"recording": str(tmp_path / "recordings")}
    node = CaptureNode(parameter_overrides=overrides(given))
    node.sent = []
    monkeypatch.setattr(CaptureCell, "send", lambda _, trajectory: node.sent.append(trajectory))
    yield node
    node.close()
    node.destroy_node()


def test_no_service_and_no_timer_moves_the_robot(node, tmp_path):
    assert services() >= {"start", "home", "resume", "record_background"}
    node._on_timer()  # autostart
    for name in services() - QUIET:
        answer = getattr(node, f"_on_{name}")(Trigger.Request(), Trigger.Response())
        if inspect.iscoroutine(answer):
            answer = asyncio.run(answer)
        # A dry run has succeeded where it shows what would move.
        assert not answer.success or "nothing moves" in answer.message, name
        assert not node._runner.running
    assert "allow_motion is false" in node._runner.problem
    assert node.sent == [] and not (tmp_path / "recordings").exists()


def test_no_goal_moves_the_robot(node, tmp_path):
    # Whatever a goal may hold is tried.
    assert [ast.unparse(call.args[1]) for call in calls("GoalServer")] == ["Capture"]
    assert not list(calls("ActionServer"))
    fields = Capture.Goal.get_fields_and_field_types()
    assert set(fields.values()) == {"boolean"}
    node._runner.left = tmp_path / "recordings" / "robot_0001", 1
    for values in product((False, True), repeat=len(fields)):
        goal = Capture.Goal(**dict(zip(fields, values, strict=True)))
        result = asyncio.run(node._requests._begin_goal(goal, lambda: False))
        assert result is not None and result.success == goal.dry_run
        assert result.verdict == "planned" and "nothing moves" in result.message
        assert not node._runner.running
    assert node.sent == [] and not (tmp_path / "recordings").exists()


def test_nobody_can_allow_it_while_the_node_runs(node):
    adjustable = (*NAMES, "use_sim_time")
    names = [name for name in node._parameters if name not in adjustable]
    assert "allow_motion" in names and "pan.velocity" in names
    for name in names:
        value = True if name == "allow_motion" else 1.0
        (outcome,) = node.set_parameters([Parameter(name, value=value)])
        assert not outcome.successful and "read-only" in outcome.reason
    for name, value in (("speed", 50.0), ("home", [50.0, 0.0]), ("home", 1.0)):
        (outcome,) = node.set_parameters([Parameter(name, value=value)])
        assert not outcome.successful
