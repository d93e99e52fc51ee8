"""Bags of a depth camera that stands still."""

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from scipy.spatial.transform import Rotation

from autourdf_ros.data.bags.topics import typestore

TYPES = typestore().types
START, PERIOD, SIZE = 1_700_000_000 * 10**9, 33_333_333, (6, 4)
DEPTH, COLOR, INFO = "/cam/depth/image", "/cam/color/image", "/cam/depth/camera_info"
POSE = np.eye(4)
POSE[:3, :3] = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
POSE[:3, 3] = 1, 2, 3


def header(stamp, frame="optical"):
    time = TYPES["builtin_interfaces/msg/Time"](*divmod(int(stamp), 10**9))
    return TYPES["std_msgs/msg/Header"](stamp=time, frame_id=frame)


def image(stamp, pixels, encoding, padding=0, big=False):
    kind = pixels.dtype.newbyteorder(">" if big else "<")
    rows = pixels.astype(kind).reshape(len(pixels), -1).view(np.uint8)
    rows = np.pad(rows, [(0, 0), (0, padding)])
    return TYPES["sensor_msgs/msg/Image"](
        header=header(stamp),
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding=encoding,
        is_bigendian=int(big),
        step=rows.shape[1],
        data=rows.ravel(),
    )


def info(size=SIZE, d=(0.0,) * 5):
    region = TYPES["sensor_msgs/msg/RegionOfInterest"](0, 0, 0, 0, False)
    return TYPES["sensor_msgs/msg/CameraInfo"](
        header=header(START),
        height=size[1],
        width=size[0],
        distortion_model="plumb_bob",
        d=np.array(d),
        k=np.array([5, 0, 2.5, 0, 6, 1.5, 0, 0, 1.0]),
        r=np.eye(3).ravel(),
        p=np.array([4, 0, 2.5, 0, 0, 6, 1.5, 0, 0, 0, 1.0, 0]),
        binning_x=0,
        binning_y=0,
        roi=region,
    )


def transform(stamp, pose=POSE, parent="world"):
    turn = Rotation.from_matrix(pose[:3, :3]).as_quat()
    content = TYPES["geometry_msgs/msg/Transform"](
        translation=TYPES["geometry_msgs/msg/Vector3"](*pose[:3, 3]),
        rotation=TYPES["geometry_msgs/msg/Quaternion"](*turn),
    )
    stamped = TYPES["geometry_msgs/msg/TransformStamped"](
        header=header(stamp, parent), child_frame_id="optical", transform=content
    )
    return TYPES["tf2_msgs/msg/TFMessage"](transforms=[stamped])


def depths(count=3):
    return np.random.default_rng(0).uniform(0.5, 2, (count, SIZE[1], SIZE[0])).astype(np.float32)


def messages(encoding="32FC1", count=3, **layout):
    found = [(INFO, info()), ("/tf_static", transform(START))]
    for number, depth in enumerate(depths(count)):
        pixels = depth if encoding == "32FC1" else np.round(depth * 1000).astype(np.uint16)
        found.append((DEPTH, image(START + number * PERIOD, pixels, encoding, **layout)))
    return found


def write(path, items, plugin=StoragePlugin.MCAP):
    with Writer(path, version=8, storage_plugin=plugin) as writer:
        known = {}
        for number, (topic, message) in enumerate(items):
            kind = message.__msgtype__
            if topic not in known:
                known[topic] = writer.add_connection(topic, kind, typestore=typestore())
            data = typestore().serialize_cdr(message, kind)
            writer.write(known[topic], START + number, data)
    return path
