"""Goals, parameters and results of the identification, without a robot."""

import json
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
import yaml
from autourdf_msgs.action import Identify
from capture_rig import overrides
from sample_results import write_small_arm
from tf2_ros import LookupException
from weighing_arm import JOINTS, URDF

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.ros.identification import weighing_estimate
from autourdf_ros.ros.identification.held_screen import holding
from autourdf_ros.ros.identification.identification_node import IdentificationNode
from autourdf_ros.ros.identification.identification_parameters import declare_identification
from autourdf_ros.ros.identification.link_place import LinkPlace
from autourdf_ros.ros.identification.weighing_request import WeighingRequest, checked_request
from autourdf_ros.ros.identification.weighing_result import (
    inertia_message,
    no_payload,
    payload_result,
)
from autourdf_ros.ros.monitor.monitor_messages import change_values
from autourdf_ros.workflows.payloads.payload_result import HeldObject

LIMITS = {"lower": -2.5, "upper": 2.5, "velocity": 2.0, "acceleration": 8.0}
NO_DEFAULTS = {"delay", "stop_force", "minimum_height", "keep_out", "forbidden", "joints"}


@pytest.fixture(scope="module")
def ros():
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    return {"joints": list(JOINTS), "model": str(tmp_path / "arm.urdf")} | dict.fromkeys(
        JOINTS, LIMITS
    )


def refused(parameters):
    with pytest.raises(InputError) as caught:
        IdentificationNode(parameter_overrides=overrides(parameters))
    return str(caught.value)


def test_the_parameter_file_holds_every_parameter_with_its_default(ros, arm):
    path = Path(__file__).parents[3] / "config" / "identification.yaml"
    written = yaml.safe_load(path.read_text())["/**/identification"]["ros__parameters"]
    node = IdentificationNode(parameter_overrides=overrides(arm))
    try:
        declared = {
            name: parameter.value for name, parameter in node.get_parameters_by_prefix("").items()
        }
        assert all(node.describe_parameter(name).description for name in written)
    finally:
        node.close()
        node.destroy_node()
    own = ("use_sim", "start_type", *(f"{name}." for name in JOINTS))
    ours = {name for name in declared if not name.startswith(own)}
    assert set(written) == ours - NO_DEFAULTS
    for name in set(written) - {"model"}:
        assert declared[name] == written[name], name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": ""}, "parameter model: turns of tens of degrees need a model"),
        ({"source": "efforts"}, "parameter sensor_link is empty; accepted with source efforts"),
        ({"stop_force": -1.0}, "parameter stop_force is -1.0; accepted is above 0"),
        ({"gain": -0.1}, "parameter gain is -0.1; accepted is a number from 0 to 0.5"),
        ({"poses": 2}, "parameter poses is 2; accepted is an integer from 3 to 100"),
        ({"pose": 4}, "parameter pose is unknown; accepted are those of config/identification"),
        ({"joints": []}, "joints is []"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(ros, arm, changes, message):
    assert message in refused(arm | changes)


def test_the_estimate_gets_the_gain_of_the_parameters(ros, arm, tmp_path, monkeypatch):
    node = rclpy.create_node("identification", parameter_overrides=overrides(arm | {"gain": 0.03}))
    try:
        settings = declare_identification(node)
    finally:
        node.destroy_node()
    given = []
    monkeypatch.setattr(weighing_estimate, "payload_to_folder", lambda *all_: given.extend(all_))
    monkeypatch.setattr(weighing_estimate, "payload_result", lambda out: Identify.Result())
    held = HeldObject(None, np.zeros((0, 3)), None, "tool")
    request = WeighingRequest("field", held, np.eye(4), tmp_path, tmp_path / "records", None, True)
    source = SimpleNamespace(frame="ft", read=lambda path: None)
    weighing_estimate.estimate_weighing(request, settings, source, None, lambda *_: None)
    assert given[3].identify.sensor.gain == 0.03


def test_a_goal_that_is_cancelled_before_it_begins_moves_nothing(ros, arm):
    """`begin` forgets earlier stops; the robot moved, and the goal said that it was cancelled."""
    ended = []
    handle = SimpleNamespace(
        request=Identify.Goal(method="record"),
        is_cancel_requested=True,
        canceled=lambda: ended.append("canceled"),
        abort=lambda: ended.append("aborted"),
        publish_feedback=lambda _: None,
    )
    given = arm | {"allow_motion": True, "still_timeout": 1.0}
    node = IdentificationNode(parameter_overrides=overrides(given))
    try:
        node._goals._on_cancel(handle)
        work = node._goals._execute(handle)
        work.send(None)
        while node._runner.running:
            time.sleep(0.01)
        node._on_timer()
        with pytest.raises(StopIteration) as concluded:
            work.send(None)
    finally:
        node.close()
        node.destroy_node()
    assert concluded.value.value.message == "the goal was cancelled" and ended == ["canceled"]


def test_a_goal_without_a_shape_takes_that_of_its_link(tmp_path):
    result = write_small_arm(tmp_path / "arm")
    links = [link.name for link in read_description(result / "robot.urdf").links]
    goal = Identify.Goal(result_folder=str(result), link=links[-1])
    request = checked_request(goal, None, tmp_path / "session")
    assert request.held.body.volume > 0 and request.pose is None
    assert request.attach == (result, links[-1])
    with pytest.raises(InputError, match="link is 'tool'; accepted are the links of"):
        checked_request(Identify.Goal(result_folder=str(result), link="tool"), None, tmp_path / "s")


def test_a_quaternion_of_no_turn_is_named(tmp_path):
    goal = Identify.Goal(method="record")
    goal.pose.orientation.w = 0.3
    with pytest.raises(InputError, match="goal: pose: transform with quaternion"):
        checked_request(goal, None, tmp_path / "session")


def test_the_sensor_stays_in_the_frame_of_its_link():
    poses = {"ft": np.eye(4), "model/tool": np.eye(4)}
    poses["ft"][:3, 3] = 0.0, 0.0, 0.1

    def place(frame, _):
        if frame not in poses:
            raise LookupException(f"{frame} does not exist")
        return poses[frame]

    seen = LinkPlace(place, "model/", "tool")
    seen.observe("ft")
    assert seen.sensor_in_link[2, 3] == 0.1
    poses["model/tool"] = poses["model/tool"].copy()
    poses["model/tool"][0, 3] = 0.02
    with pytest.raises(InputError, match=r"'tool' moves against 'ft' by 20 mm and 0.0 degrees"):
        seen.observe("ft")
    with pytest.raises(InputError, match="no transform of 'arm': model/arm does not exist"):
        LinkPlace(place, "model/", "arm").observe("ft")


class _Screen:
    """Records what a robot is said to hold."""

    def link_pose(self, link, positions):
        pose = np.eye(4)
        pose[:3, 3] = (1.0, 0.0, 0.0)
        return pose

    def holding(self, points, link, positions):
        return points, link, positions


def _holds(frame, place, pose):
    points = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.2]])
    held = HeldObject(None, points / 2, None, "tool", corners=points)
    request = WeighingRequest("field", held, pose, Path("out"), Path("records"), None, True)
    return holding(_Screen(), request, "flange", frame, {"a": 0.0}, place)


def test_the_held_object_is_screened_where_the_sensor_holds_it():
    pose, sensor = np.eye(4), np.eye(4)
    pose[:3, 3], sensor[:3, 3] = (0.01, 0, 0), (1.0, 0.0, 0.5)
    places = {"ft": sensor}
    points, link, start = _holds("ft", lambda frame, _: places[frame], pose)
    assert (link, start) == ("flange", {"a": 0.0})
    np.testing.assert_allclose(points, [[0.01, 0, 0.6], [0.01, 0, 0.7]])
    points, *_ = _holds("flange", None, pose)  # needs no transform
    np.testing.assert_allclose(points, [[0.01, 0, 0.1], [0.01, 0, 0.2]])
    assert isinstance(_holds("flange", None, None), _Screen)


def test_a_sensor_without_a_transform_is_named_before_anything_moves():
    def nowhere(frame, _):
        raise LookupException(f"{frame} does not exist")

    with pytest.raises(InputError, match="no transform of 'ft', so that the held object cannot"):
        _holds("ft", nowhere, np.eye(4))


def test_what_was_attached_leads_to_its_weighing():
    change = Change("attachment", "link_2", (), 30.0, "an object is attached to link_2")
    report = Report(0.0, True, {}, (change,))
    assert "/identification/identify" in change_values(report)["change 1: next"]
    other = Change("joint_zero", "joint_2", (), 30.0, "its zero slipped")
    assert "change 1: next" not in change_values(Report(0.0, True, {}, (other,)))


def test_a_payload_without_deviations_states_none(tmp_path):
    tensor = dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), range(1, 7), strict=True))
    order = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    document = {
        "verdict": "doubtful",
        "warnings": ["the sensor drifts"],
        "frame": "ft",
        "mass": 1.5,
        "centre_of_mass": [0.1, 0.2, 0.3],
        "std": None,
        "records": {"all": 100, "used": 90, "left_out": 10},
        "set_payload": {
            "mass": 1.5,
            "center_of_gravity": [0.1, 0.2, 0.3],
            "inertia_matrix": [float(tensor[name]) for name in order],
        },
    }
    (tmp_path / "payload.json").write_text(json.dumps(document))
    result = payload_result(tmp_path)
    assert np.isnan(result.mass_std) and np.isnan(result.inertia_matrix_std).all()
    assert result.message.startswith("doubtful: 1500.0 g") and "drifts" in result.message
    assert "10 of 100 records" in result.message
    message = inertia_message(result, rclpy.time.Time().to_msg())
    assert message.inertia.izz == 6.0 and message.inertia.ixy == 2.0
    assert message.header.frame_id == "ft"


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    goal = Identify.Goal(method="record", folder="/proc/x")
    with pytest.raises(InputError, match="/proc/x: cannot be written"):
        checked_request(goal, None, tmp_path / "session")
    goal.folder = ""
    with pytest.raises(InputError, match="/proc/none/session: cannot be written"):
        checked_request(goal, None, Path("/proc/none/session"))


def test_a_goal_that_failed_states_no_mass():
    result = no_payload(message="the goal was cancelled")
    assert not result.success and result.message == "the goal was cancelled"
    centre = result.center_of_gravity
    numbers = [result.mass, centre.x, *result.inertia_matrix, *result.inertia_matrix_std]
    assert np.isnan(numbers).all()


@pytest.mark.parametrize(("name", "accepted"), [("poses", "3 to 100"), ("dwell", "0.1 to 60")])
def test_the_parameter_file_states_the_accepted_ranges(ros, arm, name, accepted):
    text = (Path(__file__).parents[3] / "config" / "identification.yaml").read_text()
    assert accepted in next(line for line in text.splitlines() if line.strip().startswith(name))
    low, _, high = accepted.partition(" to ")
    message = refused(arm | {name: type(1 if name == "poses" else 1.0)(1000)})
    assert f"from {low} to {high}" in message
