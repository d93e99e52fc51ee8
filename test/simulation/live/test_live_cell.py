"""The cell as it runs, with a clock of the test's own."""

from dataclasses import replace

import numpy as np
import pytest
from toy_robot import DRIVEN, TOY_URDF, values

from autourdf_ros.commanding.trajectory import through
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.live.controller_commands import RefusedError, TrajectoryPoint
from autourdf_ros.simulation.live.live_cell import LiveCell, MotorOptions, random_start
from autourdf_ros.simulation.simulated_cell import CellOptions

LIMITS = {name: JointLimits(-2.0, 2.0, 1.5, 3.0) for name in DRIVEN}
OPTIONS = CellOptions(2, 64, 48, (15, 60), REAL_CAMERA, ground=True, clutter=3)


@pytest.fixture
def cell(toy):
    return LiveCell(toy, OPTIONS, MotorOptions(), "neutral")


def test_encoder_noise(cell):
    cell.advance(1.0)
    reads = np.array([list(cell.readings()[0].values()) for _ in range(2000)])
    np.testing.assert_allclose(reads.std(axis=0), [1e-4] * 4 + [1e-5], rtol=0.1)
    np.testing.assert_allclose(reads.mean(axis=0), 0, atol=1e-5)
    assert list(cell.readings()[0]) == cell.names == DRIVEN


def test_follows_commands_within_the_urdfs_velocities(cell):
    cell.go_to([0.5, -0.5, 0.5, 2.0, 0.05])
    fastest = np.zeros(5)
    for tick in range(500):
        cell.advance(0.01 * (tick + 1))
        fastest = np.maximum(fastest, np.abs(list(cell.readings()[1].values())))
    np.testing.assert_allclose(
        list(cell.readings()[0].values()), [0.5, -0.5, 0.5, 2, 0.05], atol=1e-3
    )
    assert (fastest <= [1.5, 2, 2, 1.0, 0.2]).all()
    assert not cell.is_moving


def test_a_refused_command_leaves_the_robot_where_it_goes(cell):
    cell.go_to([0.5, 0, 0, 0, 0])
    cell.advance(0.1)
    with pytest.raises(RefusedError):
        cell.go_to([9.0, 0, 0, 0, 0])
    with pytest.raises(RefusedError):
        cell.follow_trajectory(["pan"], [TrajectoryPoint([0.0], [], 1.0)], lambda: 0.1)
    cell.advance(5.0)
    assert cell.readings()[0]["pan"] == pytest.approx(0.5, abs=1e-3)


def test_a_trajectory_may_begin_later(cell):
    cell.follow_trajectory(DRIVEN, [TrajectoryPoint([0.1] * 4 + [0.05], [], 1.0)], lambda: 0.0, 2.0)
    cell.advance(1.5)
    halfway = cell.readings()[0]["pan"]
    cell.advance(3.5)
    assert 0.02 < halfway < 0.08
    assert cell.readings()[0]["pan"] == pytest.approx(0.1, abs=1e-3)


def test_a_trajectory_begins_when_it_comes_not_at_the_last_cycle(cell):
    cell.advance(1.0)
    cell.follow_trajectory(DRIVEN, [TrajectoryPoint([0.1] * 4 + [0.05], [], 1.0)], lambda: 1.5)
    cell.advance(1.5)
    assert cell.readings()[0]["pan"] == pytest.approx(0.0, abs=1e-3)
    cell.advance(2.0)
    assert cell.readings()[0]["pan"] == pytest.approx(0.05, abs=0.01)


def test_motors_do_not_hurry_after_a_trajectory_whose_check_took_long(cell):
    """They overshot by 0.1 rad, and the watch over the robot saw them go back."""
    here = dict.fromkeys(DRIVEN, 0.0)
    move = through([here, {**here, "pan": 1.0}], LIMITS, 0.7)
    rows = zip(move.positions.tolist(), move.velocities.tolist(), move.times, strict=True)
    points = [TrajectoryPoint(*row) for row in rows]
    cell.follow_trajectory(DRIVEN, points, iter([0.0, 0.6]).__next__)  # receipt, and taken up
    pan = DRIVEN.index("pan")
    for time in np.arange(0.05, 0.6 + move.duration + 0.5, 0.05):
        cell.advance(time)
        expected = move.at(time - 0.6)[pan]
        assert cell.readings()[0]["pan"] == pytest.approx(expected, abs=2e-3)


def test_images_show_the_configuration_of_their_time(toy):
    cell = LiveCell(toy, replace(OPTIONS, width=160, height=120), MotorOptions(), "neutral")
    cell.go_to([0.8, 0.3, 0, 0, 0])
    cell.advance(0.6)
    time, image = cell.measure(0)
    assert time == 0.6
    assert image.points.shape == (120, 160, 3)
    reads = cell.readings()[0]
    assert cell.is_moving and 0.1 < reads["pan"] < 0.7
    pose = cell.cell.cameras[0].pose
    points = image.points[image.body == 2] @ pose[:3, :3].T + pose[:3, 3]
    arm = np.linalg.inv(toy.body_poses(values(toy, **reads))[2])
    local = points[np.isfinite(points).all(axis=1)] @ arm[:3, :3].T + arm[:3, 3]
    assert len(local) > 50
    beyond = np.abs(local - [0.15, 0, 0]) - [0.15, 0.025, 0.03]
    assert np.median(beyond.max(axis=1)) < 0.004


def test_truth_of_the_start_with_the_cameras(cell, toy):
    truth = cell.truth()
    assert truth["start_configuration"] == dict(zip(toy.names, toy.neutral, strict=True))
    assert len(truth["cameras"]) == 2
    nominal, true = (np.array(truth["cameras"][0][kind]) for kind in ("nominal", "true"))
    np.testing.assert_array_equal(nominal, cell.cell.cameras[0].pose)
    assert 0 < np.linalg.norm(nominal[:3, 3] - true[:3, 3]) < 0.01


def test_the_seed_decides_start_cameras_and_noise(toy):
    cells = [LiveCell(toy, OPTIONS, MotorOptions(), seed=seed) for seed in (4, 4, 5)]
    truths = [cell.truth() for cell in cells]
    assert truths[0] == truths[1] != truths[2]
    images = [cell.measure(1)[1].points for cell in cells]
    np.testing.assert_array_equal(images[0], images[1])
    assert cells[0].readings() == cells[1].readings()


def test_a_neutral_start_must_be_free(tmp_path):
    path = tmp_path / "toy.urdf"
    path.write_text(TOY_URDF.replace('offset="0.04"', 'offset="0.5"'))
    with pytest.raises(InputError, match=r"toy\.urdf: cannot start .* 'slide_coupled' at 0\.5"):
        LiveCell(SimulatedRobot(path), OPTIONS, MotorOptions(), "neutral")


def test_where_a_cell_will_stand_is_known_before_it_starts(toy):
    cell = LiveCell(toy, OPTIONS, MotorOptions(), "random", seed=3)
    expected = dict(zip(toy.names, random_start(toy, OPTIONS, 3).tolist(), strict=True))
    assert cell.truth()["start_configuration"] == pytest.approx(expected)
