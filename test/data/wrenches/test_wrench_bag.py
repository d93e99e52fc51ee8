"""Tests of wrenches from bags."""

import numpy as np
import pytest
from plain_bags import START, TYPES, Session
from scipy.spatial.transform import Rotation
from weighed_tools import weighed

from autourdf_ros.data.wrenches.wrench_bag import WRENCH_STAMPED
from autourdf_ros.data.wrenches.wrench_reading import read_wrenches
from autourdf_ros.errors import InputError

RECORDING = weighed()


def _header(frame, time):
    stamp = TYPES["builtin_interfaces/msg/Time"](*divmod(round(time * 1e9), 10**9))
    return TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)


def _vector(values):
    return TYPES["geometry_msgs/msg/Vector3"](*map(float, values))


def session(frame="tool0_sensor", poses=True):
    found = Session()
    for time, pose, wrench in zip(
        RECORDING.times, RECORDING.sensor_poses, RECORDING.wrenches, strict=True
    ):
        now = START + time
        content = TYPES["geometry_msgs/msg/Wrench"](
            force=_vector(wrench[:3]), torque=_vector(wrench[3:])
        )
        message = TYPES[WRENCH_STAMPED](header=_header(frame, now), wrench=content)
        found.messages.append(("/wrench", WRENCH_STAMPED, now, message))
        if poses:
            turn = Rotation.from_matrix(pose[:3, :3]).as_quat()
            transform = TYPES["geometry_msgs/msg/Transform"](
                translation=_vector(pose[:3, 3]),
                rotation=TYPES["geometry_msgs/msg/Quaternion"](*map(float, turn)),
            )
            item = TYPES["geometry_msgs/msg/TransformStamped"](
                header=_header("world", now), child_frame_id="tool0_sensor", transform=transform
            )
            tree = TYPES["tf2_msgs/msg/TFMessage"](transforms=[item])
            found.messages.append(("/tf", "tf2_msgs/msg/TFMessage", now, tree))
    return found


@pytest.mark.slow
def test_wrenches_get_the_poses_of_their_frame(tmp_path):
    found = read_wrenches(session().write(tmp_path / "bag"))
    np.testing.assert_allclose(found.wrenches, RECORDING.wrenches)
    np.testing.assert_allclose(found.sensor_poses, RECORDING.sensor_poses, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bag", "topic", "complaint"),
    [
        (session(poses=False), None, "no transforms from 'tool0_sensor'"),
        (session(frame=""), None, "in the frames"),
        (session(), "/other", "no wrenches on /other"),
        (session().without("/wrench"), None, "no wrenches; its topics"),
    ],
)
def test_what_is_missing_is_named(tmp_path, bag, topic, complaint):
    with pytest.raises(InputError, match=complaint):
        read_wrenches(bag.write(tmp_path / "bag"), topic)
