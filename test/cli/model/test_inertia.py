"""`autourdf inertia` writes masses and friction, plans motions, and names what it cannot use."""

import json

import mujoco
import numpy as np
import pytest
from sample_results import write_sample

from autourdf_ros.benchmark.links.simulated_efforts import (
    SimulationOptions,
    drawn_parameters,
    random_motion,
    save_efforts,
    simulated_efforts,
    stated_parameters,
)
from autourdf_ros.cli.main import main
from autourdf_ros.estimation.inertia.links.torque_model import TorqueModel
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.limits.motion_limits import JointLimits, limits_yaml
from autourdf_ros.model.urdf.urdf_reading import read_description

pytestmark = pytest.mark.slow

OPTIONS = SimulationOptions(duration=15.0, rate=100.0, speed=1.0)
HEAVIER = 2.5


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """A result folder, and efforts of the same arm with heavier links."""
    folder = tmp_path_factory.mktemp("arm")
    out = write_sample(folder).folder
    robot = read_description(out / "robot.urdf")
    model = TorqueModel(out / "robot.urdf", [joint.name for joint in robot.moving_joints])
    links = HEAVIER * stated_parameters(robot, model.links)
    truth = drawn_parameters(model, links, OPTIONS, 0)
    made = simulated_efforts(model, truth, random_motion(model, OPTIONS, 3), OPTIONS, 3)
    save_efforts(made.recording, folder / "efforts.npz")
    return folder, made.recording


def content(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_masses_friction_and_armature_come_into_the_folder(arm, capsys):
    folder, recording = arm
    out = folder / "out"
    before = read_self_model(out)
    assert main(["inertia", str(out), str(folder / "efforts.npz")]) in (0, 1)
    assert "of what efforts can show is known" in capsys.readouterr().out
    model = read_self_model(out)
    assert model.inertia.provenance.method == "inertia/efforts, log-cholesky"
    assert model.inertia.provenance.data_digest == recording.digest
    heavy = model.inertia.links["link_3"]
    assert heavy.mass == pytest.approx(HEAVIER * before.inertia.links["link_3"].mass, rel=0.2)
    assert heavy.covariance.shape == (10, 10)
    assert set(model.dynamics.joints) <= set(recording.joints)
    document = json.loads((out / "reconstruction.json").read_text())
    assert document["layers"]["inertia"]["verdict"] == model.inertia.verdict.trust
    assert document["efforts"]["motions"]
    page = (out / "report.html").read_text()
    assert "Masses and friction from efforts" in page
    own = next(row for row in document["efforts"]["links"] if row["name"] == "link_3")
    row = page[page.index("Masses that were measured") :]
    row = row[row.index("link_3") : row.index("</tr>", row.index("link_3"))]
    assert f"{heavy.mass:.3g} ± {heavy.mass_std:.2g} kg" in row
    assert f"<td>{own['mass']}<small>{', '.join(own['centre'])}</small>" in row
    assert (out / "figures/efforts.svg").is_file()
    simulated = mujoco.MjModel.from_xml_path(str(out / "robot.mjcf.xml"))
    for name, joint in model.dynamics.joints.items():
        place = simulated.joint(name).dofadr[0]
        assert simulated.dof_armature[place] == pytest.approx(joint.armature, rel=1e-4)
        assert simulated.dof_damping[place] == pytest.approx(joint.damping, rel=1e-4)
    assert main(["rollback", str(out)]) == 0
    assert read_self_model(out).inertia.links["link_3"].mass == before.inertia.links["link_3"].mass


@pytest.mark.parametrize(
    ("changes", "arguments", "reason"),
    [
        ({"efforts": 0.0}, [], "no effort ever changes"),
        ({"efforts": 1e6}, [], "kg/m³"),
        ({"positions": 57.3}, [], "are these degrees"),
        ({}, ["--joints", "elbow"], "has no 'elbow'"),
        ({}, ["--cutoff", "-1"], "--cutoff: is -1.0"),
        ({}, ["--plan", "motion.csv"], "either BAG or --plan"),
    ],
)
def test_unusable_input_is_named_and_nothing_is_written(
    arm, tmp_path, capsys, changes, arguments, reason
):
    folder, recording = arm
    arrays = {
        "joints": np.array(recording.joints),
        "times": recording.times,
        "positions": recording.positions * changes.get("positions", 1.0),
        "efforts": recording.efforts * changes.get("efforts", 1.0),
    }
    np.savez(tmp_path / "efforts.npz", **arrays)
    out = folder / "out"
    before = content(out)
    assert main(["inertia", str(out), str(tmp_path / "efforts.npz"), *arguments]) == 2
    assert reason in capsys.readouterr().err
    assert content(out) == before


def limits_of(recording, path):
    limits = {name: JointLimits(-0.3, 0.4, 0.8, 2.0) for name in recording.joints}
    limits["slide"] = JointLimits(0.0, 0.05, 0.1, 0.5)
    path.write_text(limits_yaml(limits))
    return limits


@pytest.mark.parametrize("kind", ["fourier", "stop-and-go"])
def test_a_planned_motion_keeps_the_limits_and_moves_nothing(arm, tmp_path, capsys, kind):
    folder, recording = arm
    limits = limits_of(recording, tmp_path / "limits.yaml")
    plan, before = tmp_path / "motion.csv", content(folder / "out")
    arguments = ["--plan", str(plan), "--limits", str(tmp_path / "limits.yaml")]
    arguments += ["--motion", kind, "--duration", "6"]
    assert main(["inertia", str(folder / "out"), *arguments]) == 0
    said = capsys.readouterr().out
    assert "nats are expected" in said and "of the room nothing is known" in said
    names = plan.read_text().splitlines()[0].split(",")
    table = np.loadtxt(plan, delimiter=",", skiprows=1)
    for joint, limit in limits.items():
        columns = [
            names.index(f"{joint}.{one}") for one in ("position", "velocity", "acceleration")
        ]
        place, speed, rise = table[:, columns].T
        assert limit.lower - 1e-6 <= place.min() <= place.max() <= limit.upper + 1e-6
        assert np.abs(speed).max() <= limit.velocity * (1 + 1e-6)
        assert np.abs(rise).max() <= limit.acceleration * (1 + 1e-6)
        assert speed[0] == speed[-1] == 0
    assert content(folder / "out") == before


def planned(arm, tmp_path, obstacles, kind="fourier"):
    """Plan among obstacles; return the exit code."""
    limits_of(arm[1], tmp_path / "limits.yaml")
    (tmp_path / "room.yaml").write_text(json.dumps({"/**": {"ros__parameters": obstacles}}))
    arguments = ["--plan", str(tmp_path / "motion.csv"), "--limits", str(tmp_path / "limits.yaml")]
    arguments += ["--obstacles", str(tmp_path / "room.yaml"), "--motion", kind, "--duration", "2"]
    return main(["inertia", str(arm[0] / "out"), *arguments])


def test_a_plan_is_screened_with_the_obstacles(arm, tmp_path, capsys):
    turning = next(name for name in arm[1].joints if name != "slide")
    sides = {"low": {turning: [-0.3, 0.03]}, "high": {turning: [0.07, 0.4]}}
    for kind in ("fourier", "stop-and-go"):
        assert planned(arm, tmp_path, {"forbidden": list(sides), **sides}, kind) == 0
        said = capsys.readouterr().out
        assert "note" in said and "--obstacles" not in said
        table = np.genfromtxt(tmp_path / "motion.csv", delimiter=",", names=True, deletechars="")
        places = table[f"{turning}.position"]
        assert 0.03 < places.min() < places.max() < 0.07
    (tmp_path / "motion.csv").unlink()
    cage = {"keep_out": ["cage"], "cage": {"lower": [-2, -2, 0.0], "upper": [2, 2, 2]}}
    assert planned(arm, tmp_path, cage) == 2
    assert "in the middle of its limits" in (said := capsys.readouterr().err) and "cage" in said
    assert planned(arm, tmp_path, {"minimum_height": 5.0}) == 2
    assert "sinks below" in capsys.readouterr().err
    assert not (tmp_path / "motion.csv").exists()


def test_a_plan_needs_limits(arm, tmp_path, capsys):
    out = arm[0] / "out"
    assert main(["inertia", str(out), "--plan", str(tmp_path / "motion.csv")]) == 2
    assert "--plan needs --limits" in capsys.readouterr().err
    limits_of(arm[1], tmp_path / "limits.yaml")
    arguments = ["--plan", str(tmp_path / "no" / "motion.csv"), "--duration", "1e9"]
    arguments += ["--limits", str(tmp_path / "limits.yaml")]
    assert main(["inertia", str(out), *arguments]) == 2
    assert "--duration" in capsys.readouterr().err
