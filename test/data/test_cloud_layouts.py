"""Clouds as drivers lay them out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.data.bags.point_cloud2 import measured_mask, points_from_cloud
from autourdf_ros.data.bags.topics import CLOUD, typestore
from autourdf_ros.errors import InputError

TYPES = typestore().types
# By the constants of sensor_msgs/PointField.
KINDS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


def cloud(columns, kinds, shape, *, big=False, gaps=(), tail=0, row_pad=0, row_step=None):
    """A message of (N,) columns in the order given; `gaps` are bytes before each of them."""
    height, width = shape
    offsets, place = {}, 0
    for name, gap in zip(columns, [*gaps, *[0] * len(columns)], strict=False):
        offsets[name] = place + gap
        place += gap + np.dtype(KINDS[kinds[name]]).itemsize
    step = place + tail
    rows = np.full((height, width * step + row_pad), 0xAB, np.uint8)
    points = np.ndarray((height, width, step), np.uint8, rows, strides=(rows.shape[1], step, 1))
    for name, values in columns.items():
        dtype = np.dtype((">" if big else "<") + KINDS[kinds[name]])
        raw = np.asarray(values).astype(dtype).reshape(height, width, 1).view(np.uint8)
        points[:, :, offsets[name] : offsets[name] + dtype.itemsize] = raw
    field = TYPES["sensor_msgs/msg/PointField"]
    time = TYPES["builtin_interfaces/msg/Time"](0, 0)
    return TYPES[CLOUD.type](
        header=TYPES["std_msgs/msg/Header"](stamp=time, frame_id="camera"),
        height=height,
        width=width,
        fields=[field(name, offsets[name], kinds[name], 1) for name in columns],
        is_bigendian=big,
        point_step=step,
        row_step=rows.shape[1] if row_step is None else row_step,
        data=rows.reshape(-1),
        is_dense=False,
    )


@given(st.data())
def test_any_layout_is_read(data):
    draw = data.draw
    shape = draw(st.sampled_from([(1, 1), (1, 7), (5, 1), (3, 4), (0, 4), (1, 0)]))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    count = shape[0] * shape[1]
    position = draw(st.sampled_from([3, 5, 7, 8]))
    xyz = rng.integers(-90, 90, (count, 3)) * (1 if position < 7 else 0.37)
    if position >= 7 and count:
        xyz[rng.integers(count)] = draw(st.sampled_from([np.nan, np.inf, 0.0]))
    color = draw(st.sampled_from(["rgb", "rgba", None]))
    rgb = rng.integers(0, 256, (count, 3), np.uint32)
    packed = rgb[:, 0] << 16 | rgb[:, 1] << 8 | rgb[:, 2]
    kinds = dict.fromkeys("xyz", position) | {"ring": 4, "intensity": draw(st.sampled_from([2, 7]))}
    columns = dict(zip("xyz", xyz.T, strict=True))
    columns |= {"ring": np.arange(count), "intensity": rng.integers(0, 200, count)}
    if color == "rgba":
        columns[color], kinds[color] = packed | 0xFF000000, 6
    elif color:
        # PCL's floats are the bytes of the integer.
        kinds[color] = draw(st.sampled_from([6, 7]))
        columns[color] = packed if kinds[color] == 6 else packed.astype("u4").view("f4")
    order = draw(st.permutations(list(columns)))
    message = cloud(
        {name: columns[name] for name in order},
        kinds,
        shape,
        big=draw(st.booleans()),
        gaps=draw(st.lists(st.integers(0, 5), max_size=len(order))),
        tail=draw(st.integers(0, 9)),
        row_pad=draw(st.integers(0, 6)) if shape[0] else 0,
        row_step=0 if shape[0] < 2 and draw(st.booleans()) else None,
    )
    points, colors = points_from_cloud(message)
    assert points.dtype.kind == "f" and points.dtype.isnative
    np.testing.assert_array_equal(points, xyz.astype("f4") if position == 7 else xyz)
    if color is None:
        assert colors is None
    else:
        np.testing.assert_array_equal(colors, rgb)


def test_points_without_depth_are_recognized():
    points = np.array([[0, 0, 0.5], [np.nan, 0, 1], [0, np.inf, 1], [0, 0, 0], [0, 0, -np.inf]])
    assert measured_mask(points).tolist() == [True, False, False, False, False]


def small(**changes):
    message = cloud(dict.fromkeys("xyz", np.zeros(4)), dict.fromkeys("xyz", 7), (2, 2))
    for name, value in changes.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (small(row_step=20), "row_step of 20 bytes, less than its 2 points of 12 bytes"),
        (small(point_step=8, row_step=24), "field z takes bytes 8 to 12 of a point of 8 bytes"),
        (small(data=np.zeros(47, np.uint8)), "47 bytes of data, less than its 2 x 2 points"),
        (
            cloud(dict.fromkeys("xyz", np.zeros(1)), {"x": 7, "y": 7, "z": 7}, (1, 1)),
            "field z is of datatype 9; accepted is 1 to 8",
        ),
    ],
)
def test_a_layout_that_cannot_be_is_refused(message, text):
    if "datatype" in text:
        message.fields[2].datatype = 9
    with pytest.raises(InputError, match=text):
        points_from_cloud(message)


def test_a_colour_that_does_not_fit_into_its_point_is_refused():
    message = cloud(
        {"x": [0], "y": [0], "z": [0], "rgb": [0]}, dict.fromkeys("xyz", 7) | {"rgb": 2}, (1, 1)
    )
    with pytest.raises(InputError, match="field rgb takes bytes 12 to 16 of a point of 13 bytes"):
        points_from_cloud(message)
