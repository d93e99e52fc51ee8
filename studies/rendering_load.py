"""Measures the images that a rendering node publishes: `python studies/rendering_load.py OUT`.

Starts the node with the result folder OUT on a ROS domain of its own, turns the robot, sends
`CameraInfo` (and clouds, with --clouds), and prints how many images of each kind came a second, how
old they were, and what the node took of a processor. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import rclpy
from own_domain import enter_own_domain
from rclpy.node import Node
from rclpy.serialization import serialize_message
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import CameraInfo, Image, JointState, PointCloud2

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.ros.common import conversions

KINDS = ("image", "depth", "mask")
STATES = 100.0  # joint states a second
WARMING = 10.0  # s after the first image that do not count: code is compiled
STAMP_OFFSET = 4  # of the header's stamp in a CDR message
FOCAL = 600.0  # px, at a width of 640


def main() -> int:
    """Start, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--rate", type=float, default=30.0, help="CameraInfo a second")
    parser.add_argument("--clouds", action="store_true", help="clouds beside, from which to filter")
    parser.add_argument("--large-clouds", action="store_true",
                        help="use config/fastdds_large_clouds.xml")  # fmt: skip
    parser.add_argument("--distance", type=float, default=2.0, help="m, of the camera")
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, enter_own_domain(Path(folder), args.large_clouds):
        measure(args, Path(folder))
    return 0


class Talker(Node):
    """Turns the robot, sends what a camera sends, and counts what comes back."""

    def __init__(self, args: argparse.Namespace, motors: list[str]) -> None:
        super().__init__("talker")
        self.ages: dict[str, list[float]] = defaultdict(list)
        self.sent = 0
        self._motors = motors
        self._states = self.create_publisher(JointState, "/joint_states", 50)
        self._infos = self.create_publisher(CameraInfo, "/camera_0/camera_info", 5)
        self._clouds = self.create_publisher(PointCloud2, "/camera_0/points", 5)
        focal = FOCAL * args.width / 640
        self._lens = [focal, 0.0, args.width / 2, 0.0, focal, args.height / 2, 0.0, 0.0, 1.0]
        self._size = args.width, args.height
        rng = np.random.default_rng(0)
        depths = rng.uniform(1, 3, (args.height * args.width, 1))
        pixels = np.indices((args.height, args.width))[::-1].reshape(2, -1).T
        rays = (pixels - [args.width / 2, args.height / 2]) / focal
        points = np.column_stack([rays, np.ones(len(rays))]) * depths
        cloud = conversions.cloud_from_points(points, None, 0.0, "camera_0")
        cloud.height, cloud.width = args.height, args.width
        cloud.row_step = cloud.point_step * cloud.width
        self._cloud = bytearray(serialize_message(cloud)) if args.clouds else None
        for kind in (*KINDS, *(("other_points",) if args.clouds else ())):
            what = PointCloud2 if kind == "other_points" else Image
            self.create_subscription(what, f"/rendering/{kind}", self._counter(kind), 10)
        self.create_timer(1 / STATES, self._send_states)
        self.create_timer(1 / args.rate, self._send_camera)

    def _counter(self, kind: str):  # type: ignore[no-untyped-def]
        def count(message: Image | PointCloud2) -> None:
            self.ages[kind].append(self._now() - conversions.seconds(message.header.stamp))

        return count

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def _send_states(self) -> None:
        now = self._now()
        values = 0.4 * np.sin(0.3 * now + np.arange(len(self._motors)))
        positions = dict(zip(self._motors, values.tolist(), strict=True))
        self._states.publish(conversions.joint_state(positions, now))

    def _send_camera(self) -> None:
        info = CameraInfo(width=self._size[0], height=self._size[1], k=self._lens)
        info.header.stamp = self.get_clock().now().to_msg()
        info.header.frame_id = "camera_0"
        info.p = [*self._lens[:3], 0.0, *self._lens[3:6], 0.0, *self._lens[6:], 0.0]
        info.distortion_model, info.d = "plumb_bob", [0.0] * 5
        if self._cloud is not None:
            stamp = info.header.stamp
            struct.pack_into("<iI", self._cloud, STAMP_OFFSET, stamp.sec, stamp.nanosec)
            self._clouds.publish(bytes(self._cloud))
        self._infos.publish(info)
        self.sent += 1


def measure(args: argparse.Namespace, folder: Path) -> None:
    """Run the node and print what it does."""
    motors = [drive.motor for drive in LiveModel(args.out).drives]
    pose = look_at(args.distance * np.array([0.7, 0.5, 0.5]), np.array([0.0, 0.0, 0.4]))
    parameters = {
        "model": str(args.out.resolve()),
        "camera_pose": [*pose[:3, 3].tolist(), *Rotation.from_matrix(pose[:3, :3]).as_quat()],
        "publish_failed": True,
        **({"cloud_topic": "/camera_0/points"} if args.clouds else {}),
    }
    file = folder / "rendering.yaml"
    file.write_text(json.dumps({"rendering": {"ros__parameters": parameters}}))
    node = [sys.executable, "-m", "autourdf_ros.ros.rendering.rendering_node"]
    process = subprocess.Popen([*node, "--ros-args", "--params-file", str(file)])
    rclpy.init()
    talker = Talker(args, motors)
    try:
        while not talker.ages and process.poll() is None:
            rclpy.spin_once(talker, timeout_sec=0.1)
        until(talker, WARMING)
        talker.ages.clear()
        talker.sent = 0
        busy, begin = processor_seconds(process.pid), time.monotonic()
        until(talker, args.seconds)
        seconds = time.monotonic() - begin
        busy = processor_seconds(process.pid) - busy
    finally:
        process.terminate()
        process.wait(30)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{args.width} x {args.height}; load average {load}")
    print(f"{talker.sent / seconds:.1f} of {args.rate} CameraInfo a second were sent")
    for kind, ages in talker.ages.items():
        age = 1e3 * np.percentile(ages, [50, 95])
        print(f"{kind:12} {len(ages) / seconds:5.1f} Hz, age {age[0]:.0f} ms, 95 % {age[1]:.0f} ms")
    print(f"the node takes {busy / seconds:.0%} of a processor")


def until(talker: Talker, seconds: float) -> None:
    """Let the talker work for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(talker, timeout_sec=0.05)


def processor_seconds(pid: int) -> float:
    """Return the processor seconds that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
