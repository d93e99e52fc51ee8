"""Checks a running robot description as any other program on the network would.

Run as a program; prints one JSON object. It knows only the topic and the fixed frame.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
from tf2_ros import Buffer, TransformException, TransformListener
from urchin import URDF

from autourdf_ros.ros.common.quality import LATCHED


class ExternalObserver(Node):
    """Receives the description and the transforms, once it listens.

    Attributes:
        description: the URDF as text; None until it comes.
        buffer: of the transforms.
    """

    def __init__(self) -> None:
        """Join the graph: to find the others takes up to three seconds."""
        super().__init__("external_observer")
        self.description: str | None = None
        self.buffer = Buffer()

    def listen(self, topic: str) -> None:
        """Subscribe to `topic` and to TF, late: what was published before must come as well."""
        self._listener = TransformListener(self.buffer, self)
        self.create_subscription(String, topic, self._on_description, LATCHED)

    def _on_description(self, message: String) -> None:
        self.description = message.data

    def missing(self, fixed_frame: str, links: list[str]) -> list[str]:
        """Return the links whose transform from the fixed frame has not arrived."""
        return [link for link in links if not self._arrived(fixed_frame, link)]

    def _arrived(self, fixed_frame: str, link: str) -> bool:
        try:
            self.buffer.lookup_transform(fixed_frame, link, rclpy.time.Time())
        except TransformException:
            return False
        return True


def parse(description: str) -> URDF:
    """Parse a description from a file, since URDF.load reads files only."""
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(description)
        file.flush()
        return URDF.load(file.name, lazy_load_meshes=True)


def mesh_files(robot: URDF) -> list[str]:
    """Return the paths of all meshes that the description gives by `file://`."""
    shapes = [item.geometry for link in robot.links for item in (*link.visuals, *link.collisions)]
    names = [shape.mesh.filename for shape in shapes if shape.mesh is not None]
    return sorted({name.removeprefix("file://") for name in names if name.startswith("file://")})


def observe(
    node: ExternalObserver, topic: str, fixed_frame: str, prefix: str, timeout: float
) -> dict[str, Any]:
    """Wait for the description and for the transform of every link.

    Args:
        node: has joined the graph.
        topic: of the description.
        fixed_frame: name of the root link.
        prefix: is put before every frame.
        timeout: longest wait (s).

    Returns:
        Names of robot, links and joints, and what is missing; or an error.
    """
    node.listen(topic)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    deadline = time.monotonic() + timeout
    try:
        while node.description is None and time.monotonic() < deadline:
            executor.spin_once(timeout_sec=0.1)
        if node.description is None:
            return {"error": f"no message on {topic} within {timeout:.0f} s"}
        try:
            robot = parse(node.description)
        except Exception as error:
            return {"error": f"the message on {topic} does not parse: {error}"}
        links = [prefix + link.name for link in robot.links]
        while (missing := node.missing(prefix + fixed_frame, links)) and (
            time.monotonic() < deadline
        ):
            executor.spin_once(timeout_sec=0.1)
        return {
            "robot": robot.name,
            "links": links,
            "joints": [joint.name for joint in robot.joints if joint.joint_type != "fixed"],
            "missing": missing,
            "missing_meshes": [path for path in mesh_files(robot) if not Path(path).is_file()],
        }
    finally:
        executor.shutdown()


def main() -> None:
    """Print the findings."""
    parser = argparse.ArgumentParser(description="Check a live robot description over DDS.")
    parser.add_argument("--topic", default="/robot_description")
    parser.add_argument("--fixed-frame", default="base_link")
    parser.add_argument("--frame-prefix", default="")
    parser.add_argument("--timeout", type=float, default=15.0, help="seconds")
    parser.add_argument("--wait", action="store_true", help="for a line on standard input, first")
    args = parser.parse_args()
    # A signal ends it, also while it waits for a line.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = ExternalObserver()
    try:
        if args.wait and not sys.stdin.readline():
            return  # whoever started it has gone
        seen = observe(node, args.topic, args.fixed_frame, args.frame_prefix, args.timeout)
        print(json.dumps(seen))
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
