"""A weighed payload with joints: scissors of two links, each of a metal and plastics."""

import json

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation
from weighed_tools import POSE, slow_motion

from autourdf_ros.cli.main import main
from autourdf_ros.data.wrenches.wrench_table import COLUMNS, recording_of_poses
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.model.inertial.inertial_parameters import (
    geodesic_distance,
    moved,
    parameters_from,
)
from autourdf_ros.workflows.payloads.reposed_payload import reposed_payload

STEEL, TITANIUM, PLASTIC = 7800.0, 4500.0, 1200.0
BLADE, HANDLE = np.array([0.11, 0.018, 0.005]), np.array([0.07, 0.03, 0.01])
PARTS = {
    "under": ((BLADE, [0.055, 0, 0], STEEL), (HANDLE, [-0.045, 0.01, 0], PLASTIC)),
    "upper": ((BLADE, [0.055, 0, 0], TITANIUM), (HANDLE, [-0.045, -0.01, 0], PLASTIC)),
}
HINGE = np.array([0.0, 0.0, 0.011])
WEIGHED, CLOSED = 0.7, 0.1
PLACE = [*POSE[:3, 3], *Rotation.from_matrix(POSE[:3, :3]).as_euler("xyz")]

LINK = """<link name="{name}"><inertial><mass value="9"/>
  <inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/></inertial>
  {shape}</link>"""
MESH = """<visual><geometry><mesh filename="parts/{name}.stl"/></geometry></visual>"""
JOINT = """<joint name="hinge" type="revolute"><origin xyz="0 0 0.011"/><axis xyz="0 0 1"/>
  <parent link="under"/><child link="upper"/>
  <limit lower="0" upper="1.2" effort="1" velocity="1"/></joint>"""


def own_parameters(name):
    """The true parameters (10,) of a link in its own frame."""
    total = np.zeros(10)
    for size, middle, density in PARTS[name]:
        mass = density * size.prod()
        tensor = np.diag(mass / 12 * ((size**2).sum() - size**2))
        total += parameters_from(mass, middle, tensor)
    return total


def whole(angle):
    """The true parameters (10,) of the scissors in the sensor's frame."""
    opened = np.eye(4)
    opened[:3, :3] = Rotation.from_rotvec([0, 0, angle]).as_matrix()
    opened[:3, 3] = HINGE
    return moved(own_parameters("under") + moved(own_parameters("upper"), opened), POSE)


def write_scissors(folder, shapes=("under", "upper"), name="scissors.urdf"):
    (folder / "parts").mkdir(exist_ok=True)
    for link, parts in PARTS.items():
        boxes = [
            trimesh.creation.box(size, trimesh.transformations.translation_matrix(middle))
            for size, middle, _ in parts
        ]
        trimesh.util.concatenate(boxes).export(folder / "parts" / f"{link}.stl")
    links = [
        LINK.format(name=link, shape=MESH.format(name=link) if link in shapes else "")
        for link in PARTS
    ]
    path = folder / name
    path.write_text(f"<robot name='scissors'>{''.join(links)}{JOINT}</robot>")
    return path


def write_wrenches(path, seed=0):
    times, poses = slow_motion()
    still = recording_of_poses(times, poses, np.zeros((len(times), 6)), "test")
    random = np.random.default_rng(seed)
    wrenches = recording_regressor(still) @ whole(WEIGHED) + [0.3, -0.2, 0.4, 0.01, 0, 0.02]
    wrenches += np.repeat([0.02, 0.001], 3) * random.standard_normal(wrenches.shape)
    turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat()
    table = np.column_stack([times, poses[:, :3, 3], turns, wrenches])
    np.savetxt(path, table, delimiter=",", header=",".join(COLUMNS), comments="")
    return path


def command(folder, *more):
    files = [str(folder / "scissors.urdf"), str(folder / "w.csv")]
    return ["payload", *files, "-o", str(folder / "out"), "--pose", *map(str, PLACE), *more]


@pytest.fixture(scope="module")
def scissors(tmp_path_factory):
    """A folder with scissors, weighed open at `WEIGHED`, in `out`."""
    folder = tmp_path_factory.mktemp("scissors")
    write_scissors(folder)
    write_wrenches(folder / "w.csv")
    assert main(command(folder, "--joints", f"hinge={WEIGHED}")) == 0
    return folder


@pytest.mark.slow
def test_each_link_has_its_mass_within_the_deviations(scissors):
    document = json.loads((scissors / "out" / "payload.json").read_text())
    assert document["joints"] == {"hinge": WEIGHED}
    assert list(document["links"]) == list(PARTS)
    total = sum(link["mass"] for link in document["links"].values())
    assert total == pytest.approx(document["mass"])
    for name, link in document["links"].items():
        true = own_parameters(name)
        std = link["std"]
        assert std["mass"] < 0.1 * true[0]
        assert abs(link["mass"] - true[0]) < 3 * std["mass"]
        apart = np.array(link["centre_of_mass"]) - true[1:4] / true[0]
        assert (np.abs(apart) < 3 * np.array(std["centre_of_mass"])).all()


@pytest.mark.slow
def test_the_parameters_after_the_joint_moved_are_the_true_ones(scissors, capsys):
    weighed = reposed_payload(scissors / "out", {}).payload
    document = json.loads((scissors / "out" / "payload.json").read_text())
    np.testing.assert_allclose(weighed.parameters, list(document["parameters"].values()), rtol=1e-6)
    np.testing.assert_allclose(weighed.covariance, document["covariance"], rtol=1e-4, atol=1e-12)
    closed = reposed_payload(scissors / "out", {"hinge": CLOSED}).payload
    true = whole(CLOSED)
    rest = closed.parameters - true
    assert (np.abs(rest) < 3 * np.sqrt(np.diag(closed.covariance))).all()
    unmoved = geodesic_distance(weighed.parameters, true)
    assert geodesic_distance(closed.parameters, true) < 0.25 * unmoved
    capsys.readouterr()
    assert main(["repose", str(scissors / "out"), f"hinge={CLOSED}", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(list(printed["parameters"].values()), closed.parameters)
    assert main(["repose", str(scissors / "out"), f"hinge={CLOSED}"]) == 0
    assert "hinge=0.1" in capsys.readouterr().out


@pytest.mark.slow
def test_the_description_has_the_links_masses_and_meshes(scissors):
    pin = pytest.importorskip("pinocchio")
    out = scissors / "out"
    document = json.loads((out / "payload.json").read_text())
    model = pin.buildModelFromUrdf(str(out / "payload.urdf"), pin.JointModelFreeFlyer())
    data = model.createData()
    q = pin.neutral(model)
    q[-1] = WEIGHED
    assert pin.computeTotalMass(model) == pytest.approx(document["mass"], rel=1e-6)
    pin.centerOfMass(model, data, q)
    np.testing.assert_allclose(data.com[0], document["centre_of_mass"], atol=1e-7)
    assert len(list((out / "meshes").iterdir())) == 2
    for copied in (out / "meshes").iterdir():
        assert f'filename="meshes/{copied.name}"' in (out / "payload.urdf").read_text()
        assert trimesh.load(copied).is_volume


def test_bad_joints_are_named_and_nothing_is_written(tmp_path, capsys):
    write_scissors(tmp_path)
    write_wrenches(tmp_path / "w.csv")
    for more, messages in (
        (["--joints", "knee=0.2"], ("knee=0.2", "scissors.urdf", "accepted are hinge")),
        (["--joints", "hinge=1.5"], ("hinge=1.5", "0 to 1.2", "scissors.urdf")),
        (["--joints", "hinge"], ("--joints hinge", "NAME=VALUE")),
        (["--joints", "hinge=nan"], ("hinge=nan", "finite")),
        (["--joints", "hinge=0.1", "hinge=0.2"], ("hinge=0.2", "once")),
        (["--frame", "upper"], ("--frame upper", "another name")),
        (["--method", "ols"], ("--method ols", "field")),
        (["--table"], ("--table",)),
    ):
        assert main(command(tmp_path, *more)) == 2
        error = capsys.readouterr().err
        assert all(message in error for message in messages), error
        assert not (tmp_path / "out").exists()
    stl = [str(tmp_path / "parts" / "upper.stl"), str(tmp_path / "w.csv")]
    assert main(["payload", *stl, "-o", str(tmp_path / "out"), "--joints", "hinge=0"]) == 2
    assert "upper.stl has no joints" in capsys.readouterr().err


def test_a_link_without_a_mesh_is_named(tmp_path, capsys):
    write_scissors(tmp_path, shapes=("under",))
    write_wrenches(tmp_path / "w.csv")
    assert main(command(tmp_path)) == 2
    error = capsys.readouterr().err
    assert "link 'upper' has no shape" in error and "scissors.urdf" in error
    write_scissors(tmp_path)
    (tmp_path / "parts" / "upper.stl").unlink()
    assert main(command(tmp_path)) == 2
    assert "'parts/upper.stl' does not exist" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_no_jointed_payload_is_named(tmp_path, capsys):
    assert main(["repose", str(tmp_path)]) == 2
    assert "payload.json: cannot be read" in capsys.readouterr().err
    for content, message in (
        ("[]", "no payload"),
        ('{"format": "autourdf_ros/payload"}', "without joints"),
    ):
        (tmp_path / "payload.json").write_text(content)
        assert main(["repose", str(tmp_path), "hinge=0.1"]) == 2
        assert message in capsys.readouterr().err
