"""The simulated cell as a process of its own, over DDS."""

import json
import re
import signal
import threading
import time
from array import array
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import rclpy
import yaml
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from live import STATIC, Observer, node_process
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState, PointCloud2
from sensor_msgs_py import point_cloud2
from std_msgs.msg import Float64MultiArray
from tf2_msgs.msg import TFMessage
from toy_robot import DRIVEN, FOLDED, write_toy
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from autourdf_ros.data.bags.point_cloud2 import points_from_cloud
from autourdf_ros.domain import claim_domain
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.ros.common.conversions import seconds, transform_matrix
from autourdf_ros.ros.sim_cell.sim_cell_node import SimCellNode
from autourdf_ros.ros.sim_cell.sim_cell_parameters import declare_parameters
from autourdf_ros.simulation.live.live_cell import LiveCell

STATUS = "sim_cell: controller"


class Client(Observer):
    """Hears joint states and clouds, and sends commands."""

    def __init__(self):
        super().__init__("client")
        self.states, self.clouds, self.arrivals = [], {}, []
        node = self.node
        node.create_subscription(JointState, "/joint_states", self._on_state, 200)
        for camera in range(2):
            node.create_subscription(
                PointCloud2,
                f"/camera_{camera}/points",
                lambda message, camera=camera: self.clouds.setdefault(camera, []).append(message),
                qos_profile_sensor_data,
            )
        self.static_messages = []
        node.create_subscription(TFMessage, "/tf_static", self.static_messages.append, STATIC)
        self.trajectories = node.create_publisher(
            JointTrajectory, "/joint_trajectory_controller/joint_trajectory", 10
        )
        self.action = ActionClient(
            node, FollowJointTrajectory, "/joint_trajectory_controller/follow_joint_trajectory"
        )
        self.positions = node.create_publisher(
            Float64MultiArray, "/forward_position_controller/commands", 10
        )

    def _on_state(self, message):
        self.states.append(message)
        self.arrivals.append(time.monotonic())

    def spin(self, duration):
        end = time.monotonic() + duration
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    @property
    def here(self):
        return np.array(self.states[-1].position)

    def follow(self, *points, **options):
        """Send (time, positions) points."""
        self.trajectories.publish(self.trajectory(*points, **options))

    def send_goal(self, *points):
        """The handle of a goal of the action."""
        goal = FollowJointTrajectory.Goal(trajectory=self.trajectory(*points))
        future = self.action.send_goal_async(goal)
        self.until(future.done)
        return future.result()

    def result(self, handle):
        """How a goal ended."""
        future = handle.get_result_async()
        self.until(future.done)
        return future.result()

    def trajectory(self, *points, names=DRIVEN, velocity=None):
        """Of (time, positions) points."""
        message = JointTrajectory(joint_names=list(names))
        for moment, positions in points:
            point = JointTrajectoryPoint(positions=np.array(positions, dtype=float).tolist())
            point.time_from_start.sec, share = int(moment), moment % 1
            point.time_from_start.nanosec = round(share * 1e9)
            if velocity is not None:
                point.velocities = [float(velocity)] * len(positions)
            message.points.append(point)
        return message

    def arrived(self, goal):
        return self.until(lambda: self.states and np.abs(self.here - goal).max() < 1e-3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cell")


@pytest.fixture(scope="module")
def client(folder):
    parameters = {
        "robot": write_toy(folder),
        "truth_file": folder / "truth.json",
        "start": "neutral",
        "cameras": 2,
        "width": 64,
        "height": 48,
        "camera_rate": 5,  # an integer, as people write it
        "joint_state_rate": 50.0,
        "acceleration": 6.0,
        "linear_acceleration": 2.0,
    }
    rclpy.init()
    with node_process("sim_cell_node", parameters=parameters) as process:
        client = Client()
        client.process = process
        client.until(
            lambda: (
                client.states
                and client.trajectories.get_subscription_count()
                and client.positions.get_subscription_count()
                and client.action.server_is_ready()
            ),
            60,
        )
        yield client
        client.close()
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=40)
        assert process.returncode == 0 and "Traceback" not in output
    rclpy.try_shutdown()


@pytest.fixture(autouse=True)
def at_home(client):
    # Only where it has an effect to wait for: a late one would preempt the test's own command.
    before = client.status(STATUS, "").message
    if np.abs(client.here).max() > 1e-3 or before != "standing":
        client.positions.publish(Float64MultiArray(data=[0.0] * 5))
    client.arrived(0.0)
    client.status(STATUS, "standing")


def test_joint_states_have_the_noise_of_the_encoders(client):
    client.states.clear()
    client.until(lambda: len(client.states) >= 100)
    stamps = np.array([seconds(state.header.stamp) for state in client.states])
    assert (np.diff(stamps) > 0).all()
    assert client.states[-1].name == DRIVEN
    reads = np.array([state.position for state in client.states])
    np.testing.assert_allclose(reads[:, :4].std(axis=0), 1e-4, rtol=0.5)


@contextmanager
def spun(folder):
    """A node on a domain of its own, its executor, and the joint states that it would publish."""
    domain, held = claim_domain()
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    given = {"robot": str(folder / "toy.urdf"), "start": "neutral", "joint_state_rate": 50.0}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    node = SimCellNode(context=context, parameter_overrides=overrides)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield node, executor
    finally:
        node.close()
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
        held.close()


def test_joint_states_and_commands_go_on_while_a_camera_renders(folder, monkeypatch):
    rendering, rendered, render = threading.Event(), threading.Event(), LiveCell.measure

    def blocked(cell, index):
        rendering.set()
        rendered.wait(60)
        return render(cell, index)

    monkeypatch.setattr(LiveCell, "measure", blocked)
    with spun(folder) as (node, executor):
        try:
            states: list[JointState] = []
            monkeypatch.setattr(node._joint_states, "publish", states.append)
            quality = qos_profile_sensor_data
            node.create_subscription(PointCloud2, "/camera_0/points", print, quality)
            assert rendering.wait(60)
            node._cell.go_to([0.3, 0.0, 0.0, 0.0, 0.0])
            end = time.monotonic() + 60
            while len(states) <= 5 or states[-1].position[0] < 0.29:
                assert time.monotonic() < end
                executor.spin_once(timeout_sec=0.02)
            assert not rendered.is_set()
        finally:
            rendered.set()


@pytest.mark.parametrize("work", ["readings", "measure"])
def test_a_thread_that_fails_ends_the_node(folder, monkeypatch, work):
    def fails(*_):
        raise RuntimeError("nobody has thought of this")

    monkeypatch.setattr(LiveCell, work, fails)
    with spun(folder) as (node, executor):
        node.create_subscription(PointCloud2, "/camera_0/points", print, qos_profile_sensor_data)
        with pytest.raises(RuntimeError, match="nobody has thought of this"):
            end = time.monotonic() + 60
            while time.monotonic() < end:
                executor.spin_once(timeout_sec=0.1)


def test_a_trajectory_is_followed_within_the_limits(client):
    goal = np.array([1.2, -0.8, 0.5, 0.9, 0.06])
    client.states.clear()
    client.follow((0.2, goal / 2), (0.4, goal))  # faster than the motors
    client.arrived(goal)
    client.spin(0.3)
    velocities = np.array([state.velocity for state in client.states])
    stamps = np.array([seconds(state.header.stamp) for state in client.states])
    assert (np.abs(velocities).max(axis=0) <= np.array([1.5, 2, 2, 1, 0.2]) + 1e-9).all()
    assert np.abs(velocities[:, 0]).max() > 0.8
    acceleration = np.diff(velocities, axis=0) / np.diff(stamps)[:, None]
    assert (np.abs(acceleration) < np.array([6, 6, 6, 6, 2]) * 1.1).all()
    assert np.abs(velocities[-1]).max() == 0


@pytest.mark.parametrize(
    ("send", "reason"),
    [
        (lambda c: c.follow((1, [0] * 4), names=DRIVEN[:4]), "joint 'slide' is missing"),
        (lambda c: c.follow((1, [0] * 5), names=[*DRIVEN[:4], "x"]), "unknown joint 'x'"),
        (lambda c: c.follow((1, [0] * 5), (1, [0] * 5)), "times of the points do not increase"),
        (lambda c: c.follow((1, [0] * 5), velocity=0.5), "last point is not zero"),
        (lambda c: c.follow((1, [3] + [0] * 4)), "'pan' at 3.0000, outside its limits"),
        (lambda c: c.follow((1, [0, FOLDED["lift"], 0, 0, 0])), "collides with|into the ground"),
        (lambda c: c.positions.publish(Float64MultiArray(data=[0.1])), "1 positions for 5 joints"),
    ],
)
def test_commands_that_a_controller_refuses(client, send, reason):
    client.diagnostics.clear()
    send(client)
    status = client.until(
        lambda: next((s for s in client.diagnostics if re.search(reason, s.message)), None)
    )
    assert status.name == STATUS and status.level == status.WARN and "refused" in status.message
    client.spin(0.2)
    assert np.abs(client.here).max() < 2e-3  # it has not moved


def test_goals_of_the_action(client):
    goal = np.array([0.6, -0.4, 0.2, 0.3, 0.03])
    taken = client.send_goal((0.8, goal))
    assert taken.accepted
    done = client.result(taken)
    assert (done.status, done.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)
    client.states.clear()  # of before
    client.until(lambda: client.states)
    assert np.abs(client.here - goal).max() < 2e-3
    assert not client.send_goal((1.0, [9.0] * 5)).accepted
    client.status(STATUS, "trajectory refused")
    assert np.abs(client.here - goal).max() < 2e-3


def test_a_cancelled_goal_stops_the_robot_and_a_new_command_aborts_one(client):
    goal = np.array([1.2, 0, 0, 0, 0])
    taken = client.send_goal((30.0, goal))
    client.until(lambda: client.here[0] > 0.02)
    client.until(taken.cancel_goal_async().done)
    assert client.result(taken).status == GoalStatus.STATUS_CANCELED
    client.status(STATUS, "standing")
    stands = client.here
    assert 0.01 < stands[0] < 0.9
    client.spin(0.5)
    np.testing.assert_allclose(client.here, stands, atol=1e-3)

    taken = client.send_goal((30.0, goal))
    client.follow((0.5, [0.0] * 5))
    aborted = client.result(taken)
    assert aborted.status == GoalStatus.STATUS_ABORTED
    assert aborted.result.error_string == "another command came"
    client.arrived(0.0)


def test_clouds(client, folder):
    client.clouds.clear()
    began = time.time()
    client.until(
        lambda: (
            len(client.clouds) == 2
            and all(seconds(kept[-1].header.stamp) > began for kept in client.clouds.values())
        )
    )
    for camera, messages in client.clouds.items():
        cloud = messages[-1]
        assert cloud.header.frame_id == f"camera_{camera}_optical_frame"
        assert [field.name for field in cloud.fields] == ["x", "y", "z", "rgb"]
        assert (cloud.height, cloud.width) == (48, 64)
        assert cloud.row_step == 64 * cloud.point_step and not cloud.is_dense
        assert began < seconds(cloud.header.stamp) <= time.time()
        # Read as any other program would.
        points = np.array(
            [list(point) for point in point_cloud2.read_points(cloud, ["x", "y", "z"])]
        )
        seen = np.isfinite(points).all(axis=1)
        assert 0.1 < seen.mean() <= 1
        assert (points[seen, 2] > 0).all()


def test_clouds_and_calibration_place_the_robot(client, folder):
    """Coloured points of the column and arm lie on them, in the frame of /tf_static."""
    robot = SimulatedRobot(folder / "toy.urdf")
    client.clouds.clear()
    client.until(lambda: len(client.clouds) == 2 and len(client.static) >= 2)
    poses = robot.body_poses(robot.neutral)
    for camera, messages in client.clouds.items():
        transform = client.static[f"camera_{camera}_optical_frame"]
        assert transform.header.frame_id == "base_link"
        points, colors = points_from_cloud(messages[-1])
        pose = transform_matrix(transform.transform)
        blue = (colors == [0, 0, 255]).all(axis=1) & np.isfinite(points).all(axis=1)
        assert blue.sum() > 10
        world = points[blue] @ pose[:3, :3].T + pose[:3, 3]
        arm = np.linalg.inv(poses[2])
        local = world @ arm[:3, :3].T + arm[:3, 3]
        beyond = np.abs(local - [0.15, 0, 0]) - [0.15, 0.025, 0.03]
        assert np.median(beyond.max(axis=1)) < 0.005


def test_the_stamp_is_the_moment_of_the_configuration_that_is_shown(client, folder):
    """While it moves, the arm stands in the cloud where the readings of that stamp say."""
    robot = SimulatedRobot(folder / "toy.urdf")
    client.until(lambda: client.static.get("camera_0_optical_frame"))
    pose = transform_matrix(client.static["camera_0_optical_frame"].transform)
    client.clouds.clear(), client.states.clear()
    client.follow((4.0, [1.5, 0, 0, 0, 0]))
    client.until(lambda: len(client.clouds.get(0, [])) >= 6)
    newest = seconds(client.clouds[0][-1].header.stamp)
    client.until(lambda: seconds(client.states[-1].header.stamp) > newest)
    stamps = np.array([seconds(state.header.stamp) for state in client.states])
    reads = np.array([state.position for state in client.states])
    errors = []
    for cloud in client.clouds[0]:
        stamp = seconds(cloud.header.stamp)
        if not stamps[0] < stamp < stamps[-1]:
            continue
        values = np.array([np.interp(stamp, stamps, column) for column in reads.T])
        points, colors = points_from_cloud(cloud)
        blue = (colors == [0, 0, 255]).all(axis=1) & np.isfinite(points).all(axis=1)
        world = points[blue] @ pose[:3, :3].T + pose[:3, 3]
        arm = np.linalg.inv(robot.body_poses(robot.follow_mimics(np.append(values, 0)))[2])
        local = world @ arm[:3, :3].T + arm[:3, 3]
        beyond = np.abs(local - [0.15, 0, 0]) - [0.15, 0.025, 0.03]
        errors.append(np.median(beyond.max(axis=1)))
    assert len(errors) >= 3
    assert np.median(errors) < 0.005


def test_truth_is_written_at_start(client, folder):
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["robot"] == "toy" and len(truth["joints"]) == 6 and len(truth["cameras"]) == 2
    assert truth["start_configuration"]["pan"] == 0.0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("cameras", 0, "parameter cameras is 0"),
        ("cameras", 2.5, "parameter cameras is 2.5"),
        ("start", "asleep", "parameter start is 'asleep'"),
        ("acceleration", -1, "parameter acceleration is -1"),
        ("noise.flying_share", 2.0, "flying_share is 2.0"),
        ("lowest_elevation", 80.0, "80 to 60 degrees"),
    ],
)
def test_unusable_parameters_are_named(client, name, value, message):
    node = Node("sim_cell", parameter_overrides=[Parameter(name, value=value)])
    try:
        with pytest.raises(InputError, match=message):
            declare_parameters(node)
    finally:
        node.destroy_node()


def test_the_parameter_file_holds_every_parameter_with_its_default(client):
    path = Path(__file__).parents[3] / "config" / "sim_cell.yaml"
    written = _flat(yaml.safe_load(path.read_text())["sim_cell"]["ros__parameters"])
    node = Node("sim_cell")
    declare_parameters(node)
    declared = {
        name: parameter.value
        for name, parameter in node.get_parameters_by_prefix("").items()
        if name not in ("use_sim_time", "start_type_description_service")
    }
    node.destroy_node()
    assert written == pytest.approx(_flat(declared))


def _flat(values, prefix=""):
    flat = {}
    for name, value in values.items():
        nested = isinstance(value, dict)
        if isinstance(value, list | array):
            value, nested = dict(zip(map(str, range(len(value))), value, strict=True)), True
        flat |= _flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return flat


def test_a_trajectory_begins_when_it_comes_however_long_ago_the_last_cycle_was(folder, client):
    small = {"robot": folder / "toy.urdf", "start": "neutral", "cameras": 1, "width": 32}
    remap = ["-r", "/joint_states:=/slow/states", "-r", "__ns:=/slow"]
    topic = "/joint_trajectory_controller/joint_trajectory"
    remap += ["-r", f"{topic}:=/slow/trajectory"]
    states, goal = [], 0.3
    client.node.create_subscription(JointState, "/slow/states", states.append, 10)
    command = client.node.create_publisher(JointTrajectory, "/slow/trajectory", 10)
    slow = small | {"joint_state_rate": 2.0}
    with node_process("sim_cell_node", "--ros-args", *remap, parameters=slow) as process:
        client.until(lambda: len(states) > 1 and command.get_subscription_count(), 60)
        client.spin(0.35)
        heard, sent = len(states), seconds(client.node.get_clock().now().to_msg())
        command.publish(client.trajectory((1.0, [goal, 0, 0, 0, 0])))
        client.until(lambda: states[-1].position[0] > goal - 2e-3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
    for state in states[heard:]:
        due = goal * max(seconds(state.header.stamp) - sent, 0.0)
        assert state.position[0] < due + 0.02


def test_ends_when_it_is_interrupted_or_cannot_start(folder, client):
    small = {"robot": folder / "toy.urdf", "cameras": 1, "width": 32, "height": 24}
    with (
        node_process("sim_cell_node", parameters={"robot": "ur5_griper"}) as unknown,
        node_process("sim_cell_node", parameters=small) as interrupted,
    ):
        assert "1 cameras" in interrupted.stdout.readline()
        interrupted.send_signal(signal.SIGINT)
        output, _ = interrupted.communicate(timeout=40)
        assert interrupted.returncode == 0 and "Traceback" not in output
        output, _ = unknown.communicate(timeout=40)
        assert unknown.returncode == 2 and output.count("\n") == 1
        assert output.startswith("sim_cell: robot 'ur5_griper'") and "ur5_gripper" in output
