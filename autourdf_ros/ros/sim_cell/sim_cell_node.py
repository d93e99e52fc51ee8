"""A simulated robot cell with depth cameras, with the topics of a real one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState, PointCloud2
from std_msgs.msg import Float64MultiArray, Header
from tf2_ros import StaticTransformBroadcaster
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.ros.common.conversions import (
    clock_time,
    cloud_from_points,
    joint_state,
    seconds,
    time_message,
    transform_message,
)
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.sim_cell.follow_server import FollowServer
from autourdf_ros.ros.sim_cell.image_topics import ImageTopics
from autourdf_ros.ros.sim_cell.sim_cell_parameters import declare_parameters
from autourdf_ros.ros.sim_cell.wrist_topic import WristTopic
from autourdf_ros.simulation.live.controller_commands import RefusedError, TrajectoryPoint
from autourdf_ros.simulation.live.live_cell import LiveCell
from autourdf_ros.simulation.simulated_cell import Image as SeenImage
from autourdf_ros.simulation.truth_file import write_truth


class SimCellNode(Node):
    """Follows motion commands; one thread publishes joint states, another one clouds.

    Checking a command must not delay the joint states. They come from no timer: rclpy takes about a
    millisecond to find out what an executor has to do, ten times as long as all motors do.
    """

    def __init__(self, **options: Any) -> None:
        """Start the cell. Raise InputError for a parameter or robot that cannot be used."""
        self._follow: FollowServer | None = None  # rclpy also destroys a node whose start failed
        super().__init__("sim_cell", **options)
        self._settings = declare_parameters(self)
        given = self._settings
        robot = SimulatedRobot(find_urdf(given.robot))
        self._cell = LiveCell(
            robot,
            given.cell,
            given.motors,
            given.start,
            given.seed,
            given.camera_reach,
            given.forces,
        )
        if given.truth_file:
            write_truth(self._cell.truth(), Path(given.truth_file))
        self._epoch = clock_time(self)
        self._refusal = ""
        self._publish_calibration()
        self._create_publishers()
        self._create_callbacks()
        self._stopping = threading.Event()
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="sim_cell")
        self._loops: list[Future[None]] = [
            self._threads.submit(self._every, 1.0 / given.joint_state_rate, self._control),
            self._threads.submit(self._every, 1.0 / given.camera_rate, self._watch),
        ]
        self.get_logger().info(
            f"{self._cell.robot.name}: joints {', '.join(self._cell.names)}; "
            f"{len(self._clouds)} cameras"
        )

    def close(self) -> None:
        """End the threads."""
        self._stopping.set()
        self._threads.shutdown()

    def destroy_node(self) -> None:
        """Destroy the node and withdraw the action, which rclpy leaves to the owner."""
        if self._follow is not None:
            self._follow.destroy()
        super().destroy_node()

    def _publish_calibration(self) -> None:
        self._broadcaster = StaticTransformBroadcaster(self)
        transforms = []
        for index, camera in enumerate(self._cell.cell.cameras):
            message = TransformStamped(
                child_frame_id=_camera_frame(index), transform=transform_message(camera.pose)
            )
            message.header.frame_id = self._settings.base_frame
            message.header.stamp = time_message(self._epoch)
            transforms.append(message)
        self._broadcaster.sendTransform(transforms)

    def _create_publishers(self) -> None:
        self._joint_states = self.create_publisher(JointState, "/joint_states", 10)
        self._diagnostics = Diagnostics(self, self._cell.robot.name)
        quality = QoSProfile(
            depth=2,
            reliability=ReliabilityPolicy.RELIABLE
            if self._settings.reliable
            else ReliabilityPolicy.BEST_EFFORT,
        )
        self._wrist = None
        if self._settings.wrist is not None:
            self._wrist = WristTopic(self, self._settings.wrist, self._settings.base_frame)
        numbers = range(self._settings.cell.cameras)
        self._clouds = [
            self.create_publisher(PointCloud2, f"/camera_{index}/points", quality)
            for index in numbers
        ]
        self._images = None
        if self._settings.images:
            self._images = [ImageTopics(self, index, quality) for index in numbers]

    def _create_callbacks(self) -> None:
        self.create_subscription(
            JointTrajectory,
            "/joint_trajectory_controller/joint_trajectory",
            self._on_trajectory,
            10,
        )
        self._follow = FollowServer(self, self._on_goal, self._cell_stands, self._cell.hold)
        self.create_subscription(
            Float64MultiArray,
            "/forward_position_controller/commands",
            self._on_positions,
            10,
        )
        self.create_timer(1.0, self._report)

    def _time(self) -> float:
        """Time (s) of the cell."""
        return clock_time(self) - self._epoch

    def _control(self) -> None:
        """Advance the motors until now, and publish what encoders and force sensors read."""
        now = clock_time(self)
        self._cell.advance(now - self._epoch)
        positions, velocities = self._cell.readings()
        forces = self._cell.forces()
        efforts = None
        if forces.efforts is not None:
            efforts = dict(zip(positions, forces.efforts.tolist(), strict=True))
        self._joint_states.publish(joint_state(positions, now, velocities, efforts))
        if self._wrist is not None and forces.wrench is not None:
            self._wrist.publish(forces.wrench, self._cell.sensor_pose(positions), now)

    def _cell_stands(self) -> bool:
        return not self._cell.is_moving

    def _on_trajectory(self, message: JointTrajectory) -> None:
        if self._on_goal(message):
            self._preempt()

    def _on_goal(self, message: JointTrajectory) -> bool:
        points = [
            TrajectoryPoint(point.positions, point.velocities, seconds(point.time_from_start))
            for point in message.points
        ]
        stamp = seconds(message.header.stamp)
        start = stamp - self._epoch if stamp else None
        return self._command(
            "trajectory",
            lambda: self._cell.follow_trajectory(message.joint_names, points, self._time, start),
        )

    def _on_positions(self, message: Float64MultiArray) -> None:
        """Go to positions in the order of the joint states."""
        if self._command("position command", lambda: self._cell.go_to(message.data)):
            self._preempt()

    def _preempt(self) -> None:
        if self._follow is not None:
            self._follow.preempt()

    def _command(self, kind: str, follow: Callable[[], None]) -> bool:
        """Return whether the command is accepted; report the reason where it is not."""
        try:
            follow()
            self._refusal = ""
        except RefusedError as error:
            self._refusal = f"{kind} refused: {error}"
            self.get_logger().warning(self._refusal)
        self._report()
        return not self._refusal

    def _every(self, period: float, work: Callable[[], None]) -> None:
        """Do some work every `period` (s) until stopped; work that is late is not caught up on."""
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())) and self.context.ok():
            due = max(due + period, time.monotonic())
            work()

    def _watch(self) -> None:
        """Publish clouds of the cameras that have subscribers."""
        for index, publisher in enumerate(self._clouds):
            if self._stopping.is_set() or not self.context.ok():
                return
            images = None if self._images is None else self._images[index]
            heard = images is not None and images.heard
            if not (heard or publisher.get_subscription_count()):
                continue
            moment, image = self._cell.measure(index)
            if publisher.get_subscription_count():
                publisher.publish(self._cloud(index, moment, image))
            if images is not None and heard:
                camera = self._cell.cell.cameras[index].intrinsics
                header = Header(
                    stamp=time_message(self._epoch + moment), frame_id=_camera_frame(index)
                )
                images.publish(image.colors, camera, header)

    def _cloud(self, index: int, moment: float, image: SeenImage) -> PointCloud2:
        message = cloud_from_points(
            image.points.reshape(-1, 3),
            image.colors.reshape(-1, 3),
            self._epoch + moment,
            _camera_frame(index),
        )
        message.height, message.width = image.points.shape[:2]
        message.row_step = message.width * message.point_step
        return message

    def _report(self) -> None:
        for loop in self._loops:
            if loop.done():
                loop.result()  # raises what ended it, and so ends the node
        self._diagnostics.publish(
            "sim_cell: controller",
            DiagnosticStatus.WARN if self._refusal else DiagnosticStatus.OK,
            self._refusal or ("moving" if self._cell.is_moving else "standing"),
            {"robot": self._cell.robot.name},
        )


def _camera_frame(index: int) -> str:
    return f"camera_{index}_optical_frame"


def main() -> int:
    """Run the simulated cell until it is interrupted."""
    return run_node(SimCellNode, "sim_cell")


if __name__ == "__main__":
    sys.exit(main())
