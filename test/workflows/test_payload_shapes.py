"""The command `payload` with a scan, a table and a gripper's description."""

import json

import numpy as np
import pytest
from scanned_tools import around, block, scan
from scipy.spatial.transform import Rotation
from weighed_tools import slow_motion

from autourdf_ros.cli.main import main
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.data.wrenches.wrench_table import COLUMNS, recording_of_poses
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.model.inertial.inertial_parameters import moved, parameters_from

DENSITY = 2700.0
GRASP = [0.45, 0.1, 0.25, np.pi, 0.0, 0.6]
"""The sensor's pose in the robot's base frame as the gripper closes: it looks down."""
GRIPPER = parameters_from(0.8, np.array([0, 0, 0.05]), np.eye(3) * 1e-3)
URDF = """<robot name="gripper"><link name="flange"><inertial><origin xyz="0 0 0.05"/>
  <mass value="0.8"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>
</inertial></link></robot>"""


def truth():
    """The block's parameters (10,) in the sensor's frame."""
    (mesh,) = block()
    grasp = np.eye(4)
    grasp[:3, :3] = Rotation.from_euler("xyz", GRASP[3:]).as_matrix()
    grasp[:3, 3] = GRASP[:3]
    own = parameters_from(
        DENSITY * mesh.volume, mesh.center_mass, DENSITY * np.asarray(mesh.moment_inertia)
    )
    return moved(own, np.linalg.inv(grasp))


def write_wrenches(path, parameters):
    times, poses = slow_motion()
    still = recording_of_poses(times, poses, np.zeros((len(times), 6)), "test")
    random = np.random.default_rng(0)
    wrenches = recording_regressor(still) @ parameters
    wrenches += np.repeat([0.02, 0.001], 3) * random.standard_normal(wrenches.shape)
    turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat()
    table = np.column_stack([times, poses[:, :3, 3], turns, wrenches])
    np.savetxt(path, table, delimiter=",", header=",".join(COLUMNS), comments="")


@pytest.mark.slow
def test_a_scan_gives_the_payload_and_marks_what_was_not_seen(tmp_path, capsys):
    recording = scan(block(), around(6), shift=0.002, turn=0.2)
    with RecordingWriter(tmp_path / "scan") as writer:
        writer.start_sequence("0000")
        for frame in recording.frames:
            writer.write_frame(frame)
    write_wrenches(tmp_path / "w.csv", truth() + GRIPPER)
    (tmp_path / "gripper.urdf").write_text(URDF)
    command = ["payload", str(tmp_path / "scan"), str(tmp_path / "w.csv")]
    command += ["-o", str(tmp_path / "out"), "--grasp", *map(str, GRASP)]
    assert main([*command, "--gripper", str(tmp_path / "gripper.urdf"), "flange"]) == 0
    document = json.loads((tmp_path / "out" / "payload.json").read_text())
    true = truth()
    assert document["mass"] == pytest.approx(true[0], rel=0.02)
    centre = np.array(document["centre_of_mass"])
    assert np.linalg.norm(centre - true[1:4] / true[0]) < 0.004
    assert 0.05 < document["shape"]["unseen"] < 0.5
    assert "no camera saw" in (tmp_path / "out" / "report.html").read_text()


def test_options_that_exclude_each_other_are_named(tmp_path, capsys):
    write_wrenches(tmp_path / "w.csv", truth())
    block()[0].export(tmp_path / "block.stl")
    command = ["payload", str(tmp_path / "block.stl"), str(tmp_path / "w.csv"), "-o", "out"]
    for more, message in (
        (["--pose", *"111111", "--grasp", *"000000"], "--pose and --grasp"),
        (["--grasp", "nan", *"00000"], "finite"),
        (["--empty", "e.csv", "--gripper", "g.urdf", "hand"], "--empty and --gripper"),
        (["--gripper", str(tmp_path / "none.urdf"), "hand"], "none.urdf"),
        (["--table"], "--table"),
    ):
        assert main([*command, *more]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
