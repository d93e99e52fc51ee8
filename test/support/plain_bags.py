"""Bags as `ros2 bag record` makes them, of a simulated robot that moves and stops."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from scipy.spatial.transform import Rotation

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.topics import typestore
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.live_cell import LiveCell, MotorOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

TYPES = typestore().types
START = 1_700_000_000.0


@dataclass
class Session:
    """What a recorder heard: (topic, type, received in s, message), and the native views.

    truth: (stamp, joints, clouds (N, 3) by camera in the base frame) of every stop.
    """

    messages: list = field(default_factory=list)
    truth: list = field(default_factory=list)

    def write(self, path: Path, plugin: StoragePlugin = StoragePlugin.MCAP) -> Path:
        with Writer(path, version=8, storage_plugin=plugin) as writer:
            connections = {}
            for topic, kind, received, message in sorted(self.messages, key=lambda item: item[2]):
                if topic not in connections:
                    connections[topic] = writer.add_connection(topic, kind, typestore=typestore())
                data = typestore().serialize_cdr(message, kind)
                writer.write(connections[topic], round(received * 1e9), data)
        return path

    def without(self, *names: str) -> "Session":
        return Session([item for item in self.messages if item[0] not in names], self.truth)


def record_session(robot: SimulatedRobot, targets, joint_rate=50, cloud_rate=4) -> Session:
    """The robot goes to (D,) targets one after another and rests at each for a second."""
    cell = LiveCell(robot, CellOptions(2, 120, 90, (15, 60)), MotorOptions(), "neutral")
    session, time = Session(), 0.0
    for number, camera in enumerate(cell.cell.cameras):
        # The first camera hangs on a mount, whose own transform changes with time.
        frames = [("base_link", f"camera_{number}_link"), (f"camera_{number}_link", _eye(number))]
        poses = [camera.pose, np.eye(4)]
        if number == 0:
            poses = [camera.pose @ _mount(0.0), np.linalg.inv(_mount(0.0))]
            frames.pop(0)
            poses.pop(0)
        for pair, pose in zip(frames, poses, strict=True):
            session.messages.append(_transform("/tf_static", pair, pose, START - 5))
    for step in range(int(len(targets) * 200)):
        time = step / 100
        if step % 200 == 0:
            cell.go_to(targets[step // 200])
        cell.advance(time)
        if step % (100 // joint_rate) == 0:
            session.messages.append(_joint_state(cell.readings()[0], START + time))
        if step % 10 == 0:
            pose = cell.cell.cameras[0].pose @ _mount(0.0)
            pair = ("base_link", "camera_0_link")
            session.messages.append(_transform("/tf", pair, pose, START + time))
        if step % (100 // cloud_rate) == 3:
            for number in range(2):
                _, image = cell.measure(number)
                stamp = START + time + 0.01 * number
                session.messages.append(_cloud(image, number, stamp))
        if step % 200 == 190:
            images = [cell.measure(number)[1] for number in range(2)]
            poses = [camera.pose for camera in cell.cell.cameras]
            session.truth.append((START + time, cell.readings()[0], images, poses))
    return session


def _eye(number: int) -> str:
    return f"camera_{number}_optical"


def _mount(angle: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_euler("xyz", [0.3, angle, -0.4]).as_matrix()
    matrix[:3, 3] = 0.05, 0.02, -0.03
    return matrix


def _header(stamp: float, frame: str):
    time = TYPES["builtin_interfaces/msg/Time"](*divmod(round(stamp * 1e9), 10**9))
    return TYPES["std_msgs/msg/Header"](stamp=time, frame_id=frame)


def _transform(topic: str, frames, pose, stamp: float):
    turn = Rotation.from_matrix(pose[:3, :3]).as_quat().tolist()
    message = TYPES["geometry_msgs/msg/TransformStamped"](
        header=_header(stamp, frames[0]),
        child_frame_id=frames[1],
        transform=TYPES["geometry_msgs/msg/Transform"](
            translation=TYPES["geometry_msgs/msg/Vector3"](*pose[:3, 3].tolist()),
            rotation=TYPES["geometry_msgs/msg/Quaternion"](*turn),
        ),
    )
    kind = "tf2_msgs/msg/TFMessage"
    return topic, kind, stamp + 0.001, TYPES[kind](transforms=[message])


def _joint_state(positions, stamp: float):
    kind = topics.JOINT_STATES.type
    values = np.array(list(positions.values()))
    none = np.zeros(0)
    message = TYPES[kind](_header(stamp, ""), list(positions), values, none, none)
    return "/joint_states", kind, stamp + 0.002, message


def _cloud(image, number: int, stamp: float):
    """Organized, with NaN where nothing was seen, and padded as many drivers pad it."""
    kind, point_field = topics.CLOUD.type, TYPES["sensor_msgs/msg/PointField"]
    height, width = image.points.shape[:2]
    packed = np.zeros((height, width, 8), "<f4")
    packed[..., :3] = image.points
    colors = image.colors.astype("<u4")
    packed.view("<u4")[..., 4] = colors[..., 0] << 16 | colors[..., 1] << 8 | colors[..., 2]
    message = TYPES[kind](
        header=_header(stamp, _eye(number)),
        height=height,
        width=width,
        fields=[
            point_field(name, offset, 7, 1)
            for name, offset in (("x", 0), ("y", 4), ("z", 8), ("rgb", 16))
        ],
        is_bigendian=False,
        point_step=32,
        row_step=32 * width,
        data=packed.view(np.uint8).reshape(-1),
        is_dense=False,
    )
    return f"/camera_{number}/points", kind, stamp + 0.05, message
