"""The documented behaviour of tf2's buffer, which the stand-in shares with the real one."""

import math
import threading
import time

import numpy as np
import pytest
import tf2_ros
from geometry_msgs.msg import TransformStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.duration import Duration
from rclpy.time import Time
from scipy.spatial.transform import Rotation

LATEST = Time()


def stamped(
    parent: str,
    child: str,
    seconds: float = 0.0,
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0),
    rotation: Rotation | None = None,
) -> TransformStamped:
    """A transform of `child` in `parent`."""
    message = TransformStamped()
    message.header.frame_id = parent
    message.header.stamp = Time(seconds=seconds).to_msg()
    message.child_frame_id = child
    position, turn = message.transform.translation, message.transform.rotation
    position.x, position.y, position.z = (float(value) for value in translation)
    quaternion = Rotation.identity() if rotation is None else rotation
    turn.x, turn.y, turn.z, turn.w = (float(value) for value in quaternion.as_quat())
    return message


def matrix(message: TransformStamped) -> np.ndarray:
    """Homogeneous matrix of a message."""
    position, turn = message.transform.translation, message.transform.rotation
    result = np.eye(4)
    result[:3, :3] = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix()
    result[:3, 3] = position.x, position.y, position.z
    return result


@pytest.fixture
def buffer() -> tf2_ros.Buffer:
    return tf2_ros.Buffer()


unit = st.floats(-1, 1)
poses = st.tuples(st.tuples(unit, unit, unit), st.tuples(unit, unit, unit))


@given(st.tuples(poses, poses, poses))
@settings(max_examples=40, deadline=None)
def test_chains_compose_as_matrices_do(chain: tuple) -> None:
    buffer = tf2_ros.Buffer()
    links = [
        stamped(parent, child, 1.0, position, Rotation.from_rotvec(turn))
        for parent, child, (position, turn) in zip("waa", "abc", chain, strict=True)
    ]
    for link in links:
        buffer.set_transform(link, "test")
    w_a, a_b, a_c = (matrix(link) for link in links)
    found = {
        (target, source): matrix(buffer.lookup_transform(target, source, Time(seconds=1)))
        for target, source in [("w", "b"), ("b", "w"), ("b", "c"), ("a", "a")]
    }
    np.testing.assert_allclose(found["w", "b"], w_a @ a_b, atol=1e-12)
    np.testing.assert_allclose(found["b", "w"], np.linalg.inv(w_a @ a_b), atol=1e-12)
    np.testing.assert_allclose(found["b", "c"], np.linalg.inv(a_b) @ a_c, atol=1e-12)
    np.testing.assert_allclose(found["a", "a"], np.eye(4))


def test_it_interpolates_between_stamps_along_the_shorter_arc(buffer: tf2_ros.Buffer) -> None:
    end = Rotation.from_rotvec([0, 0, 1.2])
    buffer.set_transform(stamped("w", "a", 10.0, (1, 0, 0)), "test")
    late = stamped("w", "a", 12.0, (3, 4, 0), end)
    turn = late.transform.rotation
    turn.x, turn.y, turn.z, turn.w = -turn.x, -turn.y, -turn.z, -turn.w
    buffer.set_transform(late, "test")
    found = buffer.lookup_transform("w", "a", Time(seconds=10.5))
    assert found.header.frame_id == "w"
    assert found.child_frame_id == "a"
    assert (found.header.stamp.sec, found.header.stamp.nanosec) == (10, 500_000_000)
    expected = matrix(stamped("w", "a", 0, (1.5, 1, 0), Rotation.from_rotvec([0, 0, 0.3])))
    np.testing.assert_allclose(matrix(found), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("seconds", "words"), [(9.0, "extrapolation into the past"), (13.0, "into the future")]
)
def test_it_never_extrapolates(buffer: tf2_ros.Buffer, seconds: float, words: str) -> None:
    for stamp in (10.0, 12.0):
        buffer.set_transform(stamped("w", "a", stamp), "test")
    with pytest.raises(tf2_ros.ExtrapolationException, match=words):
        buffer.lookup_transform("w", "a", Time(seconds=seconds))
    assert buffer.can_transform("w", "a", Time(seconds=seconds)) is False


def test_one_transform_holds_only_at_its_stamp(buffer: tf2_ros.Buffer) -> None:
    buffer.set_transform(stamped("w", "a", 10.0), "test")
    assert buffer.can_transform("w", "a", Time(seconds=10))
    with pytest.raises(tf2_ros.ExtrapolationException, match="but only time"):
        buffer.lookup_transform("w", "a", Time(seconds=10, nanoseconds=1))


def test_time_zero_is_the_newest_common_time(buffer: tf2_ros.Buffer) -> None:
    for seconds in (10.0, 11.0, 12.0):
        buffer.set_transform(stamped("w", "a", seconds, (seconds, 0, 0)), "test")
    for seconds in (10.0, 11.0):
        buffer.set_transform(stamped("a", "b", seconds), "test")
    buffer.set_transform_static(stamped("b", "tool", 1.0, (0, 0, 1)), "test")
    found = buffer.lookup_transform("w", "tool", LATEST)
    assert found.header.stamp.sec == 11
    assert found.transform.translation.x == pytest.approx(11)
    assert buffer.get_latest_common_time("w", "tool") == Time(seconds=11)


def test_static_transforms_hold_at_every_time(buffer: tf2_ros.Buffer) -> None:
    buffer.set_transform_static(stamped("w", "a", 50.0, (1, 2, 3)), "test")
    for time_ in (LATEST, Time(seconds=1), Time(seconds=1000)):
        assert buffer.lookup_transform("w", "a", time_).transform.translation.z == 3


def test_unknown_frames_and_separate_trees(buffer: tf2_ros.Buffer) -> None:
    buffer.set_transform(stamped("w", "a", 10.0), "test")
    buffer.set_transform(stamped("v", "b", 10.0), "test")
    with pytest.raises(tf2_ros.LookupException, match='"nowhere" passed to'):
        buffer.lookup_transform("w", "nowhere", LATEST)
    with pytest.raises(tf2_ros.ConnectivityException, match="not part of the same tree"):
        buffer.lookup_transform("a", "b", LATEST)
    with pytest.raises(tf2_ros.ConnectivityException):
        buffer.lookup_transform("a", "b", Time(seconds=10))
    for name in ("", "/a"):
        with pytest.raises(tf2_ros.InvalidArgumentException):
            buffer.lookup_transform("w", name, LATEST)
    possible, reason = buffer.can_transform("w", "nowhere", LATEST, return_debug_tuple=True)
    assert not possible
    assert "nowhere" in reason


def test_every_error_is_a_transform_exception() -> None:
    for name in ("Connectivity", "Lookup", "Extrapolation", "InvalidArgument", "Timeout"):
        assert issubclass(getattr(tf2_ros, f"{name}Exception"), tf2_ros.TransformException)


@pytest.mark.parametrize("fault", ["nan", "quaternion", "self", "nameless"])
def test_unusable_transforms_are_ignored(buffer: tf2_ros.Buffer, fault: str) -> None:
    message = stamped("w", "a", 10.0)
    if fault == "nan":
        message.transform.translation.x = math.nan
    elif fault == "quaternion":
        message.transform.rotation.w = 0.5
    elif fault == "self":
        message.child_frame_id = "w"
    else:
        message.child_frame_id = ""
    buffer.set_transform(message, "test")
    assert buffer.all_frames_as_string() == ""
    with pytest.raises(tf2_ros.LookupException):
        buffer.lookup_transform("w", "a", LATEST)


def test_old_transforms_are_forgotten() -> None:
    buffer = tf2_ros.Buffer(cache_time=Duration(seconds=2))
    for seconds in (10.0, 11.0, 12.0, 13.5):
        buffer.set_transform(stamped("w", "a", seconds), "test")
    assert buffer.can_transform("w", "a", Time(seconds=12))
    assert not buffer.can_transform("w", "a", Time(seconds=11))
    buffer.set_transform(stamped("w", "a", 9.0), "test")
    assert not buffer.can_transform("w", "a", Time(seconds=9))


def test_transforms_may_come_out_of_order(buffer: tf2_ros.Buffer) -> None:
    for seconds in (12.0, 10.0, 11.0):
        buffer.set_transform(stamped("w", "a", seconds, (seconds, 0, 0)), "test")
    found = buffer.lookup_transform("w", "a", Time(seconds=10.25))
    assert found.transform.translation.x == pytest.approx(10.25)


def test_a_frame_may_change_its_parent(buffer: tf2_ros.Buffer) -> None:
    buffer.set_transform_static(stamped("w", "a"), "test")
    buffer.set_transform_static(stamped("w", "b", 0, (0, 5, 0)), "test")
    buffer.set_transform(stamped("a", "part", 10.0), "test")
    buffer.set_transform(stamped("b", "part", 11.0), "test")
    assert buffer.lookup_transform("w", "part", LATEST).transform.translation.y == 5
    assert buffer.lookup_transform("w", "part", Time(seconds=10)).transform.translation.y == 0


def test_a_loop_is_an_error(buffer: tf2_ros.Buffer) -> None:
    for parent, child in ("ab", "bc", "ca"):
        buffer.set_transform(stamped(parent, child, 10.0), "test")
    buffer.set_transform(stamped("w", "x", 10.0), "test")
    with pytest.raises(tf2_ros.LookupException, match="loop"):
        buffer.lookup_transform("w", "a", Time(seconds=10))


def test_it_waits_for_a_transform(buffer: tf2_ros.Buffer) -> None:
    message = stamped("w", "a", 10.0, (7, 0, 0))
    sender = threading.Timer(0.1, buffer.set_transform, (message, "test"))
    sender.start()
    found = buffer.lookup_transform("w", "a", LATEST, timeout=Duration(seconds=5))
    sender.join()
    assert found.transform.translation.x == 7


def test_waiting_ends(buffer: tf2_ros.Buffer) -> None:
    started = time.monotonic()
    with pytest.raises(tf2_ros.LookupException):
        buffer.lookup_transform("w", "a", LATEST, timeout=Duration(seconds=0.1))
    assert time.monotonic() - started >= 0.1


def test_a_future_is_done_when_the_transform_comes(buffer: tf2_ros.Buffer) -> None:
    future = buffer.wait_for_transform_async("w", "a", LATEST)
    assert not future.done()
    buffer.set_transform(stamped("w", "a", 10.0, (3, 0, 0)), "test")
    assert future.done()
    assert future.result().transform.translation.x == 3


def test_the_full_look_up_goes_through_the_fixed_frame(buffer: tf2_ros.Buffer) -> None:
    for seconds, x in ((10.0, 0.0), (12.0, 4.0)):
        buffer.set_transform(stamped("w", "cart", seconds, (x, 0, 0)), "test")
    found = buffer.lookup_transform_full(
        "cart", Time(seconds=12), "cart", Time(seconds=10), fixed_frame="w"
    )
    assert found.transform.translation.x == pytest.approx(-4)


def test_clear_keeps_what_is_static(buffer: tf2_ros.Buffer) -> None:
    buffer.set_transform(stamped("w", "a", 10.0), "test")
    buffer.set_transform_static(stamped("w", "b"), "test")
    buffer.clear()
    assert not buffer.can_transform("w", "a", LATEST)
    assert buffer.can_transform("w", "b", LATEST)
