"""Clouds that one monitor node can process: `studies/monitor_load.py RESULT`, a result folder.

Two simulated depth cameras before a wall (one process) see the model itself, moving to and fro,
with a hundred joint states a second, all on a ROS domain of their own. The node learns, then works
for `--seconds`. Printed are what got through of every camera, how long the work on a cloud took,
and the node's share of a core and resident set. The clouds are made before and repeat. Run it on an
idle machine: other load shows in the figures.
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
from contextlib import suppress
from pathlib import Path

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from monitor_soak import NOISE, cameras, ranges
from numpy.typing import NDArray
from own_domain import enter_own_domain
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState, PointCloud2
from tf2_ros import StaticTransformBroadcaster

from autourdf_ros.monitoring.observing.watched_model import WatchedModel, load_watched_model
from autourdf_ros.ros.common import conversions
from autourdf_ros.simulation.cameras.pinhole_camera import Intrinsics

FIELD = 50.0  # degrees
CYCLE = 12.0  # s, after which the motion repeats
REACH = 0.4  # rad, or ten times m
STATES = 100.0  # joint states a second
WALL = 3.0  # m
STAMP_OFFSET = 4  # of the header's stamp in a CDR message
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Run the part that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--rate", type=float, default=5.0, help="clouds of a camera (Hz)")
    parser.add_argument("--learning", type=float, default=60.0, help="s")
    parser.add_argument("--seconds", type=float, default=60.0, help="measured, after learning")
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
        measure(args, Path(folder))
    return 0


def readings(model: WatchedModel, seconds: float) -> dict[str, float]:
    """Of all motors, at a time of the cycle."""
    turns = np.abs(model.gear[model.articulation.revolute]).sum(axis=0) > 0
    waves = 2 * np.pi * seconds / CYCLE * (1 + np.arange(len(turns)) % 3) + np.arange(len(turns))
    row = model.transmission.readings_at_reference + np.where(turns, REACH, REACH / 10) * np.sin(
        waves
    )
    return dict(zip(model.motors, row.tolist(), strict=True))


def publish(args: argparse.Namespace) -> int:
    """Publish clouds and joint states until SIGINT."""
    model = load_watched_model(args.result)
    lens = Intrinsics.from_field_of_view(args.width, args.height, FIELD)
    placed = cameras(model, lens)
    count = round(CYCLE * args.rate)
    rng = np.random.default_rng(0)
    clouds: dict[str, list[bytearray]] = {name: [] for name in placed}
    for number in range(count):
        there = readings(model, number / args.rate)
        for name, camera in placed.items():
            depths = np.minimum(ranges(model, there, camera), WALL)
            depths = depths + rng.normal(0, NOISE, depths.shape)
            points = camera.intrinsics.directions.reshape(-1, 3) * depths[:, None]
            clouds[name].append(bytearray(serialized(points, name, args)))
    rclpy.init()
    node = Node("cell")
    broadcaster = StaticTransformBroadcaster(node)
    transforms = []
    for name, camera in placed.items():
        placed = TransformStamped(
            child_frame_id=name, transform=conversions.transform_message(camera.pose)
        )
        placed.header.frame_id = "base_link"
        transforms.append(placed)
    broadcaster.sendTransform(transforms)
    states = node.create_publisher(JointState, "/joint_states", 10)
    publishers = {name: node.create_publisher(PointCloud2, f"/{name}/points", 2) for name in placed}
    began = node.get_clock().now().nanoseconds * 1e-9
    sent = dict.fromkeys(placed, 0)

    def state() -> None:
        now = node.get_clock().now().nanoseconds * 1e-9
        states.publish(conversions.joint_state(readings(model, now - began), now))

    def send(name: str) -> None:
        # What was rendered is shown with the stamp at which the motors read so.
        number = sent[name]
        whole, part = divmod(began + (number + 1) / args.rate, 1.0)
        message = clouds[name][(number + 1) % count]
        struct.pack_into("<iI", message, STAMP_OFFSET, int(whole), int(part * 1e9))
        publishers[name].publish(bytes(message))
        sent[name] += 1

    node.create_timer(1 / STATES, state)
    for name in placed:
        node.create_timer(1 / args.rate, lambda name=name: send(name))
    print("ready", flush=True)
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)
    return 0


def serialized(points: NDArray[np.float64], frame: str, args: argparse.Namespace) -> bytes:
    """A PointCloud2 as an image of points."""
    cloud = conversions.cloud_from_points(points.astype(np.float32), None, 1.0, frame)
    cloud.height, cloud.width = args.height, args.width
    cloud.row_step = cloud.point_step * cloud.width
    return bytes(serialize_message(cloud))


class Listener(Node):
    """Collects the monitor's diagnostics."""

    def __init__(self) -> None:
        super().__init__("listener")
        self.message, self.values = "", dict[str, str]()
        self.processing: list[float] = []
        self.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == "monitor":
                self.message = status.message
                self.values = {pair.key: pair.value for pair in status.values}
                self.processing.append(float(self.values["processing (s)"]))


def measure(args: argparse.Namespace, folder: Path) -> None:
    """Run the node and print the figures."""
    parameters = {
        "history": str(folder / "models"),
        "result": str(args.result.resolve()),
        "cameras": ["/left/points", "/right/points"],
        "learning": args.learning,
    }
    file = folder / "monitor.yaml"
    file.write_text(json.dumps({"monitor": {"ros__parameters": parameters}}))
    publisher = subprocess.Popen(
        [sys.executable, *sys.argv, "--publish"], stdout=subprocess.PIPE, text=True
    )
    assert publisher.stdout is not None
    publisher.stdout.readline()
    command = [sys.executable, "-m", "autourdf_ros.ros.monitor.monitor_node"]
    node = subprocess.Popen([*command, "--ros-args", "--params-file", str(file)])
    rclpy.init()
    listener = Listener()
    try:
        until = time.monotonic() + args.learning + 60.0
        while not listener.message.startswith("watching"):
            rclpy.spin_once(listener, timeout_sec=0.2)
            if node.poll() is not None or time.monotonic() > until:
                sys.exit(f"the monitor does not watch: {listener.message or 'it says nothing'}")
        first, used, began = listener.values, processor_seconds(node.pid), time.monotonic()
        listener.processing.clear()
        sizes, alarms = [resident(node.pid)], set[str]()
        while time.monotonic() < began + args.seconds:
            rclpy.spin_once(listener, timeout_sec=0.2)
            sizes.append(resident(node.pid))
            alarms |= {listener.message} - {"watching"}
        duration = time.monotonic() - began
        share = (processor_seconds(node.pid) - used) / duration
        last = listener.values
    finally:
        for process in (node, publisher):
            process.terminate()
            process.wait(30)
    print(f"2 clouds of {args.width} x {args.height} at {args.rate} Hz, {duration:.0f} s")
    print("camera  received/s  not judged/s  lost/s  arrival (s)")
    for name in ("left", "right"):
        rates = [
            (int(last[f"/{name}/points {what}"]) - int(first[f"/{name}/points {what}"])) / duration
            for what in ("received", "replaced by newer", "lost")
        ]
        columns = "  ".join(f"{value:10.2f}" for value in rates)
        print(f"{name:6}  {columns}  {last[f'/{name}/points latency (s)']:>10}")
    work = np.array(listener.processing)
    print(f"work on a cloud: median {np.median(work):.3f} s, most {work.max():.3f} s")
    print(f"{share:.2f} of a core; resident {sizes[0]:.0f} MiB, at most {max(sizes):.0f} MiB")
    print(f"reported: {'; '.join(sorted(alarms)) or 'nothing'}")


def processor_seconds(process: int) -> float:
    """Seconds of processor time that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(process: int) -> float:
    """Resident set size (MiB)."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


if __name__ == "__main__":
    sys.exit(main())
