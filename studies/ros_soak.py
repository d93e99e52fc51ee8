"""Checks that a node's memory, threads and files stay constant under many messages.

`.venv/bin/python studies/ros_soak.py monitor|capture --joint-states 1000000 --clouds 2000` runs the
node as a process in a DDS domain of its own and sends it joint states of an arm that moves, and
clouds of it as two cameras see it. Twenty times it prints the node's resident set, threads and open
files. It passes (exit code 0) if after the first quarter the resident set stays within 5 %, and
threads and files stay constant.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support" / "ros"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from live import node_process
from repaired_arm import CAMERAS, depth_points, written_arm
from sensor_msgs.msg import JointState, PointCloud2
from tf2_ros import StaticTransformBroadcaster

from autourdf_ros.domain import claim_domain
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.ros.common import conversions
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics

LENS = Intrinsics(80, 60, 70.0)
POSES = 25  # of the arm, which come again and again
ROWS, WARM_UP = 20, 5
MOST_INCREASE = 0.05


class Sender:
    """An arm that goes through its poses, at given times (s) of its own clock."""

    def __init__(self, result: Path, points: int | None) -> None:
        """Create it; points is the size of every cloud, repeated; None: all of a view."""
        model, rng = load_watched_model(result), np.random.default_rng(0)
        phase = 2 * np.pi * np.arange(POSES) / POSES
        self.node = rclpy.create_node("sender")
        self._readings = [
            {
                "shoulder-pan": 0.4 * np.sin(one),
                "arm/lift": -0.15 + 0.3 * np.sin(2 * one),
                "slide": 0.02 + 0.03 * np.sin(3 * one),
                "spin": 0.7,
            }
            for one in phase
        ]
        self._clouds = [
            {
                name: depth_points(model, readings, Camera(LENS, pose), rng)
                for name, pose in CAMERAS.items()
            }
            for readings in self._readings
        ]
        self.joints = self.node.create_publisher(JointState, "/joint_states", 50)
        self._points = points
        self._cameras = {
            name: self.node.create_publisher(PointCloud2, f"/{name}/points", 5) for name in CAMERAS
        }
        self._reported: dict[str, str] = {}
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._broadcaster = StaticTransformBroadcaster(self.node)
        transforms = []
        for name, pose in CAMERAS.items():
            one = TransformStamped(
                child_frame_id=name, transform=conversions.transform_message(pose)
            )
            one.header.frame_id = "base_link"
            transforms.append(one)
        self._broadcaster.sendTransform(transforms)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self._reported |= {pair.key: pair.value for pair in status.values}

    def print_counts(self) -> None:
        """Print what the node reports to have received."""
        end = time.monotonic() + 10.0
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        counts = {key: value for key, value in self._reported.items() if "points" in key}
        print(", ".join(f"{key}: {value}" for key, value in sorted(counts.items())))

    def send_states(self, count: int, step: int, start: float, end: float, pause: float) -> None:
        """Send joint states of one pose, with stamps (s) from start to end."""
        message = conversions.joint_state(self._readings[step % POSES], start)
        for number in range(count):
            stamp = start + (end - start) * number / count
            message.header.stamp = conversions.time_message(stamp)
            self.joints.publish(message)
            if number % 20 == 19:
                time.sleep(pause)

    def send_clouds(self, step: int, stamp: float) -> None:
        """Send the views of the cameras in that pose."""
        for name, points in self._clouds[step % POSES].items():
            shown = np.resize(points, (self._points or len(points), 3))
            cloud = conversions.cloud_from_points(shown, None, stamp, name)
            self._cameras[name].publish(cloud)


def held(process: int) -> tuple[float, int, int]:
    """Resident set (MiB), threads and open files of a process."""
    folder = Path(f"/proc/{process}")
    lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    resident = int(lines["VmRSS"].split()[0]) / 1024
    return resident, int(lines["Threads"]), len(list((folder / "fd").iterdir()))


def soak(process: int, sender: Sender, states: int, clouds: int, rate: float) -> bool:
    """Send everything, and print what the node holds. Return whether it stays flat."""
    steps = clouds // len(CAMERAS)
    rows = []
    print("| joint states | clouds | RSS (MiB) | threads | files | s |")
    print("|---" * 6 + "|")
    began = time.monotonic()
    for step in range(steps):
        start = 1000.0 + 0.5 * step
        count = states * (step + 1) // steps - states * step // steps
        sender.send_states(count // 2, step, start, start + 0.25, 20 / rate)
        sender.send_clouds(step, start + 0.25)
        sender.send_states(count - count // 2, step, start + 0.25, start + 0.5, 20 / rate)
        if (step + 1) * ROWS // steps > step * ROWS // steps:
            rows.append(held(process))
            sent = f"{states * (step + 1) // steps} | {len(CAMERAS) * (step + 1)}"
            resident, threads, files = rows[-1]
            took = time.monotonic() - began
            print(f"| {sent} | {resident:.1f} | {threads} | {files} | {took:.0f} |", flush=True)
    sender.print_counts()
    return is_flat(rows)


def is_flat(rows: list[tuple[float, int, int]]) -> bool:
    """Return whether what a process `held` stays the same after the warm-up."""
    warm = np.array(rows[WARM_UP - 1 :])
    increase = float(warm[-1, 0] / warm[0, 0] - 1)
    spread = float(np.ptp(warm[:, 0]) / warm[0, 0])
    print(f"resident set after the warm-up: {100 * increase:+.2f} %, within {100 * spread:.2f} %")
    return spread <= MOST_INCREASE and bool((warm[-1, 1:] <= warm[:WARM_UP, 1:].max(axis=0)).all())


def parameters(node: str, folder: Path) -> dict[str, object]:
    """Return the parameters of the node; the capture may not move anything."""
    cameras = "[" + ", ".join(f"/{name}/points" for name in CAMERAS) + "]"
    if node == "monitor":
        return {"cameras": cameras, "history": folder / "models", "result": folder / "arm"}
    limits = {"lower": -2.0, "upper": 2.0, "velocity": 1.0, "acceleration": 1.0}
    joints = ("spin", "slide")  # names that -p can take
    named = {f"{joint}.{name}": value for joint in joints for name, value in limits.items()}
    return {"cameras": cameras, "joints": f"[{', '.join(joints)}]", **named}


def main() -> int:
    """Run the study; return 1 where anything increases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("node", choices=("monitor", "capture"))
    parser.add_argument("--joint-states", type=int, default=1_000_000)
    parser.add_argument("--clouds", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=10_000.0, help="of joint states at most (Hz)")
    parser.add_argument("--points", type=int, help="points of a cloud, which is repeated")
    given = parser.parse_args()
    domain, held_domain = claim_domain()
    os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    print(f"DDS domain {domain}")
    rclpy.init()
    with tempfile.TemporaryDirectory(prefix="soak_") as name:
        folder = Path(name)
        sender = Sender(written_arm(folder / "arm"), given.points)
        with node_process(
            f"{given.node}_node", parameters=parameters(given.node, folder)
        ) as process:
            while not sender.joints.get_subscription_count():
                assert process.poll() is None, process.stdout and process.stdout.read()
                time.sleep(0.2)
            flat = soak(process.pid, sender, given.joint_states, given.clouds, given.rate)
            alive = process.poll() is None
        sender.node.destroy_node()
        rclpy.try_shutdown()
    held_domain.close()
    print("flat" if flat and alive else "NOT flat, or ended")
    return 0 if flat and alive else 1


if __name__ == "__main__":
    sys.exit(main())
