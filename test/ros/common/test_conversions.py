from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState, PointCloud2, PointField

from autourdf_ros.commanding.trajectory import through
from autourdf_ros.data.bags.point_cloud2 import points_from_cloud
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.ros.common import conversions

clouds = st.integers(0, 30).flatmap(
    lambda size: st.tuples(
        hnp.arrays(np.float32, (size, 3), elements=st.floats(-9, 9, width=32)),
        st.none() | hnp.arrays(np.uint8, (size, 3)),
    )
)


@settings(max_examples=50, deadline=None)
@given(clouds)
def test_clouds_come_back(cloud):
    points, colors = cloud
    message = conversions.cloud_from_points(points, colors, 12.5, "camera")
    assert (message.header.frame_id, conversions.seconds(message.header.stamp)) == ("camera", 12.5)
    read_points, read_colors = points_from_cloud(message)
    np.testing.assert_array_equal(read_points, points)
    if colors is None:
        assert read_colors is None
    else:
        np.testing.assert_array_equal(read_colors, colors)


@settings(max_examples=60, deadline=None)
@given(
    order=st.permutations(["x", "y", "z", "rgb", "intensity"]),
    double=st.booleans(),
    big=st.booleans(),
    gap=st.integers(0, 5),
    row_padding=st.integers(0, 9),
    color_name=st.sampled_from(["rgb", "rgba"]),
    height=st.integers(1, 3),
)
def test_any_layout_is_read(order, double, big, gap, row_padding, color_name, height):
    rng = np.random.default_rng(0)
    width, endian = 7, ">" if big else "<"
    types = dict.fromkeys("xyz", endian + ("f8" if double else "f4"))
    types |= {"rgb": endian + "u4", "intensity": endian + "u2"}
    offsets, step = {}, gap
    for name in order:
        offsets[name] = step
        step += np.dtype(types[name]).itemsize + gap
    dtype = np.dtype(
        {
            "names": order,
            "formats": [types[name] for name in order],
            "offsets": [offsets[name] for name in order],
            "itemsize": step,
        }
    )
    values = np.zeros((height, width), dtype)
    points = rng.normal(size=(height, width, 3)).astype(np.float32)
    colors = rng.integers(0, 256, (height, width, 3)).astype(np.uint8)
    for index, axis in enumerate("xyz"):
        values[axis] = points[..., index]
    red, green, blue = np.moveaxis(colors.astype(np.uint32), -1, 0)
    values["rgb"] = 255 << 24 | red << 16 | green << 8 | blue
    rows = [row.tobytes() + b"\xab" * row_padding for row in values]
    position = PointField.FLOAT64 if double else PointField.FLOAT32
    kinds = {"rgb": PointField.FLOAT32, "intensity": PointField.UINT16}
    message = PointCloud2(
        height=height,
        width=width,
        point_step=step,
        row_step=len(rows[0]),
        is_bigendian=big,
        data=array("B", b"".join(rows)),
        fields=[
            PointField(
                name=color_name if name == "rgb" else name,
                offset=offsets[name],
                datatype=kinds.get(name, position),
                count=1,
            )
            for name in order
        ],
    )
    read_points, read_colors = points_from_cloud(message)
    np.testing.assert_array_equal(read_points, points.reshape(-1, 3))
    np.testing.assert_array_equal(read_colors, colors.reshape(-1, 3))


def test_a_cloud_without_depth_is_refused():
    message = conversions.cloud_from_points(np.zeros((3, 3)), None, 0.0, "camera")
    message.fields = message.fields[:2]
    with pytest.raises(InputError, match=r"'camera' has fields \['x', 'y'\]"):
        points_from_cloud(message)


def test_a_cloud_with_too_few_bytes_is_refused():
    message = conversions.cloud_from_points(np.zeros((3, 3)), None, 0.0, "camera")
    message.data = message.data[:20]
    with pytest.raises(InputError, match="20 bytes"):
        points_from_cloud(message)


@given(
    st.tuples(*[st.floats(-10, 10)] * 3),
    st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1),
)
def test_transforms_come_back(shift, quaternion):
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    matrix[:3, 3] = shift
    message = conversions.transform_message(matrix)
    np.testing.assert_allclose(conversions.transform_matrix(message), matrix, atol=1e-9)


def test_a_zero_quaternion_is_refused():
    message = conversions.transform_message(np.eye(4))
    message.rotation.w = 0.0
    with pytest.raises(InputError, match="quaternion"):
        conversions.transform_matrix(message)


def test_joint_states_come_back():
    message = conversions.joint_state({"a": 1.0, "b": -2.0}, 3.25, {"b": 0.5, "a": 0.1})
    assert conversions.joint_positions(message) == {"a": 1.0, "b": -2.0}
    assert list(message.velocity) == [0.1, 0.5]
    assert conversions.joint_positions(JointState(name=["a"])) == {}


def test_a_trajectory_message_increases_in_time_and_ends_at_rest():
    limits = {"a": JointLimits(-1, 1, 1, 1), "b": JointLimits(-1, 1, 1, 1)}
    trajectory = through([{"a": 0.0, "b": 0.0}, {"a": 0.5, "b": -0.2}], limits)
    message = conversions.trajectory_message(trajectory)
    times = [conversions.seconds(point.time_from_start) for point in message.points]
    assert times[0] > 0 and (np.diff(times) > 0).all()
    assert list(message.points[-1].positions) == [0.5, -0.2]
    assert list(message.points[-1].velocities) == [0.0, 0.0]
    assert conversions.seconds(message.header.stamp) == 0.0
    shown = conversions.concatenate([trajectory, trajectory], 0.5)
    assert (np.diff(shown.times) > 0).all()


def test_a_diagnostic_holds_its_values():
    status = conversions.diagnostic("capture", b"\x01", "slow", {"frame": 3})
    assert (status.level, status.values[0].key, status.values[0].value) == (b"\x01", "frame", "3")
