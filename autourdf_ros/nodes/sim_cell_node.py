"""A robot cell with depth cameras that is simulated, behind the topics of a real one."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState, PointCloud2
from std_msgs.msg import Float64MultiArray
from tf2_ros import StaticTransformBroadcaster
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.errors import InputError
from autourdf_ros.nodes.conversions import (
    cloud_from_points,
    diagnostic,
    joint_state,
    seconds,
    time_message,
    transform_message,
)
from autourdf_ros.nodes.sim_cell_parameters import declare_parameters
from autourdf_ros.simulation.cell import Cell, CellOptions, workspace_of
from autourdf_ros.simulation.commands import (
    Reference,
    RefusedError,
    TrajectoryPoint,
    driven_names,
    position_reference,
    trajectory_reference,
)
from autourdf_ros.simulation.drive import DriveLimits, DriveState, advance
from autourdf_ros.simulation.motion import start_configuration
from autourdf_ros.simulation.robot import SimulatedRobot
from autourdf_ros.simulation.robot_library import find_urdf
from autourdf_ros.simulation.truth import truth_of, write_truth
from autourdf_ros.simulation.workspace import Workspace

_CONFIGURATIONS = 40  # random ones that the cameras are placed to see


class SimCellNode(Node):
    """Follows motion commands, publishes joint states, and clouds in a thread of its own."""

    def __init__(self) -> None:
        """Raises InputError for a parameter or robot that cannot be used."""
        super().__init__("sim_cell")
        self._parameters = declare_parameters(self)
        self._robot = SimulatedRobot(find_urdf(self._parameters["robot"]))
        self._cell, self._workspace, start = self._build_cell()
        driven = self._robot.driven
        self._limits = self._drive_limits()
        self._epoch = self._now()
        self._state = DriveState(0.0, start[driven], np.zeros(driven.sum()))
        self._reference = Reference(np.zeros(1), start[driven][None])
        self._refusal = ""
        if self._parameters["truth_file"]:
            self._write_truth(start)
        self._publish_calibration()
        self._create_interfaces()
        self._stopping = threading.Event()
        self._camera_thread = threading.Thread(target=self._watch, name="cameras")
        self._camera_thread.start()
        self.get_logger().info(
            f"{self._robot.name}: {len(driven)} joints, {len(self._cell.cameras)} cameras"
        )

    def stop(self) -> None:
        """End the cameras' thread."""
        self._stopping.set()
        self._camera_thread.join()

    def _build_cell(self) -> tuple[Cell, Workspace, np.ndarray]:
        given = self._parameters
        elevations = given["lowest_elevation"], given["highest_elevation"]
        names = ("cameras", "width", "height", "noise", "ground", "clutter")
        options = CellOptions(elevations=elevations, **{name: given[name] for name in names})
        workspace = workspace_of(self._robot, options)
        motion, placing = np.random.SeedSequence(given["seed"]).spawn(2)
        rng = np.random.default_rng(motion)
        start = self._robot.neutral
        if given["start"] == "random":
            start = start_configuration(workspace, rng)
        obstacle = workspace.obstacle(start)
        if obstacle is not None:
            raise InputError(f"parameter start is '{given['start']}', but there {obstacle}")
        seen = [start] + [start_configuration(workspace, rng) for _ in range(_CONFIGURATIONS)]
        return (
            Cell(workspace, np.stack(seen), options, np.random.default_rng(placing)),
            workspace,
            start,
        )

    def _drive_limits(self) -> DriveLimits:
        given, driven = self._parameters, self._robot.driven
        velocity = np.array([joint.velocity for joint in self._robot.joints])
        velocity = np.where(np.isfinite(velocity), velocity, given["default_velocity"])
        acceleration = np.where(
            self._is_prismatic(), given["linear_acceleration"], given["acceleration"]
        )
        return DriveLimits(velocity[driven] * given["velocity_scale"], acceleration[driven])

    def _is_prismatic(self) -> np.ndarray:
        return np.array([joint.kind == "prismatic" for joint in self._robot.joints])

    def _write_truth(self, start: np.ndarray) -> None:
        cameras = [
            {
                "frame": _camera_frame(index),
                "nominal": nominal.pose.tolist(),
                "true": true.pose.tolist(),
            }
            for index, (nominal, true) in enumerate(
                zip(self._cell.cameras, self._cell.true_cameras, strict=True)
            )
        ]
        truth = truth_of(self._robot, start)
        truth["start_configuration"] = truth["reference_configuration"]
        truth |= {"seed": self._parameters["seed"], "noise": asdict(self._parameters["noise"])}
        write_truth(truth | {"cameras": cameras}, Path(self._parameters["truth_file"]))

    def _publish_calibration(self) -> None:
        self._broadcaster = StaticTransformBroadcaster(self)
        transforms = []
        for index, camera in enumerate(self._cell.cameras):
            message = TransformStamped(
                child_frame_id=_camera_frame(index), transform=transform_message(camera.pose)
            )
            message.header.frame_id = self._parameters["base_frame"]
            message.header.stamp = time_message(self._epoch)
            transforms.append(message)
        self._broadcaster.sendTransform(transforms)

    def _create_interfaces(self) -> None:
        # A long check of a command must not hold up the joint states.
        commands = MutuallyExclusiveCallbackGroup()
        self.create_subscription(
            JointTrajectory,
            "/joint_trajectory_controller/joint_trajectory",
            self._on_trajectory,
            10,
            callback_group=commands,
        )
        self.create_subscription(
            Float64MultiArray,
            "/forward_position_controller/commands",
            self._on_positions,
            10,
            callback_group=commands,
        )
        self._joint_states = self.create_publisher(JointState, "/joint_states", 10)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        reliable = self._parameters["reliability"] == "reliable"
        quality = QoSProfile(
            depth=2,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        )
        self._clouds = [
            self.create_publisher(PointCloud2, f"/camera_{index}/points", quality)
            for index in range(len(self._cell.cameras))
        ]
        self._encoder_rng = np.random.default_rng([self._parameters["seed"], 1])
        control = MutuallyExclusiveCallbackGroup()
        period = 1.0 / self._parameters["joint_state_rate"]
        self.create_timer(period, self._control, callback_group=control)
        self.create_timer(1.0, self._report, callback_group=commands)

    def _now(self) -> float:
        return self.get_clock().now().nanoseconds * 1e-9

    def _control(self) -> None:
        """Advance the motors to now, and publish what the encoders read."""
        now = self._now() - self._epoch
        self._state = state = advance(self._state, self._reference, self._limits, now)
        noise = np.where(
            self._is_prismatic()[self._robot.driven],
            self._parameters["linear_encoder_noise"],
            self._parameters["encoder_noise"],
        )
        read = state.position + self._encoder_rng.normal(0.0, 1.0, len(noise)) * noise
        names = driven_names(self._robot)
        velocities = dict(zip(names, state.velocity, strict=True))
        positions = dict(zip(names, read, strict=True))
        self._joint_states.publish(joint_state(positions, self._epoch + now, velocities))

    def _values(self, state: DriveState) -> np.ndarray:
        values = np.zeros(len(self._robot.joints))
        values[self._robot.driven] = state.position
        return self._robot.follow_mimics(values)

    def _on_trajectory(self, message: JointTrajectory) -> None:
        state = self._state
        stamp = seconds(message.header.stamp)
        start = stamp - self._epoch if stamp else state.time
        points = [
            TrajectoryPoint(point.positions, point.velocities, seconds(point.time_from_start))
            for point in message.points
        ]
        self._follow(
            "trajectory",
            lambda: trajectory_reference(
                self._workspace, message.joint_names, points, self._values(state), state.time, start
            ),
        )

    def _on_positions(self, message: Float64MultiArray) -> None:
        state = self._state
        self._follow(
            "position command",
            lambda: position_reference(
                self._workspace, message.data, self._values(state), state.time
            ),
        )

    def _follow(self, kind: str, reference) -> None:
        try:
            self._reference = reference()
            self._refusal = ""
        except RefusedError as error:
            self._refusal = f"{kind} refused: {error}"
            self.get_logger().warning(self._refusal)
            self._report()

    def _watch(self) -> None:
        """Take clouds until stopped, of the cameras that anybody listens to."""
        rngs = [
            np.random.default_rng([self._parameters["seed"], 2, index])
            for index in range(len(self._clouds))
        ]
        period = 1.0 / self._parameters["camera_rate"]
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            due = max(due + period, time.monotonic())
            for index, publisher in enumerate(self._clouds):
                if publisher.get_subscription_count() and not self._stopping.is_set():
                    publisher.publish(self._cloud(index, rngs[index]))

    def _cloud(self, index: int, rng: np.random.Generator) -> PointCloud2:
        state = self._state
        image = self._cell.measure(self._values(state), index, rng)
        message = cloud_from_points(
            image.points.reshape(-1, 3),
            image.colors.reshape(-1, 3),
            self._epoch + state.time,
            _camera_frame(index),
        )
        message.height, message.width = image.points.shape[:2]
        message.row_step = message.width * message.point_step
        return message

    def _report(self) -> None:
        level = DiagnosticStatus.WARN if self._refusal else DiagnosticStatus.OK
        moving = bool(np.any(self._state.velocity != 0))
        status = diagnostic(
            "sim_cell: controller",
            level,
            self._refusal or ("moving" if moving else "standing"),
            {"robot": self._robot.name},
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = time_message(self._now())
        self._diagnostics.publish(message)


def _camera_frame(index: int) -> str:
    return f"camera_{index}_optical_frame"


def main() -> None:
    """Run the simulated cell until it is interrupted."""
    rclpy.init()
    node = None
    try:
        node = SimCellNode()
        executor = MultiThreadedExecutor(num_threads=2)
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except InputError as error:
        sys.exit(f"sim_cell: {error}")
    finally:
        if node is not None:
            node.stop()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
