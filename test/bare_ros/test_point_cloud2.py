"""The documented behaviour of sensor_msgs_py, which the stand-in shares with the real one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sensor_msgs.msg import PointCloud2, PointField
from sensor_msgs_py import point_cloud2
from std_msgs.msg import Header

HEADER = Header(frame_id="camera")


def field(name: str, offset: int, datatype: int = PointField.FLOAT32, count: int = 1) -> PointField:
    return PointField(name=name, offset=offset, datatype=datatype, count=count)


XYZ_RGB = [field("x", 0), field("y", 4), field("z", 8), field("rgb", 16, PointField.UINT32)]


def coloured() -> PointCloud2:
    """Two points, with four bytes of padding between z and rgb."""
    points = [(1.0, 2.0, 3.0, 0xFF8000), (np.nan, 5.0, 6.0, 7)]
    return point_cloud2.create_cloud(HEADER, XYZ_RGB, points, point_step=32)


@given(hnp.arrays(np.float32, st.tuples(st.integers(0, 40), st.just(3))))
@settings(max_examples=40, deadline=None)
def test_xyz_there_and_back(points: np.ndarray) -> None:
    cloud = point_cloud2.create_cloud_xyz32(HEADER, points)
    assert (cloud.height, cloud.width, cloud.point_step) == (1, len(points), 12)
    assert cloud.row_step == 12 * len(points) == len(cloud.data)
    assert cloud.header.frame_id == "camera"
    back = point_cloud2.read_points_numpy(cloud, ["x", "y", "z"])
    assert back.dtype == np.float32
    np.testing.assert_array_equal(back, points)


def test_fields_of_several_types_with_padding() -> None:
    cloud = coloured()
    assert cloud.point_step == 32
    points = point_cloud2.read_points(cloud)
    assert points.dtype.names == ("x", "y", "z", "rgb")
    assert points["rgb"].tolist() == [0xFF8000, 7]
    np.testing.assert_array_equal(points["y"], np.float32([2, 5]))


def test_only_the_fields_asked_for() -> None:
    points = point_cloud2.read_points(coloured(), field_names=("z", "x"))
    assert points.dtype.names == ("z", "x")
    with pytest.raises(AssertionError, match="not in the fields"):
        point_cloud2.read_points(coloured(), field_names=["intensity"])


def test_nans_are_left_out_of_a_cloud_that_is_not_dense() -> None:
    cloud = coloured()
    assert len(point_cloud2.read_points(cloud, ["x", "y", "z"], skip_nans=True)) == 1
    assert len(point_cloud2.read_points(cloud, ["y", "z"], skip_nans=True)) == 2
    cloud.is_dense = True
    assert len(point_cloud2.read_points(cloud, ["x", "y", "z"], skip_nans=True)) == 2


def test_one_type_for_plain_arrays() -> None:
    with pytest.raises(AssertionError, match="same datatype"):
        point_cloud2.read_points_numpy(coloured())
    assert point_cloud2.read_points_numpy(coloured(), ["x", "y"]).shape == (2, 2)
    with pytest.raises(AssertionError, match="same datatype"):
        point_cloud2.create_cloud(HEADER, XYZ_RGB, np.zeros((3, 4), np.float32))


def test_structured_arrays_must_match_the_fields() -> None:
    dtype = point_cloud2.dtype_from_fields(XYZ_RGB, point_step=20)
    points = np.zeros(3, dtype)
    points["rgb"] = [1, 2, 3]
    cloud = point_cloud2.create_cloud(HEADER, XYZ_RGB, points, point_step=20)
    assert point_cloud2.read_points(cloud)["rgb"].tolist() == [1, 2, 3]
    with pytest.raises(AssertionError, match="do not match"):
        point_cloud2.create_cloud(HEADER, XYZ_RGB[:2], points)


def test_selected_points() -> None:
    points = np.arange(30, dtype=np.float32).reshape(10, 3)
    cloud = point_cloud2.create_cloud_xyz32(HEADER, points)
    np.testing.assert_array_equal(
        point_cloud2.read_points_numpy(cloud, uvs=iter([7, 2])), points[[7, 2]]
    )


def test_organized_clouds_keep_their_shape() -> None:
    dtype = point_cloud2.dtype_from_fields([field("x", 0)])
    points = np.arange(6, dtype=np.float32).view(dtype).reshape(3, 2)
    cloud = point_cloud2.create_cloud(HEADER, [field("x", 0)], points)
    assert (cloud.width, cloud.height) == (3, 2)
    back = point_cloud2.read_points(cloud, reshape_organized_cloud=True)
    np.testing.assert_array_equal(back, points)


def test_big_endian_clouds() -> None:
    cloud = point_cloud2.create_cloud_xyz32(HEADER, [(1.0, 2.0, 3.0)])
    cloud.data = np.frombuffer(cloud.data, ">f4").astype("<f4").tobytes()
    cloud.is_bigendian = True
    np.testing.assert_array_equal(point_cloud2.read_points_numpy(cloud), [[1, 2, 3]])


def test_fields_with_a_count_and_without_a_name() -> None:
    fields = [field("normal", 0, count=3), field("", 12)]
    cloud = point_cloud2.create_cloud(HEADER, fields, [(1, 2, 3, 4)])
    names = ("normal_0", "normal_1", "normal_2", "unnamed_field_1")
    assert point_cloud2.read_points(cloud).dtype.names == names
    (point,) = point_cloud2.read_points_list(cloud, names[1:3])
    assert point.normal_1 == 2


def test_a_cloud_whose_bytes_are_missing_is_an_error() -> None:
    cloud = coloured()
    cloud.data = cloud.data[:-1]
    with pytest.raises(TypeError, match="buffer"):
        point_cloud2.read_points(cloud)
