"""Measures what clouds one capture node sustains: `.venv/bin/python studies/capture_load.py`.

Starts simulated depth cameras (one process) and a robot that follows exactly (this process) on a
ROS domain of their own, lets a capture node record, and prints per stage what got through: clouds
published, received, lost and replaced by newer ones; their latency; the time of cleaning and
writing a frame. Run it on an idle machine: everything else shows in the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from own_domain import enter_own_domain
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState, PointCloud2
from tf2_ros import StaticTransformBroadcaster
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.ros.common import conversions

JOINTS = ("pan", "tilt")
LIMITS = {"lower": -1.0, "upper": 1.0, "velocity": 2.0, "acceleration": 8.0}
STAMP_OFFSET = 4  # of the header's stamp in a CDR message


def main() -> int:
    """Run the part that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cameras", type=int, default=4)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--rate", type=float, default=10.0, help="clouds of a camera (Hz)")
    parser.add_argument("--frames", type=int, default=20, help="frames to record")
    parser.add_argument("--best-effort", action="store_true", help="publish with best effort")
    parser.add_argument("--large-clouds", action="store_true",
                        help="use config/fastdds_large_clouds.xml")  # fmt: skip
    parser.add_argument("--publish", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.publish:
        return publish(args)
    with (
        tempfile.TemporaryDirectory() as folder,
        enter_own_domain(Path(folder), args.large_clouds),
    ):
        report(args, *measure(args, Path(folder)))
    return 0


def publish(args: argparse.Namespace) -> int:
    """Publish the clouds of all cameras until SIGINT; print how many of each a second."""
    rclpy.init()
    node = Node("cameras")
    kind = ReliabilityPolicy.BEST_EFFORT if args.best_effort else ReliabilityPolicy.RELIABLE
    quality = QoSProfile(depth=2, reliability=kind)
    publishers = [
        node.create_publisher(PointCloud2, f"/camera_{number}/points", quality)
        for number in range(args.cameras)
    ]
    clouds = [bytearray(serialized_cloud(args, number)) for number in range(args.cameras)]
    published = [0] * args.cameras

    def send(number: int) -> None:
        seconds, nanoseconds = node.get_clock().now().seconds_nanoseconds()
        struct.pack_into("<iI", clouds[number], STAMP_OFFSET, seconds, nanoseconds)
        publishers[number].publish(bytes(clouds[number]))
        published[number] += 1

    for number in range(args.cameras):
        node.create_timer(1 / args.rate, lambda number=number: send(number))
    began = time.monotonic()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        duration = time.monotonic() - began
        print(json.dumps([count / duration for count in published]), flush=True)
    return 0


def serialized_cloud(args: argparse.Namespace, number: int) -> bytes:
    """Return points of a robot, of the ground, outside of the box, and without depth."""
    rng = np.random.default_rng(number)
    points = rng.uniform((-3, -3, 0), (3, 3, 0.001), (args.width * args.height, 3))
    robot, nothing = len(points) // 8, len(points) // 6
    points[:robot] = rng.uniform((-0.2, -0.2, 0.05), (0.2, 0.2, 0.9), (robot, 3))
    points[-nothing:] = np.nan
    colors = rng.integers(0, 256, points.shape, np.uint8)
    cloud = conversions.cloud_from_points(points, colors, 1.0, f"camera_{number}")
    cloud.height, cloud.width = args.height, args.width
    cloud.row_step = cloud.point_step * cloud.width
    return bytes(serialize_message(cloud))


class Robot(Node):
    """Follows trajectories exactly, and receives the capture's diagnostics."""

    def __init__(self, cameras: int) -> None:
        super().__init__("robot")
        self.values: dict[str, str] = {}
        self.message = ""
        self.first: tuple[float, dict[str, str]] | None = None
        self._position = np.zeros(2)
        self._path: tuple[float, np.ndarray, np.ndarray] | None = None
        self._states = self.create_publisher(JointState, "/joint_states", 10)
        self.create_subscription(
            JointTrajectory, "/joint_trajectory_controller/joint_trajectory", self._follow, 10
        )
        self.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        self._broadcaster = StaticTransformBroadcaster(self)
        transforms = []
        for number in range(cameras):
            transforms.append(TransformStamped(child_frame_id=f"camera_{number}"))
            transforms[-1].header.frame_id = "base_link"
        self._broadcaster.sendTransform(transforms)
        self.create_timer(0.01, self._publish)

    def _follow(self, message: JointTrajectory) -> None:
        times = [0.0, *(conversions.seconds(point.time_from_start) for point in message.points)]
        points = [self._position, *(np.array(point.positions) for point in message.points)]
        self._path = time.monotonic(), np.array(times), np.array(points)

    def _publish(self) -> None:
        if self._path is not None:
            began, times, points = self._path
            elapsed = time.monotonic() - began
            self._position = np.array([np.interp(elapsed, times, column) for column in points.T])
        now = self.get_clock().now().nanoseconds * 1e-9
        positions = dict(zip(JOINTS, self._position.tolist(), strict=True))
        self._states.publish(conversions.joint_state(positions, now))

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == "capture":
                self.message = status.message
                self.values = {pair.key: pair.value for pair in status.values}
                if self.first is None and self.values["frame"] != "0":
                    self.first = time.monotonic(), self.values


def measure(
    args: argparse.Namespace, folder: Path
) -> tuple[dict[str, str], dict[str, str], list[float], float]:
    """Record; return first and last diagnostics, clouds published a second, and duration (s)."""
    parameters = {
        "allow_motion": True,
        "autostart": True,
        "recording": str(folder / "recordings"),
        "cameras": [f"/camera_{number}/points" for number in range(args.cameras)],
        "joints": list(JOINTS),
        **dict.fromkeys(JOINTS, LIMITS),
        "sequences": 1,
        "frames": args.frames,
        "speed": 1.0,
        "following_lag": 2.0,
        "joint_state_timeout": 5.0,
        "cloud_timeout": 20.0,
        "view_timeout": 30.0,
        "still_timeout": 30.0,
    }
    file = folder / "capture.yaml"
    file.write_text(json.dumps({"capture": {"ros__parameters": parameters}}))
    capture = [sys.executable, "-m", "autourdf_ros.ros.capture.capture_node"]
    log = (folder / "log").open("w+")
    node = subprocess.Popen([*capture, "--ros-args", "--params-file", str(file)], stderr=log)
    cameras = subprocess.Popen(
        [sys.executable, *sys.argv, "--publish"], stdout=subprocess.PIPE, text=True
    )
    rclpy.init()
    robot = Robot(args.cameras)
    try:
        while robot.message != "complete" and node.poll() is None:
            rclpy.spin_once(robot, timeout_sec=0.1)
            if robot.message.startswith("stopped"):
                sys.exit(robot.message)
        if node.poll() is not None:
            log.seek(0)
            sys.exit(f"the capture node ended: {log.read()}")
        ended = time.monotonic()
        cameras.send_signal(signal.SIGINT)
        published = json.loads(cameras.communicate()[0])
        assert robot.first is not None
        began, values = robot.first
        return values, robot.values, published, ended - began
    finally:
        for process in (node, cameras):
            process.terminate()
            process.wait(30)


def report(
    args: argparse.Namespace,
    first: dict[str, str],
    last: dict[str, str],
    published: list[float],
    duration: float,
) -> None:
    """Print the stages: rates between the first and the last diagnostics of the session."""
    size = args.width * args.height * 16 / 1e6
    print(
        f"{args.cameras} clouds of {args.width} x {args.height} ({size:.1f} MB) at {args.rate} Hz"
    )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load average of the machine ({os.cpu_count()} cores): {load}")
    print("camera  published/s  received/s  lost/s  replaced/s  latency (s)")
    for number, rate in enumerate(published):
        topic = f"/camera_{number}/points"
        rates = [
            (int(last[f"{topic} {name}"]) - int(first[f"{topic} {name}"])) / duration
            for name in ("received", "lost", "replaced by newer")
        ]
        columns = "  ".join(f"{value:10.1f}" for value in (rate, *rates))
        print(f"{number:6}  {columns}  {last[f'{topic} latency (s)']:>8}")
    print(f"cleaning {last['cleaning (s)']} s, writing {last['writing (s)']} s (the last frame)")
    frames = int(last["frame"]) - int(first["frame"])
    print(f"a frame every {duration / max(frames, 1):.2f} s; rejected {last['rejected frames']}")


if __name__ == "__main__":
    sys.exit(main())
