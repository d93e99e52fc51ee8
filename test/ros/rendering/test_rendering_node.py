"""The rendering node and what talks to it: real messages, one process."""

import math
import time

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from made_once import copy_of
from quick_splats import QUICK, write_quick_splats
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sample_results import write_small_arm
from sensor_msgs.msg import CameraInfo, Image, JointState, PointCloud2
from synthetic_robot import MOTORS
from tf2_ros import StaticTransformBroadcaster

from autourdf_ros.data.bags.point_cloud2 import points_from_cloud
from autourdf_ros.data.images.image_message import pixels_of
from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.conversions import (
    cloud_from_points,
    image_message,
    joint_state,
    time_message,
    transform_message,
)
from autourdf_ros.ros.rendering.rendering_node import RenderingNode
from autourdf_ros.workflows.appearance.mesh_robot import MeshRobot, robot_of

POSE = look_at(np.array([0.9, 0.9, 0.8]), np.array([0.15, 0.0, 0.25]))
LENS = PinholeCamera(64, 48, (55.0, 55.0), (31.5, 23.5), POSE)
START = 1_000.0  # s, of all stamps
CAMERA = "/camera_0"


def motors(stamp):
    """Where they are at a time (s): the pan turns, the others stand."""
    return dict.fromkeys(MOTORS, 0.1) | {"shoulder-pan": 0.5 * (stamp - START)}


@pytest.fixture(scope="module")
def meshes(tmp_path_factory):
    return write_small_arm(tmp_path_factory.mktemp("results") / "arm")


@pytest.fixture(scope="module")
def splats(tmp_path_factory):
    return copy_of(QUICK, write_quick_splats, tmp_path_factory.mktemp("results") / "splats")


class Rig:
    """The node, and a driver that talks to it and hears it."""

    def __init__(self):
        self.talker = rclpy.create_node("driver")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.talker)
        make = self.talker.create_publisher
        self.joints = make(JointState, "/joint_states", 50)
        self.infos = make(CameraInfo, f"{CAMERA}/camera_info", 5)
        self.clouds = make(PointCloud2, f"{CAMERA}/points", 5)
        self.images = make(Image, f"{CAMERA}/image", 5)
        self.heard, self.statuses = {}, []
        for name in ("image", "depth", "mask", "other_image"):
            self._hear(Image, name)
        for name in ("other_points", "robot_points"):
            self._hear(PointCloud2, name)
        self._hear(CameraInfo, "camera_info")
        self.talker.create_subscription(
            DiagnosticArray, "/diagnostics", lambda m: self.statuses.extend(m.status), 50
        )
        self.broadcaster = StaticTransformBroadcaster(self.talker)
        self.node, self.stamp = None, START

    def _hear(self, kind, name):
        self.talker.create_subscription(
            kind, f"/rendering/{name}", lambda message: self.heard.update({name: message}), 5
        )

    def run(self, folder, **parameters):
        given = {"model": str(folder), "patience": 0.3, "stale_after": 0.5} | parameters
        self.node = RenderingNode(
            parameter_overrides=[Parameter(name, value=value) for name, value in given.items()]
        )
        self.executor.add_node(self.node)

    def place(self):
        pose = TransformStamped(child_frame_id="lens", transform=transform_message(POSE))
        pose.header.frame_id = "base_link"
        self.broadcaster.sendTransform(pose)

    def info(self, **changes):
        message = CameraInfo(width=LENS.width, height=LENS.height, distortion_model="plumb_bob")
        message.header.frame_id = "lens"
        message.header.stamp = time_message(self.stamp + 0.013)  # between two joint states
        (fx, fy), (cx, cy) = LENS.focal, LENS.principal
        message.k = [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0]
        for name, value in changes.items():
            setattr(message, name, value)
        return message

    def send_joints(self, names=None):
        """Send joint states until past the image that comes next."""
        for stamp in (self.stamp, self.stamp + 0.02):
            given = motors(stamp)
            names = names or {name: name for name in given}
            positions = {names[name]: value for name, value in given.items() if name in names}
            self.joints.publish(joint_state(positions, stamp))
        self.stamp += 0.02

    def until(self, condition, action=lambda: None, timeout=30.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, [status.message for status in self.statuses][-3:]
            action()
            for _ in range(10):
                self.executor.spin_once(timeout_sec=0.005)

    def says(self, text, action):
        self.statuses.clear()
        self.until(
            lambda: any(s.name == "rendering" and text in s.message for s in self.statuses), action
        )

    def drive(self, *others, **info):
        """What a driver sends in a turn."""

        def act():
            self.infos.publish(self.info(**info))
            for publisher, message in others:
                message.header = self.info().header
                publisher.publish(message)
            self.send_joints()

        return act

    def close(self):
        if self.node is not None:
            self.executor.remove_node(self.node)
            self.node.destroy_node()
        self.executor.shutdown()
        self.talker.destroy_node()


@pytest.fixture
def rig(ros):
    rig = Rig()
    yield rig
    rig.close()


def expected(folder, message):
    """What the camera sees of the robot at the stamp of a message."""
    stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
    return robot_of(folder).draw(motors(stamp), LENS)


@pytest.mark.parametrize("kind", ["meshes", "splats"])
def test_what_the_camera_sees_is_predicted_at_its_stamp(rig, kind, request):
    folder = request.getfixturevalue(kind)
    rig.run(folder)
    rig.place()
    wanted = {"depth", "mask", "camera_info"} | ({"image"} if kind == "splats" else set())
    rig.until(lambda: wanted <= rig.heard.keys(), rig.drive())
    assert ("image" in rig.heard) == (kind == "splats")
    depth, mask = rig.heard["depth"], rig.heard["mask"]
    assert depth.header.frame_id == mask.header.frame_id == "lens"
    drawn = expected(folder, depth)
    np.testing.assert_allclose(pixels_of(depth), drawn.depth, atol=1e-6)
    assert np.isfinite(drawn.depth).sum() > 100
    assert mask.encoding == "mono8" and set(mask.data) == {0, 255}
    shown = np.reshape(mask.data, (48, 64)) > 0
    assert (shown == (expected(folder, mask).mask >= 0.5)).all()
    if kind == "splats":
        image = rig.heard["image"]
        assert (pixels_of(image) == expected(folder, image).color).all()
    rig.says("predicting", rig.drive())
    (meshes,) = [v.value for v in rig.statuses[-1].values if v.key == "drawn from"]
    assert meshes.startswith(kind)


def test_the_robot_is_taken_from_clouds_and_images(rig, meshes):
    rig.run(meshes, cloud_topic=f"{CAMERA}/points", image_topic=f"{CAMERA}/image", only_robot=True)
    rig.place()
    drawn = MeshRobot(meshes).draw(motors(START), LENS)
    wall = np.float32(3.0)
    measured = np.where(np.isfinite(drawn.depth), drawn.depth, wall).astype(np.float32)
    measured[0, :5] = np.nan
    points = (LENS.directions * measured[..., None]).reshape(-1, 3)
    cloud = cloud_from_points(points, None, START, "lens")
    depth = image_message(measured, "32FC1", rig.info().header)
    # The arm's first joint must not turn: one measurement is sent again and again.
    rig.stamp = START - 1e-9

    def still():
        rig.infos.publish(rig.info())
        for publisher, message in ((rig.clouds, cloud), (rig.images, depth)):
            message.header = rig.info().header
            publisher.publish(message)
        for stamp in (rig.stamp, rig.stamp + 0.02):
            rig.joints.publish(joint_state(motors(START), stamp))
        rig.stamp += 0.02

    wanted = {"other_points", "robot_points", "other_image"}
    rig.until(lambda: wanted <= rig.heard.keys(), still)
    others, _ = points_from_cloud(rig.heard["other_points"])
    robot, _ = points_from_cloud(rig.heard["robot_points"])
    assert len(others) + len(robot) == len(points)
    on_robot = np.isfinite(drawn.depth).sum()
    assert len(robot) == on_robot and np.isfinite(robot).all()
    assert np.isclose(others[:, 2], wall).sum() == (measured == wall).sum()
    left = pixels_of(rig.heard["other_image"])
    assert np.isnan(left[np.isfinite(drawn.depth)]).all()
    assert (left[measured == wall] == wall).all()


def test_colours_are_black_where_the_robot_may_be_seen(rig, meshes):
    rig.run(meshes, image_topic=f"{CAMERA}/image", edge=0)
    rig.place()
    white = image_message(np.full((48, 64, 3), 255, np.uint8), "bgr8", rig.info().header)
    rig.until(lambda: "other_image" in rig.heard, rig.drive((rig.images, white)))
    left = rig.heard["other_image"]
    assert ((pixels_of(left) == 0).all(2) == np.isfinite(expected(meshes, left).depth)).all()


def test_what_is_not_known_is_named_and_not_predicted(rig, meshes):
    rig.run(meshes)
    rig.says("no message on /camera_0/camera_info", rig.send_joints)
    rig.says("no transform from 'lens' to 'base_link'", rig.drive())
    rig.place()
    rig.says("distortion", rig.drive(d=[0.1, 0.0, 0.0, 0.0, 0.0]))
    rig.heard.clear()  # those that had waited for the transform
    rig.says("distortion", rig.drive(d=[0.1, 0.0, 0.0, 0.0, 0.0]))
    rig.says("not finite", rig.drive(k=[math.nan] * 9))
    rig.says("part of the image", rig.drive(binning_x=2))
    assert not rig.heard.keys() & {"depth", "mask"}
    rig.says("predicting", rig.drive())
    others = {"shoulder-pan": "pan", "slide": "rail"}
    rig.says(
        "/joint_states has no arm/lift, shoulder-pan, slide, spin; it has pan, rail",
        lambda: rig.send_joints(others),
    )
    rig.heard.clear()
    silent = lambda: rig.infos.publish(rig.info())  # noqa: E731
    rig.says("joint_states", silent)
    assert not rig.heard.keys() & {"depth", "mask"}
    rig.says("predicting", rig.drive())


def test_joint_states_that_pause_or_are_late_give_no_prediction(rig, meshes):
    rig.run(meshes)
    rig.place()
    rig.says("predicting", rig.drive())

    def late():
        rig.send_joints()
        rig.infos.publish(rig.info(header=stamped(rig, 5.0)))

    rig.says("before the image", late)

    def pausing():
        rig.send_joints()
        rig.stamp += 0.5
        rig.infos.publish(rig.info(header=stamped(rig, -0.25)))

    rig.says("longest_gap", pausing)


def stamped(rig, later):
    header = rig.info().header
    header.stamp = time_message(rig.stamp + later)
    return header


def test_a_folder_or_pose_that_cannot_be_used_is_refused(ros, tmp_path, meshes):
    for given, named in (
        ({"model": str(tmp_path)}, "reconstruction.json"),
        ({"model": str(meshes), "camera_pose": [1.0, 2.0]}, "camera_pose"),
        ({"model": str(meshes), "camera_pose": [0.0] * 7}, "camera_pose"),
    ):
        with pytest.raises(InputError, match=named):
            RenderingNode(parameter_overrides=[Parameter(k, value=v) for k, v in given.items()])


def test_a_camera_whose_pose_is_a_parameter_needs_no_transform(rig, meshes):
    quaternion = transform_message(POSE).rotation
    turn = [quaternion.x, quaternion.y, quaternion.z, quaternion.w]
    rig.run(meshes, camera_pose=[*POSE[:3, 3].tolist(), *turn])
    rig.until(lambda: "depth" in rig.heard, rig.drive())
    drawn = expected(meshes, rig.heard["depth"])
    np.testing.assert_allclose(pixels_of(rig.heard["depth"]), drawn.depth, atol=1e-4)
