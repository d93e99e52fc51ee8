"""What the capture node does when something fails: see docs/capture_faults.md."""

import resource
import time

import numpy as np
import pytest
from capture_rig import (
    ACTION,
    LIMITS,
    START,
    assert_kept,
    assert_silent,
    until_ended,
    until_held,
    until_moving,
    until_under_way,
)
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, PointCloud2

from autourdf_ros.data.load import load_recording
from autourdf_ros.ros.common.conversions import diagnostic, joint_state

pytestmark = pytest.mark.timeout(300)
SLOW = {"speed": 0.03, "move_share": 1.0}  # so that a move is still under way when a fault shows
REPEATED_CLOUD = "camera fails: /camera_0/points repeats the same cloud for "


@pytest.mark.parametrize(
    ("fault", "reason", "changes"),
    [
        ("mute_joint_states", "/joint_states is stale: no reading", {"joint_state_timeout": 0.0}),
        ("stick", "joint tilt does not follow", {"speed": 0.25}),
        ("mute_clouds", "camera fails: no message on /camera_0/points", {"cloud_timeout": 0.0}),
        ("lose_camera", "camera fails: nothing publishes /camera_0", {"cloud_timeout": 0.0}),
        ("freeze", REPEATED_CLOUD, {"cloud_timeout": 0.0}),
        ("set_back", "the clock of /joint_states was set back by ", {}),
        ("push", "joint pan works with an effort", {"pan": LIMITS | {"stop_effort": 9.0}}),
    ],
)
def test_a_fault_on_the_way_stops_the_robot_and_keeps_the_frames(
    cell, robot, fault, reason, changes
):
    cell.start_capture(**SLOW | changes)
    cell.start()
    until_moving(cell, robot)
    robot.do(fault)
    until_held(cell, robot, fault)
    cell.until_said(f"stopped: {reason}")
    assert_silent(robot)
    assert_kept(cell)
    assert fault == "mute_joint_states" or cell.stands()


def test_a_joint_that_stalls_on_its_way_is_noticed_while_the_other_moves_on(cell, robot):
    cell.start_capture(speed=0.25, move_share=1.0)
    cell.start()
    until_under_way(cell, robot)
    robot.do("stick")
    until_held(cell, robot, "stick on the way")
    cell.until_said("stopped: joint tilt does not follow")
    assert_silent(robot)
    assert_kept(cell)
    assert cell.stands()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            "layout",
            "recording failed: /camera_0/points: cloud in 'camera_0_optical_frame' has fields "
            "['range', 'rgb', 'y', 'z']; accepted is x, y, z",
        ),
        ("nothing", "no frame could be taken in 2 tries: no point of /camera_0/points has depth"),
        ("hide", "no frame could be taken in 2 tries: /camera_0/points sees "),
    ],
)
def test_useless_clouds_end_the_session_where_the_robot_stands(cell, robot, fault, reason):
    cell.start_capture(retakes=1, speed=0.3)
    cell.start()
    until_moving(cell, robot)
    robot.do(fault)
    until_ended(cell, robot, fault, reason)
    assert_kept(cell)
    assert cell.stands()
    # It came where it was to go, and was commanded nothing else.
    goal = [float(value) for value in robot.commands[-1].split()[1:]]
    assert cell.here() == pytest.approx(goal, abs=5e-3)


def test_a_transform_that_is_no_longer_published_is_said(cell, robot):
    robot.do("wrist")
    cameras = ["/camera_0/points", "/wrist_camera/points"]
    cell.start_capture(cameras=cameras, min_coverage=0.0, view_timeout=3.0, speed=0.3)
    cell.start()
    until_moving(cell, robot)
    robot.do("mute_transforms")
    until_ended(cell, robot, "mute_transforms", "no clouds of the still robot within 3 s: no ")
    assert "no transform to base_link from wrist_optical_frame" in cell.diagnostics[-1][0]
    assert_kept(cell)


def test_a_second_publisher_of_joints_cannot_lead_the_robot_astray(cell, robot):
    cell.start_capture(**SLOW)
    cell.start()
    until_moving(cell, robot)
    false = cell.node.create_publisher(JointState, "/joint_states", 10)
    cell.until(lambda: false.get_subscription_count() > 0)
    robot.done = time.monotonic()
    now = cell.node.get_clock().now().nanoseconds * 1e-9
    false.publish(joint_state({"pan": 0.9, "tilt": 0.9}, now))
    until_held(cell, robot, "two publishers of /joint_states")
    cell.until_said("stopped: joint ")
    message = cell.diagnostics[-1][0]
    assert "jumped from" in message and "is published by fake_robot, observer" in message
    goal, hold = (np.array(line.split()[1:], dtype=float) for line in robot.commands)
    # It is held on its way, not sent to where it is not.
    assert (np.abs(hold - START) <= np.abs(goal - START) + 5e-3).all()
    assert_silent(robot)
    cell.spun(cell.node.destroy_publisher, false)
    assert_kept(cell)


def test_a_second_publisher_of_a_camera_stops_the_robot(cell, robot):
    cell.start_capture(**SLOW)
    cell.start()
    until_moving(cell, robot)
    robot.done = time.monotonic()
    second = cell.node.create_publisher(PointCloud2, "/camera_0/points", 1)
    until_held(cell, robot, "two publishers of /camera_0/points")
    cell.until_said("stopped: camera fails: 2 nodes publish /camera_0/points (")
    assert_silent(robot)
    assert_kept(cell)
    assert not cell.call("start").success and "2 nodes publish" in cell.answer
    cell.spun(cell.node.destroy_publisher, second)


def test_a_clock_of_the_node_that_is_set_back_stops_the_robot(cell, robot):
    clock = cell.node.create_publisher(Clock, "/clock", 10)
    offset = 0.0

    def tick():
        nanoseconds = cell.node.get_clock().now().nanoseconds - round(offset * 1e9)
        clock.publish(Clock(clock=Time(nanoseconds=nanoseconds).to_msg()))

    cell.node.create_timer(0.005, tick)
    cell.start_capture(use_sim_time=True, **SLOW)
    cell.start()
    until_moving(cell, robot)
    robot.done, offset = time.monotonic(), 5.0
    until_held(cell, robot, "the node's clock is set back")
    cell.until_said("stopped: the node's clock was set back by ")
    assert_silent(robot)
    assert_kept(cell)


def test_a_lost_controller_is_said(cell, robot):
    cell.start_capture(**SLOW)
    cell.start()
    until_moving(cell, robot)
    robot.do("lose")
    until_ended(
        cell,
        robot,
        "lose",
        "the controller is gone: nothing subscribes to "
        "/joint_trajectory_controller/joint_trajectory",
    )
    assert_kept(cell)
    assert cell.stands()


def test_a_full_disk_stops_the_robot_and_keeps_the_frames_before(cell, robot):
    cell.start_capture(speed=0.3, frames=20)
    cell.start()
    cell.until_frame(2)
    recorder = cell.capture._cell._recording._recorder._process.pid
    (file,) = cell.recordings()[0].glob("*.mcap")
    robot.done = time.monotonic()
    # A file of limited size ends a write as a full disk does: after a part of it.
    resource.prlimit(recorder, resource.RLIMIT_FSIZE, (file.stat().st_size + 1000,) * 2)
    until_ended(cell, robot, "disk full", f"recording failed: {file}: cannot be written: File too")
    assert_kept(cell)
    assert cell.stands()
    cell.stop_capture()
    cell.start_capture(resume=str(file.parent), sequences=1, frames=2)
    count = len(load_recording(file.parent).frames)
    cell.start()
    cell.until(lambda: cell.completed)
    assert len(load_recording(file.parent).frames) == count + 2


def test_a_recorder_that_dies_stops_the_robot_and_keeps_the_frames_before(cell, robot):
    cell.start_capture(**SLOW)
    cell.start()
    until_moving(cell, robot)
    recorder = cell.capture._cell._recording._recorder._process
    robot.done = time.monotonic()
    recorder.kill()
    until_held(cell, robot, "the recording process dies")
    cell.until_said("stopped: recording failed: the recording process is gone")
    assert_silent(robot)
    assert_kept(cell)


def test_a_controller_that_is_deactivated_on_the_way_is_thought_of(cell, robot):
    cell.start_capture(speed=0.25, move_share=1.0)
    cell.start()
    until_moving(cell, robot)
    until_under_way(cell, robot)
    robot.do("deactivate")
    cell.until_said("nothing moves: check whether its controller is still active")
    assert len(robot.commands) == 2
    assert_silent(robot)


def test_a_controller_that_is_said_to_be_inactive_moves_nothing(cell, robot):
    cell.start_capture(speed=0.1)
    said = cell.node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    cell.until(lambda: said.get_subscription_count() > 1)

    def say(state):
        values = {"joint_state_broadcaster": "active", "joint_trajectory_controller": state}
        name = "controller_manager: Controllers Activity"
        said.publish(DiagnosticArray(status=[diagnostic(name, DiagnosticStatus.OK, "", values)]))

    say("inactive")
    inactive = "the controller joint_trajectory_controller is inactive, not active"
    cell.until(lambda: any(inactive in problem for problem in cell.capture._cell.missing()))
    assert not cell.call("start").success and inactive in cell.answer
    say("active")
    cell.start()
    until_moving(cell, robot)
    say("inactive")
    cell.until_said(f"stopped: {inactive}")
    cell.until(lambda: len(robot.commands) == 2)
    assert_silent(robot)


def test_a_stuck_joint_that_moves_alone_does_not_pass_for_a_refusal(cell, robot):
    cell.start_capture()
    cell.start()
    until_moving(cell, robot)
    robot.do("stick")
    cell.until_said("stopped: joint tilt does not follow")


def test_a_goal_that_is_aborted_stops_the_session_where_the_robot_is(cell, robot):
    robot.do("abort")
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    cell.until_said(
        "stopped: the controller broke off a motion: aborted: PATH_TOLERANCE_VIOLATED "
        "(tilt is 0.3 rad off)"
    )
    cell.until(lambda: len(robot.commands) == 2)
    target, hold = (np.array(line.split()[1:], dtype=float) for line in robot.commands)
    # It is commanded to stay where it stands, short of the target, and nothing else.
    assert np.abs(hold - [0.2, -0.1]).max() < 0.5 * np.abs(target - [0.2, -0.1]).max()
    assert_silent(robot)


def test_a_lost_action_server_is_said(cell, robot):
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    robot.do("lose")
    cell.until_said(
        "stopped: the controller is gone: nothing offers the action "
        "/joint_trajectory_controller/follow_joint_trajectory"
    )
    assert_silent(robot)


def test_a_folder_that_cannot_be_written_stops_before_anything_moves(cell, robot):
    cell.start_capture(recording="/dev/null/recordings")
    cell.start()
    cell.until_said("stopped: /dev/null/recordings/")
    assert robot.commands == []


def test_an_effort_above_its_threshold_stops_the_robot_until_a_human_starts_it(cell, robot):
    cell.start_capture(pan=LIMITS | {"stop_effort": 9.0}, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    robot.do("push")
    cell.until_said("stopped: joint pan works with an effort of 20; accepted is up to 9")
    cell.until(lambda: len(robot.commands) == 2)
    assert_silent(robot)
    cell.until_closed()
    assert not cell.call("start").success and "joint pan works with an effort" in cell.answer


def test_a_threshold_without_efforts_does_not_let_it_start(cell, robot):
    robot.do("no_effort")
    cell.start_capture(autostart=True, pan=LIMITS | {"stop_effort": 9.0})
    cell.until_said("no effort of pan is read, but a threshold is set (pan.stop_effort)")
    assert robot.commands == []
