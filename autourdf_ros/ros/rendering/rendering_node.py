"""Predicts what a camera sees of the robot, and takes the robot from what it measures.

The node commands nothing. For every CameraInfo it publishes on `~/image`, `~/depth` and `~/mask`
what the camera sees of the robot at that stamp, and beside them the CameraInfo. What is not known
is not published, and /diagnostics says why. A cloud or an image of the camera is published without
the robot on `~/other_points` and `~/other_image`.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import CameraInfo, Image, PointCloud2

from autourdf_ros.data.bags.point_cloud2 import points_from_cloud
from autourdf_ros.data.images.image_files import metres
from autourdf_ros.data.images.image_message import DEPTH_UNIT, pixels_of
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.ros.common.conversions import image_message
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.rendering.camera_source import CameraSource
from autourdf_ros.ros.rendering.chosen_points import chosen_points
from autourdf_ros.ros.rendering.joint_source import JointSource
from autourdf_ros.ros.rendering.rendering_parameters import declare_settings
from autourdf_ros.ros.rendering.waiting_messages import WaitingMessages
from autourdf_ros.workflows.appearance.camera_correction import CameraCorrection
from autourdf_ros.workflows.appearance.drawn_robot import DrawnImage
from autourdf_ros.workflows.appearance.mesh_robot import MeshRobot, robot_of
from autourdf_ros.workflows.appearance.self_filter import CloudPixels, RobotSurface

HALF = 0.5
"""Share of a pixel that the robot covers from which the pixel is the robot's."""

MOST_SHIFT, MOST_TURN = 0.02, 0.02
"""Error of a camera's pose (m, rad) above which it is reported."""

_DRAWN = 20  # latest images whose time counts


class RenderingNode(Node):
    """The `rendering` node. Raises InputError when a parameter or the result cannot be used."""

    def __init__(self, **options: Any) -> None:
        super().__init__("rendering", **options)
        self._settings = settings = declare_settings(self)
        self._model = LiveModel(settings.model)
        if self._model.verdict == "failed" and not settings.publish_failed:
            raise InputError(
                f"{settings.model}: its verdict is failed, so it is not drawn; publish_failed: "
                "true draws it all the same"
            )
        self._robot = robot_of(settings.model)
        self._warm_up()
        self._camera = CameraSource(self, settings)
        self._joints = JointSource(
            self,
            self._model,
            settings.joint_states_topic,
            settings.longest_gap,
            settings.stale_after,
        )
        self._drawn: tuple[int, PinholeCamera, DrawnImage] | None = None
        self._surface: tuple[int, RobotSurface] | None = None
        self._seconds: deque[float] = deque(maxlen=_DRAWN)
        self._margin = float("nan")
        self._correction = CameraCorrection()
        self._outputs = {
            "image": self.create_publisher(Image, "~/image", 2),
            "depth": self.create_publisher(Image, "~/depth", 2),
            "mask": self.create_publisher(Image, "~/mask", 2),
        }
        self._other_image = self.create_publisher(Image, "~/other_image", 2)
        self._info = self.create_publisher(CameraInfo, "~/camera_info", 2)
        self._other_points = self.create_publisher(PointCloud2, "~/other_points", 2)
        self._robot_points = (
            self.create_publisher(PointCloud2, "~/robot_points", 2) if settings.only_robot else None
        )
        self._diagnostics = Diagnostics(self)
        self._waiting = self._subscribed()
        self.create_timer(0.02, self._serve)
        self.create_timer(0.2, self._connect)
        self.create_timer(1.0, self._report)

    def _warm_up(self) -> None:
        """Draw once: what has to be compiled is compiled before the first image waits for it."""
        camera = PinholeCamera(16, 16, (16.0, 16.0), (8.0, 8.0), np.eye(4))
        self._robot.draw(self._model.joint_values({}), camera)

    def _subscribed(self) -> list[WaitingMessages]:
        given = self._settings
        wanted = [
            (CameraInfo, given.camera_info_topic, self._predict),
            (PointCloud2, given.cloud_topic, self._filter_cloud),
            (Image, given.image_topic, self._filter_image),
        ]
        return [
            WaitingMessages(self, kind, topic, use, given.patience, given.reliability)
            for kind, topic, use in wanted
            if topic
        ]

    def _connect(self) -> None:
        self._joints.subscription.connect()
        for waiting in self._waiting:
            waiting.subscription.connect()

    def _serve(self) -> None:
        for waiting in self._waiting:
            waiting.serve()

    def _predict(self, info: CameraInfo) -> None:
        """Publish what the camera sees of the robot."""
        self._camera.info = info
        if not any(map(_heard, self._outputs.values())):
            return
        _, drawn = self._draw(_nanoseconds(info))
        self._info.publish(info)
        pixels = {
            "image": (drawn.color, "rgb8"),
            "depth": (drawn.depth, "32FC1"),
            "mask": (np.where(drawn.mask >= HALF, np.uint8(255), np.uint8(0)), "mono8"),
        }
        for name, (image, encoding) in pixels.items():
            if image is not None and _heard(self._outputs[name]):
                self._outputs[name].publish(image_message(image, encoding, info.header))

    def _draw(self, stamp: int) -> tuple[PinholeCamera, DrawnImage]:
        """Return camera and image of a time (ns). Raise UnknownError or InputError."""
        if self._drawn is None or self._drawn[0] != stamp:
            values = self._joints.values(stamp / 1e9)  # first: most often it is these that are late
            camera = self._camera.camera(stamp)
            camera = replace(camera, pose=camera.pose @ self._correction.pose)
            begin = time.perf_counter()
            self._drawn = stamp, camera, self._robot.draw(values, camera)
            self._seconds.append(time.perf_counter() - begin)
        return self._drawn[1:]

    def _robot_surface(self, stamp: int) -> tuple[PinholeCamera, RobotSurface]:
        camera, drawn = self._draw(stamp)
        if self._surface is None or self._surface[0] != stamp:
            self._surface = stamp, RobotSurface(drawn.depth, self._settings.filter)
        return camera, self._surface[1]

    def _filter_cloud(self, cloud: PointCloud2) -> None:
        """Publish a cloud without the robot's points, and these alone where that is asked for."""
        if not self._any_heard():
            return
        stamp = _nanoseconds(cloud)
        camera, surface = self._robot_surface(stamp)
        assert self._camera.info is not None
        points, _ = points_from_cloud(cloud)
        to_camera = self._camera.between(
            self._camera.info.header.frame_id, cloud.header.frame_id, stamp
        ).astype(points.dtype)
        placed = points @ to_camera[:3, :3].T + to_camera[:3, 3]
        pixels = CloudPixels.of(placed, camera)
        robot, self._margin = surface.of_points(pixels)
        self._correct(pixels.image(), surface, camera)
        self._other_points.publish(chosen_points(cloud, ~robot))
        if self._robot_points is not None:
            self._robot_points.publish(chosen_points(cloud, robot))

    def _filter_image(self, image: Image) -> None:
        """Publish an image without the robot: depths unknown, or colours black, where it is."""
        if not self._any_heard():
            return
        camera, surface = self._robot_surface(_nanoseconds(image))
        topic = self._settings.image_topic
        try:
            pixels = pixels_of(image)
        except ValueError as error:
            raise InputError(f"{topic}: {error}") from error
        if pixels.shape[:2] != (camera.height, camera.width):
            raise InputError(
                f"{topic} has {pixels.shape[1]} x {pixels.shape[0]} pixels, "
                f"{self._settings.camera_info_topic} {camera.width} x {camera.height}; accepted "
                "are equal sizes"
            )
        if pixels.ndim == 3:
            shown = np.where(surface.outline[..., None], np.uint8(0), pixels)
            self._other_image.publish(image_message(shown, "rgb8", image.header))
            return
        depth = metres(pixels, DEPTH_UNIT)
        robot, self._margin = surface.of_image(depth)
        self._correct(depth, surface, camera)
        nothing = pixels.dtype.type(np.nan if pixels.dtype.kind == "f" else 0)
        shown = np.where(robot, nothing, pixels)
        self._other_image.publish(image_message(shown, image.encoding, image.header))

    def _correct(
        self, depth: NDArray[np.float32], surface: RobotSurface, camera: PinholeCamera
    ) -> None:
        """Learn of a depth image (m) where the camera stands."""
        if self._settings.correct_camera:
            self._correction.see(depth, surface.depth, camera)

    def _any_heard(self) -> bool:
        others = (self._other_points, self._robot_points, self._other_image)
        return any(map(_heard, (*self._outputs.values(), *others)))

    def _report(self) -> None:
        complaints = [problem for problem in (self._joints.problem(), *self._silences()) if problem]
        complaints += [one.problem for one in self._waiting if one.problem]
        shift, turn = self._correction.shift, self._correction.turn
        if shift > MOST_SHIFT or turn > MOST_TURN:
            complaints.append(
                f"the camera seems to be {1e3 * shift:.0f} mm and {np.degrees(turn):.1f} "
                "degrees from its pose: calibrate it"
            )
        if self._model.verdict != "trusted":
            complaints.append(f"the model is {self._model.verdict}")
        meshes = isinstance(self._robot, MeshRobot)
        values: dict[str, object] = {
            "result": self._settings.model,
            "drawn from": "meshes: the result has no splats, so there is no colour image"
            if meshes
            else "splats",
        }
        for one in self._waiting:
            counts = f"{one.used} used, {one.skipped} overtaken, {one.lost} left out"
            values[one.subscription.topic] = counts
        if self._seconds:
            values["drawing (ms)"] = f"{1e3 * float(np.median(self._seconds)):.1f}"
        if np.isfinite(self._margin):
            values["margin (mm)"] = f"{1e3 * self._margin:.1f}"
            values["camera off (mm)"] = f"{1e3 * shift:.1f}"
            values["camera off (degrees)"] = f"{np.degrees(turn):.2f}"
        level = DiagnosticStatus.WARN if complaints else DiagnosticStatus.OK
        message = "; ".join(dict.fromkeys(complaints)) or "predicting"
        self._diagnostics.publish(self.get_name(), level, message, values)

    def _silences(self) -> list[str]:
        return [
            one.subscription.problem()
            for one in self._waiting
            if one.subscription.age > self._settings.stale_after
        ]


def _heard(publisher: Publisher[Any] | None) -> bool:
    return publisher is not None and bool(publisher.get_subscription_count())


def _nanoseconds(message: Any) -> int:
    stamp = message.header.stamp
    if stamp.sec < 0:
        raise InputError(f"an image or cloud is stamped {stamp.sec} s; accepted is 0 or later")
    return int(stamp.sec * 10**9 + stamp.nanosec)


def main() -> int:
    """Run the node; return 2 when a parameter or the result cannot be used."""
    return run_node(RenderingNode, "rendering")


if __name__ == "__main__":
    sys.exit(main())
