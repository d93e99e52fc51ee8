"""Tests of the command `payload` and its folder."""

import json

import numpy as np
import pytest
import trimesh
import yaml
from scipy.spatial.transform import Rotation
from weighed_tools import POSE, WOOD, slow_motion

from autourdf_ros.cli.main import main
from autourdf_ros.data.wrenches.wrench_table import COLUMNS, recording_of_poses
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.model.inertial.held_payload import (
    HeldPayload,
    central_jacobian,
    inertia_ellipsoid,
)
from autourdf_ros.model.inertial.inertial_parameters import (
    mass_centre_inertia,
    moved,
    parameters_from,
)

SIZE = np.array([0.2, 0.06, 0.05])
MASS = float(WOOD * SIZE.prod())
TRUTH = moved(
    parameters_from(MASS, np.zeros(3), np.diag(MASS / 12 * ((SIZE**2).sum() - SIZE**2))), POSE
)
ANGLES = Rotation.from_matrix(POSE[:3, :3]).as_euler("xyz")
PLACE = ["--pose", *map(str, [*POSE[:3, 3], *ANGLES])]


@pytest.fixture
def given(tmp_path):
    """A mesh file and a table of wrenches with bias and noise."""
    trimesh.creation.box(SIZE).export(tmp_path / "bar.stl")
    times, poses = slow_motion()
    still = recording_of_poses(times, poses, np.zeros((len(times), 6)), "test")
    random = np.random.default_rng(0)
    wrenches = recording_regressor(still) @ TRUTH + [0.3, -0.2, 0.4, 0.01, 0, 0.02]
    wrenches += np.repeat([0.02, 0.001], 3) * random.standard_normal(wrenches.shape)
    turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat()
    write_table(tmp_path / "w.csv", np.column_stack([times, poses[:, :3, 3], turns, wrenches]))
    return tmp_path


def write_table(path, table):
    np.savetxt(path, table, delimiter=",", header=",".join(COLUMNS), comments="")


@pytest.mark.slow
def test_it_writes_values_urdf_and_report(given, capsys):
    out = given / "out"
    command = ["payload", str(given / "bar.stl"), str(given / "w.csv"), "-o", str(out), *PLACE]
    assert main(command) == 0
    assert "verdict         trusted" in capsys.readouterr().out
    document = json.loads((out / "payload.json").read_text())
    assert abs(document["mass"] - MASS) < 4 * document["std"]["mass"]
    centre = TRUTH[1:4] / TRUTH[0]
    np.testing.assert_allclose(document["set_payload"]["center_of_gravity"], centre, atol=2e-3)
    plain = yaml.safe_load((out / "payload.yaml").read_text())
    assert plain["set_payload"] == document["set_payload"]
    pin = pytest.importorskip("pinocchio")
    own = pin.buildModelFromUrdf(str(out / "payload.urdf"), pin.JointModelFreeFlyer()).inertias[1]
    assert own.mass == pytest.approx(document["mass"], rel=1e-6)
    page = (out / "report.html").read_text()
    assert "Measured and predicted wrenches" in page
    assert main(command) == 0  # an earlier payload is replaced


@pytest.mark.slow
def test_bad_wrenches_are_named_and_nothing_is_written(given, capsys):
    out = given / "out"
    table = np.loadtxt(given / "w.csv", delimiter=",", skiprows=1)
    table[:, 8:] *= -1
    write_table(given / "bad.csv", table)
    command = ["payload", str(given / "bar.stl"), str(given / "bad.csv"), "-o", str(out), *PLACE]
    assert main(command) == 2
    assert "wrong sign" in capsys.readouterr().err
    assert not out.exists()
    assert main([*command, "--reaction"]) == 0


def test_what_would_be_lost_is_refused(given, capsys):
    out = given / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    command = ["payload", str(given / "bar.stl"), str(given / "w.csv"), "-o", str(out)]
    assert main(command) == 2
    assert "thesis.txt" in capsys.readouterr().err
    assert main(["payload", str(given / "none.stl"), str(given / "w.csv"), "-o", "x"]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_deviations_about_the_centre_follow_from_those_about_the_origin():
    step = 1e-6
    rows = []
    for one in np.eye(10):
        ends = []
        for sign in (1, -1):
            mass, centre, inertia = mass_centre_inertia(TRUTH + sign * step * one)
            order = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
            ends.append(np.array([mass, *centre, *(inertia[place] for place in order)]))
        rows.append((ends[0] - ends[1]) / (2 * step))
    np.testing.assert_allclose(central_jacobian(TRUTH), np.array(rows).T, atol=1e-6)
    assert HeldPayload(TRUTH, None, "tool0").central_covariance() is None


def test_the_ellipsoid_has_the_inertia():
    mass, _, inertia = mass_centre_inertia(TRUTH)
    lengths, axes = inertia_ellipsoid(mass, inertia)
    second = axes @ np.diag(mass * lengths**2 / 5) @ axes.T
    np.testing.assert_allclose(np.trace(second) * np.eye(3) - second, inertia, atol=1e-12)
