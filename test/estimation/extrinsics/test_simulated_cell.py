"""Depth cameras with the noise of real ones, around a robot, 2 cm and 2 degrees off."""

import numpy as np
import pytest
from moving_scene import disturbed, errors_about
from toy_robot import write_toy

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.estimation.extrinsics.corrected_recording import corrected
from autourdf_ros.estimation.extrinsics.estimate import estimate_extrinsics
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

pytestmark = pytest.mark.slow


def test_disturbed_extrinsics_of_a_simulated_cell_are_refined(tmp_path):
    cell = CellOptions(3, 240, 180, elevations=(20.0, 60.0), noise=REAL_CAMERA)
    options = RecorderOptions(1, 8, 6000, point_sigma=0, shift_sigma=0, clean=True, cell=cell)
    recorder = Recorder(SimulatedRobot(write_toy(tmp_path)), options)
    true = np.stack([camera.pose for camera in recorder.cell.true_cameras])
    frames = tuple(item.frame for item in recorder.frames())
    given = disturbed(frames[0].camera_poses, np.radians(2.0), 0.02, 1)
    off = corrected(Recording((Sequence(frames),)), given)
    found = estimate_extrinsics(off)
    before = np.abs(errors_about(found.given, true, found.centre)[1:])
    errors = errors_about(found.poses, true, found.centre)[1:]
    assert before[:, :3].max() > np.radians(1.0)
    assert before[:, 3:].max() > 0.01
    assert np.abs(errors)[:, :3].max() < np.radians(0.3)
    assert np.abs(errors)[:, 3:].max() < 0.003
    deviations = np.sqrt(np.einsum("cii->ci", found.covariances[1:]))
    assert (np.abs(errors) < 3 * deviations).all()
    # Found from the same recording, corrected by what was found: nothing is left to correct.
    again = estimate_extrinsics(corrected(off, found.poses))
    moved = inverse(found.relative) @ again.relative
    assert np.abs(moved - np.eye(4)).max() < 1e-3
