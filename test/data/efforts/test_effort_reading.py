"""Efforts from bags, CSV and NPZ, and files that are none."""

import numpy as np
import pytest
from plain_bags import TYPES, Session

from autourdf_ros.data.efforts.effort_reading import read_efforts
from autourdf_ros.errors import InputError

JOINT_STATE = "sensor_msgs/msg/JointState"
TIMES = np.arange(40) / 50
VALUES = np.column_stack([np.sin(TIMES), np.cos(TIMES)])


def message(time, names, positions, efforts, velocities=()):
    stamp = TYPES["builtin_interfaces/msg/Time"](*divmod(round(time * 1e9), 10**9))
    return TYPES[JOINT_STATE](
        header=TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id=""),
        name=list(names),
        position=np.array(positions, float),
        velocity=np.array(velocities, float),
        effort=np.array(efforts, float),
    )


def bag(path, messages, topic="/joint_states"):
    session = Session([(topic, JOINT_STATE, 10 + time, one) for time, one in messages])
    return session.write(path)


def arm_messages(**changes):
    return [
        (time, message(100 + time, ["a", "b"], row, **{"efforts": 2 * row, **changes}))
        for time, row in zip(TIMES.tolist(), VALUES, strict=True)
    ]


def test_a_bag_gives_positions_and_efforts_at_its_stamps(tmp_path):
    found = read_efforts(bag(tmp_path / "bag", arm_messages()))
    assert found.joints == ("a", "b")
    np.testing.assert_allclose(found.times, 100 + TIMES)
    np.testing.assert_allclose(found.efforts, 2 * VALUES)
    assert found.velocities is None
    assert found.rate == pytest.approx(50)


def test_joints_of_another_message_count_at_the_first_ones_stamps(tmp_path):
    others = [
        (time + 0.01, message(100.01 + time, ["grip"], [time], [3 * time]))
        for time in TIMES[::2].tolist()
    ]
    found = read_efforts(bag(tmp_path / "bag", arm_messages() + others))
    assert found.joints == ("a", "b", "grip")
    inside = slice(2, -4)
    np.testing.assert_allclose(found.positions[inside, 2], TIMES[inside] - 0.01, atol=1e-6)


@pytest.mark.parametrize(
    ("messages", "topic", "reason"),
    [
        (arm_messages(efforts=[]), None, "efforts of a, b are missing"),
        (arm_messages(efforts=[1.0]), None, "2 names, 2 positions, 0 velocities and 1 efforts"),
        (arm_messages(), "/other", "no topic '/other'"),
        (
            arm_messages(efforts=[np.nan, 1.0]),
            None,
            "efforts of 'a' has numbers that are not finite",
        ),
    ],
)
def test_a_bag_without_usable_efforts_is_refused_by_name(tmp_path, messages, topic, reason):
    with pytest.raises(InputError, match=reason):
        read_efforts(bag(tmp_path / "bag", messages), topic)


def csv_text(rows="0, 0.5, 1\n1, 0.6, 2\n", header="time, a.position, a.effort\n"):
    return header + rows


def test_a_csv_is_read_by_the_names_of_its_columns(tmp_path):
    path = tmp_path / "efforts.csv"
    path.write_text(csv_text())
    found = read_efforts(path)
    assert (found.joints, found.efforts.tolist()) == (("a",), [[1.0], [2.0]])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (csv_text(rows="0, 0.5\n"), "line 2 has 2 values"),
        (csv_text(rows="0, 0.5, x\n"), "line 2: could not convert"),
        (csv_text(rows=""), "columns time"),
        (csv_text(header="a.position, a.effort, b\n"), "columns a.position"),
        (csv_text(header="time, a.position, a.torque\n"), "column 'a.torque'"),
        (csv_text(header="time, a.position, b.effort\n"), "no column 'a.effort'"),
        (csv_text(rows="1, 0.5, 1\n0, 0.5, 1\n"), "times do not increase"),
    ],
)
def test_a_csv_of_another_form_is_refused_by_line_or_column(tmp_path, text, reason):
    path = tmp_path / "efforts.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=reason):
        read_efforts(path)


ARRAYS = {
    "joints": np.array(["a", "b"]),
    "times": TIMES,
    "positions": VALUES,
    "efforts": VALUES,
    "velocities": VALUES,
}


def test_an_npz_is_read(tmp_path):
    path = tmp_path / "efforts.npz"
    np.savez(path, **ARRAYS)
    found = read_efforts(path)
    np.testing.assert_array_equal(found.velocities, VALUES)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"efforts": VALUES[:-1]}, "efforts of shape"),
        ({"joints": np.arange(2)}, "joints are no names"),
        ({"positions": VALUES.astype(str)}, "positions are of type"),
        ({"times": np.array(1.0)}, "times of shape"),
        ({"joints": np.array(["a", "a"])}, "each once"),
        ({"efforts": np.array([{}], dtype=object)}, "cannot be read"),
    ],
)
def test_an_npz_of_another_form_is_refused_by_array(tmp_path, changes, reason):
    path = tmp_path / "efforts.npz"
    np.savez(path, **{**ARRAYS, **changes})
    with pytest.raises(InputError, match=reason):
        read_efforts(path)


@pytest.mark.parametrize("name", ["efforts.npz", "efforts.csv"])
def test_bytes_that_are_no_table_are_refused(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04" + bytes(range(256)))
    with pytest.raises(InputError, match=name):
        read_efforts(path)
    with pytest.raises(InputError, match="does not exist"):
        read_efforts(tmp_path / f"no_{name}")
