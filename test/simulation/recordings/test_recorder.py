"""Recordings and their truth."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import KDTree
from toy_robot import DRIVEN, NAMES

from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions
from autourdf_ros.simulation.recordings.write_recording import write_recording
from autourdf_ros.simulation.simulated_cell import CellOptions

CELL = CellOptions(cameras=4, width=96, height=72)
EXACT = RecorderOptions(
    sequences=2, frames=3, points=600, point_sigma=0.0, shift_sigma=0.0, cell=CELL
)


def to_body(recorder, item, body):
    """The frame's points of a body, in the body's own frame."""
    points = item.frame.points[item.labels == body].astype(float)
    pose = np.linalg.inv(recorder.robot.body_poses(item.values)[body])
    return points @ pose[:3, :3].T + pose[:3, 3]


def test_points_lie_on_the_bodies_they_are_labelled_with(toy):
    recorder = Recorder(toy, EXACT)
    frames = list(recorder.frames())
    assert len(frames) == 6
    for item in frames:
        assert len(item.frame.points) == 600
        assert set(np.unique(item.labels)) == {0, 1, 2, 4, 5, 6}
        hand = to_body(recorder, item, 4)
        on_ball = np.abs(np.linalg.norm(hand, axis=1) - 0.04) < 1e-3
        on_boxes = (np.abs(hand - [0.05, 0.03, 0]) < [0.031, 0.0151, 0.0101]).all(axis=1)
        on_tool = (np.abs(hand - [0.07, 0, 0]) < [0.0201, 0.0051, 0.0151]).all(axis=1)
        assert (on_ball | on_boxes | on_tool).all()
        base = item.frame.points[item.labels == 0]
        assert (np.abs(base - [0, 0, 0.05]) < [0.1001, 0.1001, 0.0501]).all()
        column = item.labels == 1
        assert (item.frame.colors[column] == [255, 0, 0]).all()


def test_sequences_begin_at_one_configuration(toy):
    frames = list(Recorder(toy, EXACT).frames())
    assert [item.sequence for item in frames] == [0, 0, 0, 1, 1, 1]
    np.testing.assert_array_equal(frames[0].values, frames[3].values)
    assert not np.array_equal(frames[1].values, frames[4].values)
    stamps = [item.frame.stamp for item in frames]
    assert stamps == sorted(set(stamps))


def test_readings_are_those_of_the_motors(toy):
    item = next(Recorder(toy, EXACT).frames())
    assert list(item.frame.joint_positions) == DRIVEN
    np.testing.assert_array_equal(list(item.frame.joint_positions.values()), item.values[:5])


def test_noise_and_shift_of_the_paper(toy):
    noisy = replace(EXACT, point_sigma=0.0005, shift_sigma=0.01)
    # The random choices before the noise are the same with and without it.
    pairs = list(zip(Recorder(toy, EXACT).frames(), Recorder(toy, noisy).frames(), strict=True))
    errors = [noisy.frame.points - exact.frame.points for exact, noisy in pairs]
    for (_, item), error in zip(pairs, errors, strict=True):
        np.testing.assert_allclose(error.mean(axis=0), item.shift, atol=2e-4)
        np.testing.assert_allclose(error.std(axis=0), 0.0005, rtol=0.2)
    shifts = np.array([item.shift for _, item in pairs])
    assert (shifts[[0, 3]] == 0).all()
    assert 0.003 < shifts[[1, 2, 4, 5]].std() < 0.025


def test_the_seed_decides_everything(toy):
    def points(seed, noise):
        cell = replace(CELL, noise=noise)
        options = replace(EXACT, frames=2, sequences=1, seed=seed, cell=cell)
        return np.concatenate([item.frame.points for item in Recorder(toy, options).frames()])

    first, again, other = (points(seed, REAL_CAMERA) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)


def test_cleaning_removes_ground_and_clutter(toy):
    cell = CellOptions(4, 160, 120, elevations=(15, 60), noise=REAL_CAMERA, ground=True, clutter=6)
    options = replace(EXACT, sequences=1, points=4000, clean=True, cell=cell)
    recorder = Recorder(toy, options)
    for item in recorder.frames():
        assert (item.labels >= 0).mean() > 0.97
        assert len(np.unique(item.labels)) >= 5
        assert set(np.unique(item.frame.cameras)) == {0, 1, 2, 3}
        poses = recorder.robot.body_poses(item.values)
        for body in (1, 2):
            surface = recorder.robot.surfaces[body]
            inside = to_body(recorder, item, body)
            corners = surface.hull
            near = (inside > corners.min(axis=0) - 0.02) & (inside < corners.max(axis=0) + 0.02)
            assert near.all(axis=1).mean() > 0.9
        assert poses.shape == (7, 4, 4)


@pytest.mark.parametrize("form", ["bag", "folder"])
def test_what_is_written_is_read_again(toy, tmp_path, form):
    recorder = Recorder(toy, replace(EXACT, shift_sigma=0.01))
    seen = []
    write_recording(recorder, tmp_path / "out", form, lambda *step: seen.append(step))
    items = list(recorder.frames())
    recording = load_recording(tmp_path / "out")
    assert [sequence.name for sequence in recording.sequences] == ["0000", "0001"]
    assert len(recording.frames) == len(items)
    for frame, item in zip(recording.frames, items, strict=True):
        np.testing.assert_array_equal(frame.points, item.frame.points)
        np.testing.assert_array_equal(frame.colors, item.frame.colors)
        assert frame.joint_positions == pytest.approx(item.frame.joint_positions, abs=1e-6)
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0


def test_truth(toy, tmp_path):
    recorder = Recorder(toy, replace(EXACT, shift_sigma=0.01))
    write_recording(recorder, tmp_path / "out")
    truth = json.loads((tmp_path / "out" / "truth.json").read_text())
    first, *_ = items = list(recorder.frames())
    assert truth["reference_configuration"] == dict(zip(NAMES, first.values, strict=True))
    assert truth["edges"] == [[0, 1], [1, 2], [2, 3], [3, 4], [2, 5], [2, 6]]
    axes, points = toy.axis_lines(first.values)
    for joint, axis, point, name in zip(truth["joints"], axes, points, NAMES, strict=True):
        assert joint["name"] == name
        np.testing.assert_allclose(joint["axis"], axis)
        np.testing.assert_allclose(joint["point"], point)
    assert [joint["visible"] for joint in truth["joints"]] == [True, True, False, True, True, True]
    assert truth["joints"][5]["mimic"] == {"joint": "slide", "multiplier": -0.5, "offset": 0.04}
    counts = [body["reference_points"] for body in truth["bodies"]]
    assert sum(counts) == 600 and counts[3] == 0
    assert np.bincount(truth["reference_labels"], minlength=7).tolist() == counts
    shifts = [frame["shift"] for part in truth["sequences"] for frame in part["frames"]]
    np.testing.assert_array_equal(shifts, [item.shift for item in items])
    assert truth["dof"] == 5 and truth["urdf"].endswith("toy.urdf")
    assert truth["noise"]["shift_sigma"] == 0.01


def test_the_truth_poses_the_cloud(toy):
    """A joint's child keeps its distance to the axis from frame to frame."""
    recorder = Recorder(toy, replace(EXACT, points=2000))
    first, second, *_ = recorder.frames()
    moved = recorder.robot.body_poses(second.values) @ np.linalg.inv(
        recorder.robot.body_poses(first.values)
    )
    for body in (1, 2, 4):
        points = first.frame.points[first.labels == body]
        placed = points @ moved[body, :3, :3].T + moved[body, :3, 3]
        distance = KDTree(second.frame.points).query(placed)[0]
        assert np.median(distance) < 0.01


def test_an_occupied_folder_is_left_alone(toy, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").write_text("x")
    with pytest.raises(InputError, match="out"):
        write_recording(Recorder(toy, EXACT), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nothing_is_left_of_a_cancelled_recording(toy, tmp_path):
    def cancel(stage, fraction):
        if fraction > 0.4:
            raise AutourdfError("cancelled")

    with pytest.raises(AutourdfError, match="cancelled"):
        write_recording(Recorder(toy, EXACT), tmp_path / "out", progress=cancel)
    assert list(tmp_path.iterdir()) == []


def test_a_robot_that_cannot_be_seen_is_named(tmp_path):
    path = tmp_path / "ghost.urdf"
    path.write_text(
        """<robot name="g"><link name="a"/><link name="b"/><joint name="j" type="continuous">
        <parent link="a"/><child link="b"/></joint></robot>"""
    )
    with pytest.raises(InputError, match=r"ghost\.urdf"):
        list(Recorder(SimulatedRobot(path), EXACT).frames())


@pytest.mark.parametrize(
    ("name", "value"), [("frames", 0), ("points", 0), ("seed", -1), ("shift_sigma", -0.1)]
)
def test_options_out_of_range_are_named(name, value):
    with pytest.raises(InputError, match=rf"{name} is {value}"):
        replace(EXACT, **{name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("cameras", 0), ("width", 4), ("elevations", (60, 10))]
)
def test_cell_options_out_of_range_are_named(name, value):
    with pytest.raises(InputError, match=name):
        replace(CELL, **{name: value})
