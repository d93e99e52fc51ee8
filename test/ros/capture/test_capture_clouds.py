"""What the capture node makes of the clouds of its cameras."""

import time

import numpy as np
import pytest
from capture_rig import LIMITS, events, reset
from scipy.spatial.transform import Rotation

from autourdf_ros.data.load import load_recording

pytestmark = pytest.mark.timeout(300)

WRIST = "/wrist_camera/points"


def test_a_camera_on_the_wrist_is_placed_by_the_transform_of_its_stamp(cell, robot):
    robot.do("wrist")
    # Its transforms come later and more seldom than its clouds.
    cell.start_capture(cameras=["/camera_0/points", WRIST], sequences=1, min_coverage=0)
    cell.start()
    cell.until(lambda: cell.completed)
    frames = load_recording(cell.completed[0]).frames
    places = np.array([frame.camera_poses[1, :3, 3] for frame in frames])
    assert np.ptp(places, axis=0).max() > 0.02
    for frame in frames:
        seen = frame.points[frame.cameras == 1]
        # The fixed box of 0.3 x 0.3 x 0.2 m must stand where it stands in the base frame.
        low = seen[seen[:, 2] < 0.15]
        assert len(low) > 100
        np.testing.assert_allclose(low[:, :2].max(axis=0), 0.15, atol=0.01)
        np.testing.assert_allclose(low[:, :2].min(axis=0), -0.15, atol=0.01)


def test_a_slow_camera_is_waited_for_and_its_latency_reported(cell, robot):
    robot.do("delay")
    cell.start_capture(sequences=1)
    cell.start()
    cell.until(lambda: cell.completed)
    assert float(cell.diagnostics[-1][1]["/camera_0/points latency (s)"]) > 0.4
    for frame in load_recording(cell.completed[0]).frames:
        # The arm is where the joints of that moment let it be: along x, once they are undone.
        angles = [frame.joint_positions[joint] for joint in ("pan", "tilt")]
        hinge = (0, 0, 0.5)
        points = Rotation.from_euler("ZY", angles).apply(frame.points - hinge, inverse=True)
        arm = points[(points[:, 0] > 0.2) & (np.abs(points[:, 2] - 0.05) < 0.1)]
        middle = (arm.min(axis=0) + arm.max(axis=0)) / 2
        assert len(arm) > 100 and np.abs(middle[1:] - (0, 0.05)).max() < 0.25 * 0.03


def test_a_frame_that_is_hidden_is_taken_again_and_one_that_stays_hidden_ends_the_session(
    cell, robot
):
    cell.start_capture(speed=0.3, frames=20, retakes=2)
    cell.start()
    cell.until_frame(1)
    robot.do("hide")
    cell.until_said("stopped: no frame could be taken in 3 tries: /camera_0/points sees ")
    message, values = cell.diagnostics[-1]
    assert "of the earlier frames; accepted is 25% (min_coverage)" in message
    assert values["rejected for coverage"] == "3"
    assert int(values["/camera_0/points replaced by newer"]) > 0
    cell.until_closed()
    (recording,) = cell.recordings()
    reasons = [e["reason"] for e in events(recording) if e["event"] == "frame_rejected"]
    # A busy machine may take a view too early, which is a rejection for motion and no try.
    assert [reason for reason in reasons if reason != "motion"] == ["coverage"] * 3
    assert reasons[-1] == "coverage"
    assert len(reasons) == int(values["rejected frames"])
    count = len(load_recording(recording).frames)
    assert count == int(values["frame"])


def test_millimetres_are_named_before_anything_moves(cell, robot):
    robot.do("millimetres")
    cell.start_capture()
    cell.start()
    cell.until_said("stopped: recording failed: /camera_0/points: the points are 1.")
    assert "cloud_scale" in cell.diagnostics[-1][0] and "0.001" in cell.diagnostics[-1][0]
    assert robot.commands == []
    cell.stop_capture()
    cell.start_capture(cloud_scale=[0.001], sequences=1)
    cell.start()
    cell.until(lambda: cell.completed)


def test_a_recorded_background_is_taken_away(cell, robot):
    robot.do("gone")
    robot.do("shelf")
    cell.start_capture(joint_state_timeout=0.02)  # readings do not matter
    cell.until(lambda: not cell.capture._cell.missing_clouds())
    time.sleep(0.3)
    assert cell.call("record_background").success
    cell.until_said("the background is in ")
    background = cell.recordings()[-1]
    assert "background_" in background.name and not robot.commands and not cell.completed
    cell.stop_capture()
    reset(cell, robot)
    robot.do("shelf")
    cell.start_capture(background=str(background), connect_gap=0.0, sequences=1, frames=2)
    cell.start()
    cell.until(lambda: cell.completed)
    for frame in load_recording(cell.completed[0]).frames:
        assert len(frame.points) > 500 and frame.points[:, 0].max() < 0.4


def test_a_quality_of_service_that_does_not_match_is_said(cell, robot):
    cell.start_capture(autostart=True, cloud_reliability="reliable")
    cell.until_said("/camera_0/points is published by fake_robot with a quality of service")


def test_a_joint_or_transform_that_nobody_publishes_is_said(cell, robot):
    cell.start_capture(autostart=True, joints=["pan", "elbow"], elbow=LIMITS, tilt={})
    cell.until_said("/joint_states has no elbow; it has pan, tilt")
    cell.stop_capture()
    cell.start_capture(autostart=True, base_frame="world")
    cell.until_said("no transform to world from camera_0_optical_frame")
    assert robot.commands == []


def test_a_robot_that_the_box_cuts_off_is_said_and_recorded(cell, robot):
    cell.start_capture(sequences=1, frames=10, box_upper=[0.25, 1.5, 2.0])
    cell.start()
    cell.until_closed()
    (recording,) = cell.recordings()
    cut = [event for event in events(recording) if event["event"] == "frame_cut"]
    assert 0 < len(cut) < len(load_recording(recording).frames)
    cell.until(lambda: cell.diagnostics[-1][1]["frames cut off"] == str(len(cut)))
    message = cell.diagnostics[-1][0]
    assert "cut off where the box ends, at x = 0.250 m (box_upper): widen the box" in message
