"""Tests of wrenches from tables."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from weighed_tools import slow_motion, weighed

from autourdf_ros.data.wrenches.pose_motion import motion_of_poses
from autourdf_ros.data.wrenches.wrench_reading import reaction, read_wrenches
from autourdf_ros.data.wrenches.wrench_table import COLUMNS
from autourdf_ros.errors import InputError

ROW = "1,0,0,0,0,0,0,1,0,0,0,0,0,0\n"


def columns():
    recording = weighed()
    turns = Rotation.from_matrix(recording.sensor_poses[:, :3, :3]).as_quat()
    places = recording.sensor_poses[:, :3, 3]
    table = np.column_stack([recording.times, places, turns, recording.wrenches])
    return dict(zip(COLUMNS, table.T, strict=True))


def write_csv(path, values):
    lines = [",".join(values), *(",".join(map(repr, row)) for row in zip(*(v.tolist() for v in values.values()), strict=True))]  # fmt: skip  # noqa: E501
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_csv_and_an_npz_give_the_same_records(tmp_path):
    values = columns()
    np.savez(tmp_path / "w.npz", **values)
    one = read_wrenches(write_csv(tmp_path / "w.csv", values))
    other = read_wrenches(tmp_path / "w.npz")
    np.testing.assert_allclose(one.wrenches, other.wrenches)
    np.testing.assert_allclose(one.accelerations, other.accelerations)
    np.testing.assert_allclose(one.wrenches, weighed().wrenches)


def test_the_reaction_is_turned_round(tmp_path):
    found = read_wrenches(write_csv(tmp_path / "w.csv", columns()))
    np.testing.assert_allclose(reaction(found).wrenches, -found.wrenches)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda values: values.pop("qw"), "lacks qw"),
        (lambda values: values.update(qw=3 * values["qw"]), "quaternions of norm"),
        (lambda values: values.update(time=values["time"][::-1]), "times do not increase"),
        (lambda values: values["fx"].put(3, np.nan), "not finite"),
    ],
)
def test_a_wrong_table_is_refused_by_name(tmp_path, change, complaint):
    values = {name: array.copy() for name, array in columns().items()}
    change(values)
    path = write_csv(tmp_path / "w.csv", values)
    with pytest.raises(InputError, match=complaint) as caught:
        read_wrenches(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "lacks time"),
        ("time,px\n1,a\n", "line 2"),
        ("time,px\n1\n", "line 2 has 1 values"),
        ("time,px\n1,0\n2,nan\n", "line 3: px is nan, which is not finite"),
        ("time;px\n1,5;0\n", "separated by ';'; .* decimal commas"),
        (",".join(COLUMNS) + "\n", "0 records; accepted are 2 or more"),
        (f"{','.join(COLUMNS)}\n{ROW}{ROW}", "record 2 has 1 s after 1 s"),
    ],
)
def test_a_damaged_csv_is_refused_by_line(tmp_path, text, complaint):
    path = tmp_path / "w.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_wrenches(path)


def test_binary_content_and_missing_files_are_refused(tmp_path):
    path = tmp_path / "w.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        read_wrenches(path)
    with pytest.raises(InputError, match="does not exist"):
        read_wrenches(tmp_path / "none.npz")


def test_motion_of_poses_is_that_of_a_known_turn():
    times = np.linspace(0, 2, 201)
    angle = 0.5 * np.sin(2 * times)
    poses = np.tile(np.eye(4), (201, 1, 1))
    poses[:, :3, :3] = Rotation.from_rotvec(np.outer(angle, [0, 0, 1])).as_matrix()
    poses[:, 0, 3] = 0.1 * times**2
    motion = motion_of_poses(times, poses)
    inner = slice(20, -20)
    np.testing.assert_allclose(motion.velocities[inner, 5], np.cos(2 * times)[inner], atol=2e-3)
    np.testing.assert_allclose(
        motion.accelerations[inner, 5], -2 * np.sin(2 * times)[inner], atol=2e-2
    )
    world = np.einsum("nij,nj->ni", poses[:, :3, :3], motion.accelerations[:, :3])
    np.testing.assert_allclose(world[inner], np.tile([0.2, 0, 0], (161, 1)), atol=1e-3)


def test_noise_of_poses_is_propagated():
    times, poses = slow_motion()
    noise = np.random.default_rng(0).normal(0, 1e-4, (len(times), 3))
    clean = motion_of_poses(times, poses)
    poses = poses.copy()
    poses[:, :3, 3] += noise
    noisy = motion_of_poses(times, poses)
    error = (noisy.accelerations - clean.accelerations)[20:-20, :3].std()
    assert noisy.acceleration_std[0] == pytest.approx(error, rel=0.3)
