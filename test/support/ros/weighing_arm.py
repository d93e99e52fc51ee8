"""An arm that holds a mallet, for tests: six joints, a sensor at its wrist, and faults by lines on
stdin; `reset` ends them.

Faults: mute_wrench, mute_transforms, mute_joint_states, no_effort, other_frame, not_finite, hit (a
force of 500 N), abort (a goal). Wrenches and efforts are those of rigid bodies, with noise.

Prints `command` for every trajectory that it takes, `hold` when a goal is cancelled, and `stands`
when it has come to rest.
"""

import contextlib
import sys
import threading
from itertools import pairwise

import numpy as np
import pinocchio as pin
import rclpy
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import TransformStamped, WrenchStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tf2_ros import TransformBroadcaster
from trajectory_msgs.msg import JointTrajectory
from weighed_tools import true_parameters

from autourdf_ros.commanding.trajectory import Trajectory, stopping
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.ros.common import conversions
from autourdf_ros.ros.sim_cell.follow_server import FollowServer

JOINTS = ("pan", "lift", "elbow", "roll", "bend", "twist")
START = np.array([0.2, -0.8, 1.0, 0.3, 0.7, 0.2])
STEP = 0.01  # s, of differences
NOISE = (0.05, 0.0025)  # N, N m
BIAS = np.array([1.0, -0.5, 0.4, 0.02, -0.01, 0.03])
_CHAIN = (
    ("base_link", "turret", "pan", "0 0 0.3", "0 0 1", "0 0 0.02", "0.1 0.1 0.02"),
    ("turret", "arm", "lift", "0 0 0.1", "0 1 0", "0.2 0 0", "0.3 0.05 0.05"),
    ("arm", "elbow_link", "elbow", "0.45 0 0", "0 1 0", "0.15 0 0", "0.2 0.05 0.05"),
    ("elbow_link", "wrist", "roll", "0.35 0 0", "1 0 0", "0.06 0 0", "0.04 0.04 0.04"),
    ("wrist", "hand", "bend", "0.15 0 0", "0 1 0", "0.04 0 0", "0.03 0.03 0.03"),
    ("hand", "flange", "twist", "0.1 0 0", "1 0 0", "0.02 0 0", "0.02 0.03 0.03"),
)
_LINK = """<link name="{0}"><inertial><origin xyz="{1}"/><mass value="1"/><inertia ixx="0.002"
ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.002"/></inertial>
<collision><origin xyz="{1}"/><geometry><box size="{2}"/></geometry></collision></link>"""
_JOINT = """<joint name="{2}" type="revolute"><parent link="{0}"/><child link="{1}"/>
<origin xyz="{3}"/><axis xyz="{4}"/>
<limit lower="-3" upper="3" velocity="2" effort="99"/></joint>"""
URDF = "\n".join(
    [
        '<robot name="arm"><link name="base_link"/>',
        *(_LINK.format(one[1], one[5], one[6]) + _JOINT.format(*one) for one in _CHAIN),
        '<link name="ft_sensor"/><joint name="mount" type="fixed"><parent link="flange"/>',
        '<child link="ft_sensor"/><origin xyz="0.08 0 0" rpy="0.3 0 0"/></joint></robot>',
    ]
)


class WeighingArm(Node):
    def __init__(self):
        super().__init__("weighing_arm", start_parameter_services=False)
        self.faults = set()
        self.model = pin.buildModelFromXML(URDF)
        self.data = self.model.createData()
        self.sensor = self.model.getFrameId("ft_sensor")
        self.load = true_parameters()
        self.rng = np.random.default_rng(0)
        self.path, self.began, self.moves, self.position = None, 0.0, False, START.copy()
        self.states = self.create_publisher(JointState, "/joint_states", 10)
        self.wrenches = self.create_publisher(WrenchStamped, "/wrench", 10)
        self.broadcaster = TransformBroadcaster(self)
        topic = "/joint_trajectory_controller/joint_trajectory"
        self.create_subscription(JointTrajectory, topic, self.follow, 10)
        group = self.default_callback_group
        self.server = FollowServer(self, self.follow, self.standing, self.hold, group)
        self.create_timer(STEP, self.publish)

    def now(self):
        return self.get_clock().now().nanoseconds * 1e-9

    def follow(self, message):
        assert tuple(message.joint_names) == JOINTS
        print("command", flush=True)
        points = message.points
        times = np.array([conversions.seconds(point.time_from_start) for point in points])
        here, rate = self.at(self.now()), self.rate(self.now())
        still = np.zeros((len(times) + 1, len(JOINTS)))
        self.path = Trajectory(
            JOINTS,
            np.append(0.0, times),
            np.vstack([here, *(point.positions for point in points)]),
            np.vstack([rate, *(point.velocities for point in points)]),
            still,
        )
        self.began = self.now()
        return True

    def standing(self):
        return self.path is None or self.now() > self.began + self.path.duration

    def hold(self):
        print("hold", flush=True)
        limit = JointLimits(-3.0, 3.0, 2.0, 8.0)
        here = dict(zip(JOINTS, self.at(self.now()).tolist(), strict=True))
        rates = dict(zip(JOINTS, self.rate(self.now()).tolist(), strict=True))
        self.path, self.began = stopping(here, rates, dict.fromkeys(JOINTS, limit)), self.now()

    def at(self, time):
        return self.position if self.path is None else self.path.at(max(time - self.began, 0.0))

    def rate(self, time):
        return (self.at(time + STEP / 2) - self.at(time - STEP / 2)) / STEP

    def pose(self, values):
        pin.framesForwardKinematics(self.model, self.data, values)
        return self.data.oMf[self.sensor].copy()

    def motion(self, time):
        """Pose, velocity and acceleration of the sensor, along its axes."""
        poses = [self.pose(self.at(time + step)) for step in (-STEP, 0.0, STEP)]
        turn = poses[1].rotation
        shifts = [pose.translation for pose in poses]
        linear = (shifts[2] - shifts[0]) / (2 * STEP), np.diff(shifts, 2, axis=0)[0] / STEP**2
        before, after = (pin.log3(a.rotation.T @ b.rotation) for a, b in pairwise(poses))
        angular = (before + after) / (2 * STEP), (after - before) / STEP**2
        velocity = np.concatenate([turn.T @ linear[0], angular[0]])
        return poses[1].homogeneous, velocity, np.concatenate([turn.T @ linear[1], angular[1]])

    def wrench(self, pose, velocity, acceleration):
        """Of the load on the sensor, without bias and noise."""
        twice = [np.array([one, one]) for one in (pose, velocity, acceleration)]
        still = WrenchRecording(np.array([0.0, 1.0]), *twice, np.zeros((2, 6)))
        return recording_regressor(still)[0] @ self.load

    def efforts(self, now, values, wrench):
        """With which the joints move themselves and the load."""
        before, after = self.at(now - STEP), self.at(now + STEP)
        rates, turning = (after - before) / (2 * STEP), (after - 2 * values + before) / STEP**2
        own = pin.rnea(self.model, self.data, values, rates, turning)
        jacobian = pin.computeFrameJacobian(
            self.model, self.data, values, self.sensor, pin.ReferenceFrame.LOCAL
        )
        return own - jacobian.T @ wrench

    def publish(self):
        now = self.now()
        values = self.at(now)
        moved = not self.standing()
        if self.moves and not moved:
            self.position = values
            print("stands", flush=True)
        self.moves = moved
        if "abort" in self.faults and self.path and now > self.began + 0.5 and moved:
            self.faults.discard("abort")
            self.hold()
            code = FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED
            self.server.abort(code, "lift is 0.3 rad off")
        pose, velocity, acceleration = self.motion(now)
        wrench = self.wrench(pose, velocity, acceleration)
        self.publish_states(now, values, self.efforts(now, values, wrench))
        self.publish_pose(now, pose)
        self.publish_wrench(now, wrench)

    def publish_states(self, now, values, efforts):
        if "mute_joint_states" in self.faults:
            return
        noisy = values + self.rng.normal(0, 1e-5, len(values))
        state = conversions.joint_state(dict(zip(JOINTS, noisy, strict=True)), now)
        if "no_effort" not in self.faults:
            state.effort = (efforts + self.rng.normal(0, 0.02, len(values))).tolist()
        self.states.publish(state)

    def publish_pose(self, now, pose):
        if "mute_transforms" in self.faults:
            return
        transform = TransformStamped(
            child_frame_id="ft_sensor", transform=conversions.transform_message(pose)
        )
        transform.header.frame_id = "base_link"
        transform.header.stamp = conversions.time_message(now)
        self.broadcaster.sendTransform(transform)

    def publish_wrench(self, now, wrench):
        if "mute_wrench" in self.faults:
            return
        values = wrench + BIAS + np.repeat(NOISE, 3) * self.rng.standard_normal(6)
        values[2] += 500.0 * ("hit" in self.faults)
        values[5] = np.nan if "not_finite" in self.faults else values[5]
        message = WrenchStamped()
        message.header.frame_id = "hand" if "other_frame" in self.faults else "ft_sensor"
        message.header.stamp = conversions.time_message(now)
        force, torque = message.wrench.force, message.wrench.torque
        force.x, force.y, force.z, torque.x, torque.y, torque.z = values.tolist()
        self.wrenches.publish(message)


def listen(arm):
    for line in sys.stdin:
        fault = line.strip()
        if fault == "reset":
            arm.faults.clear()
        else:
            arm.faults.add(fault)
        print("fault", fault, flush=True)


def main():
    rclpy.init()
    arm = WeighingArm()
    threading.Thread(target=listen, args=(arm,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(arm)


if __name__ == "__main__":
    main()
