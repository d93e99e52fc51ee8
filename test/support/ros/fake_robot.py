"""A small robot for tests: two joints, one camera, and faults on demand by lines on stdin;
`reset` ends them and puts the robot where it began.

Sensors: mute_joint_states, mute_clouds, lose_camera (its publisher is gone), freeze (the same cloud
again and again), set_back (the clock of all stamps), layout (a cloud without x), nothing (no point
has depth), millimetres, hide, gone, shelf, delay, wrist (one more camera), mute_transforms (of the
wrist), push and no_effort. Robot and controller: stick, refuse, deactivate, reject, abort, lose,
slip (the tilt's zero), drift (somebody moves it a little).

Prints a line `command GOAL...` for every trajectory that it takes, `rejected` for a goal of the
action that it does not take, `hold` when it stops because one was cancelled, and `stands` when it
has come to rest.
"""

import contextlib
import sys
import threading

import numpy as np
import rclpy
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import TransformStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState, PointCloud2
from std_msgs.msg import Float64MultiArray
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.ros.common import conversions
from autourdf_ros.ros.sim_cell.follow_server import FollowServer

JOINTS = ("pan", "tilt")
START = np.array([0.2, -0.1])
CAMERA = np.eye(4)
CAMERA[:3, :3] = Rotation.from_euler("xyz", [2.0, 0.1, 0.3]).as_matrix()
CAMERA[:3, 3] = (0.1, -0.8, 0.9)
WRIST = np.eye(4)
WRIST[:3, :3] = Rotation.from_euler("xyz", [2.4, 0.0, -1.2]).as_matrix()
WRIST[:3, 3] = (-0.7, 0.1, 0.9)
SLIPPED = 0.04  # rad
PERIOD = 0.02  # s, of readings; a faster robot leaves less of the cores to the tests
CLOUD_EVERY = 5  # readings
BEST_EFFORT = QoSProfile(depth=2, reliability=ReliabilityPolicy.BEST_EFFORT)


def box(rng, size, count=1500):
    points = rng.uniform(-0.5, 0.5, (count, 3))
    points[np.arange(count), rng.integers(3, size=count)] = rng.choice([-0.5, 0.5], count)
    return points * size


class FakeRobot(Node):
    def __init__(self):
        # Nobody asks for its parameters, for which it would wait at every turn.
        super().__init__("fake_robot", start_parameter_services=False)
        self.faults = set()
        self.position = START.copy()
        self.path = None
        self.moves = False
        self.rng = np.random.default_rng(0)
        self.bodies = [
            box(self.rng, (0.3, 0.3, 0.2)) + np.array([0, 0, 0.1]),
            box(self.rng, (0.1, 0.1, 0.3)) + np.array([0, 0, 0.35]),
            box(self.rng, (0.3, 0.08, 0.08)) + np.array([0.15, 0, 0.55]),
        ]
        ground = self.rng.uniform(-1, 1, (2000, 3)) * (1, 1, 0.001)
        self.bodies[0] = np.vstack([self.bodies[0], ground])
        self.shelf = box(self.rng, (0.1, 0.4, 0.4)) + np.array([0.5, 0, 0.3])
        self.states = self.create_publisher(JointState, "/joint_states", 10)
        self.clouds = None
        self.wrist_clouds = self.create_publisher(PointCloud2, "/wrist_camera/points", BEST_EFFORT)
        self.moving_broadcaster = TransformBroadcaster(self)
        self.late_transforms, self.delayed = [], []
        self.broadcaster = StaticTransformBroadcaster(self)
        transform = TransformStamped(
            child_frame_id="camera_0_optical_frame",
            transform=conversions.transform_message(CAMERA),
        )
        transform.header.frame_id = "base_link"
        self.broadcaster.sendTransform(transform)
        self.frozen = None
        self.controller = None
        self.create_subscription(
            Float64MultiArray, "/forward_position_controller/commands", self.jump, 1000
        )
        self.server = None
        self.connect()
        self.turns = 0
        self.create_timer(PERIOD, self.turn)

    def connect(self):
        """Create what a fault has destroyed."""
        if self.server is None:
            self.server = self.create_server()
        if self.controller is None:
            topic = "/joint_trajectory_controller/joint_trajectory"
            self.controller = self.create_subscription(JointTrajectory, topic, self.follow, 10)
        if self.clouds is None:
            self.clouds = self.create_publisher(PointCloud2, "/camera_0/points", BEST_EFFORT)

    def turn(self):
        self.publish_state()
        self.turns += 1
        if self.turns % CLOUD_EVERY == 0:
            self.publish_cloud()

    def now(self):
        return self.get_clock().now().nanoseconds * 1e-9

    def stamp(self):
        return self.now() - 5.0 * ("set_back" in self.faults)

    def follow(self, message):
        goal = " ".join(f"{value:.4f}" for value in message.points[-1].positions)
        print("command", goal, flush=True)
        if self.faults & {"refuse", "deactivate"}:
            return
        assert tuple(message.joint_names) == JOINTS
        times = [0.0] + [conversions.seconds(point.time_from_start) for point in message.points]
        points = [self.position, *(np.array(point.positions) for point in message.points)]
        self.path = self.now(), np.array(times), np.array(points)

    def create_server(self):
        group = self.default_callback_group
        return FollowServer(self, self.follow_goal, self.standing, self.hold, group)

    def follow_goal(self, message):
        if "reject" in self.faults:
            print("rejected", flush=True)
            return False
        self.follow(message)
        return True

    def standing(self):
        """Whether the last trajectory is over."""
        return self.path is None or self.now() > self.path[0] + self.path[1][-1]

    def hold(self):
        print("hold", flush=True)
        self.path = None

    def break_off(self):
        if "deactivate" in self.faults:
            self.path = None
        if "abort" in self.faults and self.path and self.now() > self.path[0] + 0.3:
            self.faults.discard("abort")
            self.path = None
            self.server.abort(
                FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED, "tilt is 0.3 rad off"
            )
        if "lose" in self.faults and self.server is not None:
            self.server.destroy()
            self.destroy_subscription(self.controller)
            self.server = self.controller = self.path = None
        if "lose_camera" in self.faults and self.clouds is not None:
            self.destroy_publisher(self.clouds)
            self.clouds = None

    def jump(self, message):
        step = np.abs(np.array(message.data) - self.position).max()
        print(f"position {step:.5f}", flush=True)
        if "refuse" not in self.faults:
            self.path = None
            self.position = np.array(message.data)

    def publish_state(self):
        self.break_off()
        before = self.position
        if self.path is not None:
            began, times, points = self.path
            moved = [np.interp(self.now() - began, times, column) for column in points.T]
            if "stick" in self.faults:
                moved[1] = self.position[1]
            self.position = np.array(moved)
        if "drift" in self.faults:
            self.position = self.position + np.array([0.0, 0.001])
        moved = bool((self.position != before).any())
        if self.moves and not moved:
            print("stands", flush=True)
        self.moves = moved
        if "mute_joint_states" not in self.faults:
            noisy = self.position + self.rng.normal(0, 1e-4, 2)
            state = conversions.joint_state(dict(zip(JOINTS, noisy, strict=True)), self.stamp())
            if "no_effort" not in self.faults:
                state.effort = [20.0 if "push" in self.faults else 1.0, 2.0]
            self.states.publish(state)

    def publish_cloud(self):
        if "mute_clouds" in self.faults or self.clouds is None:
            return
        self.publish_view(self.clouds, CAMERA, "camera_0_optical_frame")
        if "wrist" in self.faults:
            self.publish_wrist()

    def publish_wrist(self):
        """A camera that turns with the pan joint, and views the robot from above and behind."""
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_euler("z", self.position[0]).as_matrix()
        pose = pose @ WRIST
        self.publish_view(self.wrist_clouds, pose, "wrist_optical_frame")
        self.late_transforms.append((self.stamp(), pose))
        # Of several clouds the transform comes with the next but one.
        if len(self.late_transforms) > 2 and "mute_transforms" not in self.faults:
            stamp, pose = self.late_transforms.pop(0)
            transform = TransformStamped(
                child_frame_id="wrist_optical_frame",
                transform=conversions.transform_message(pose),
            )
            transform.header.frame_id = "base_link"
            transform.header.stamp = conversions.time_message(stamp)
            self.moving_broadcaster.sendTransform(transform)

    def publish_view(self, publisher, camera, frame):
        pan = Rotation.from_euler("z", self.position[0])
        tilt = pan * Rotation.from_euler("y", self.position[1] + SLIPPED * ("slip" in self.faults))
        hinge = np.array([0, 0, 0.5])
        arm = tilt.apply(self.bodies[2] - hinge) + hinge
        points = np.vstack([self.bodies[0], pan.apply(self.bodies[1]), arm])
        points = points + self.rng.normal(0, 0.0005, points.shape)
        if "gone" in self.faults:
            points = self.bodies[0][self.bodies[0][:, 2] < 0.002]
        if "shelf" in self.faults:
            points = np.vstack([points, self.shelf + self.rng.normal(0, 0.0005, self.shelf.shape)])
        if "hide" in self.faults:
            points = points[points[:, 2] > 0.57]
        local = (points - camera[:3, 3]) @ camera[:3, :3]
        if "millimetres" in self.faults:
            local = local * 1000
        if "nothing" in self.faults:
            local = np.full(local.shape, np.nan)
        colors = np.full(points.shape, 128, np.uint8)
        cloud = conversions.cloud_from_points(local, colors, self.stamp(), frame)
        if "layout" in self.faults:
            cloud.fields[0].name = "range"
        if "freeze" in self.faults:
            self.frozen = cloud = self.frozen or cloud
        if "delay" not in self.faults:
            publisher.publish(cloud)
            return
        self.delayed.append(cloud)
        if len(self.delayed) > 5:
            publisher.publish(self.delayed.pop(0))


def read_faults(robot):
    for line in sys.stdin:
        if line.strip() == "reset":
            robot.faults.clear()
            robot.late_transforms.clear()
            robot.delayed.clear()
            robot.connect()
            robot.path = robot.frozen = None
            robot.position, robot.moves = START.copy(), False
            print("reset", flush=True)
        else:
            robot.faults.add(line.strip())


def main():
    rclpy.init()
    robot = FakeRobot()
    threading.Thread(target=read_faults, args=(robot,), daemon=True).start()
    with contextlib.suppress(ExternalShutdownException):
        rclpy.spin(robot)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
