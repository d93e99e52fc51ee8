"""How far apart the transforms are that one is interpolated from."""

import math

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time

from autourdf_ros.ros.common.stamped_buffer import StampedBuffer

pytestmark = pytest.mark.ros


def stamped(parent, child, seconds=0.0):
    message = TransformStamped()
    message.header.frame_id, message.child_frame_id = parent, child
    message.header.stamp = Time(seconds=seconds).to_msg()
    message.transform.rotation.w = 1.0
    return message


@pytest.fixture
def buffer():
    found = StampedBuffer()
    for seconds in (100.0, 100.1, 100.5, 100.6):
        found.set_transform(stamped("base", "arm", seconds), "test")
    for seconds in (100.0, 100.3, 100.6):
        found.set_transform(stamped("/arm", "/hand", seconds), "test")
    found.set_transform_static(stamped("hand", "sensor"), "test")
    found.set_transform(stamped("base", "other", 100.0), "test")
    return found


@pytest.mark.parametrize(
    ("target", "source", "time", "apart"),
    [
        ("base", "arm", 100.1, 0.0),
        ("base", "arm", 100.2, 0.4),
        ("base", "sensor", 100.05, 0.3),
        ("sensor", "base", 100.2, 0.4),
        ("arm", "sensor", 100.2, 0.3),
        ("hand", "sensor", 100.2, 0.0),
        ("base", "arm", 100.7, math.inf),
        ("base", "arm", 99.0, math.inf),
    ],
)
def test_the_longest_of_the_chain_counts(buffer, target, source, time, apart):
    assert buffer.apart(target, source, Time(seconds=time)) == pytest.approx(apart, abs=1e-6)


def test_it_transforms_as_any_buffer_does(buffer):
    found = buffer.lookup_transform("base", "sensor", Time(seconds=100.2))
    assert found.transform.rotation.w == pytest.approx(1.0)


def test_stamps_in_another_order_and_of_a_clock_that_was_set_are_kept_apart(buffer):
    buffer.set_transform(stamped("base", "arm", 100.3), "test")
    assert buffer.apart("base", "arm", Time(seconds=100.2)) == pytest.approx(0.2)
    for seconds in (10.0, 10.2):
        buffer.set_transform(stamped("base", "arm", seconds), "test")
    assert buffer.apart("base", "arm", Time(seconds=10.1)) == pytest.approx(0.2)
