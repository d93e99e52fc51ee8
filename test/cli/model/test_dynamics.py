"""`autourdf dynamics` writes friction, damping and armature, and names what it cannot use."""

import json

import mujoco
import numpy as np
import pytest
from sample_results import write_sample

from autourdf_ros.cli.main import main
from autourdf_ros.estimation.dynamics.robot.described_mechanism import (
    RobotSimulation,
    mechanism_of_urdf,
)
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.urdf.urdf_reading import read_description

pytestmark = pytest.mark.slow

RATE, DURATION = 200.0, 8.0


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """A result folder, its joints' true resistances, and a recording of a driven motion."""
    folder = tmp_path_factory.mktemp("driven")
    out = write_sample(folder).folder
    joints = [joint.name for joint in read_description(out / "robot.urdf").moving_joints]
    mechanism = mechanism_of_urdf(out / "robot.urdf", joints, RobotSimulation(step=0.0005))
    factors = np.exp(np.random.default_rng(0).uniform(0.3, 1.5, len(mechanism.table)))
    true = mechanism.table.values(mechanism.table.prior_mean) * factors
    model = mechanism.setter.model(true)
    np.savez(folder / "efforts.npz", **recorded(model, mechanism.joints))
    return out, folder / "efforts.npz", dict(zip(mechanism.table.names, true, strict=True))


def recorded(model, joints):
    """Positions and efforts of joints that follow sines by feedback."""
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    inertia = np.array(model.dof_M0)
    size = np.where(model.jnt_type == 2, 0.03, 0.4)  # 2: slides
    rates = rng.uniform(2.0, 5.0, (3, model.nv))
    held = round(1 / RATE / model.opt.timestep)
    rows = []
    for _ in range(int(DURATION * RATE)):
        wanted = size * np.sin(rates * data.time).sum(0)
        effort = inertia * (400 * (wanted - data.qpos) - 30 * data.qvel)
        rows.append((data.time, data.qpos.copy(), effort))
        data.qfrc_applied[:] = effort
        mujoco.mj_step(model, data, held)
    times, positions, efforts = (np.array(column) for column in zip(*rows, strict=True))
    positions = positions + 1e-5 * rng.standard_normal(positions.shape)
    return {"joints": np.array(joints), "times": times, "positions": positions, "efforts": efforts}


def test_resistances_come_into_the_folder(driven, capsys):
    out, efforts, truth = driven
    assert main(["dynamics", str(out), str(efforts), "--efforts", "commanded"]) in (0, 1)
    text = capsys.readouterr().out
    assert "held-out motion" in text
    model = read_self_model(out)
    assert model.dynamics.provenance.method == "dynamics/shooting"
    document = json.loads((out / "reconstruction.json").read_text())
    known = [one for one in document["dynamics"]["parameters"] if one["source"] == "data"]
    assert len(known) >= len(truth) / 2
    for one in known:
        assert one["value"] == pytest.approx(truth[one["name"]], rel=0.3)
    assert max(document["dynamics"]["held_out"]["shares"].values()) < 0.05
    simulated = mujoco.MjModel.from_xml_path(str(out / "robot.mjcf.xml"))
    for name, joint in model.dynamics.joints.items():
        place = simulated.joint(name).dofadr[0]
        assert simulated.dof_armature[place] == pytest.approx(joint.armature, rel=1e-4)
        assert simulated.dof_damping[place] == pytest.approx(joint.damping, rel=1e-4)
        assert simulated.dof_frictionloss[place] == pytest.approx(joint.friction, rel=1e-4)
    assert main(["rollback", str(out)]) == 0


@pytest.mark.parametrize(
    ("changes", "arguments", "reason"),
    [
        ({"efforts": 0.0}, [], "no effort ever changes"),
        ({}, ["--joints", "elbow"], "has no 'elbow'"),
        ({}, ["--step", "1"], "--step: is 1.0"),
        ({"rows": 150}, [], "accepted are"),
    ],
)
def test_unusable_input_is_named(driven, tmp_path, capsys, changes, arguments, reason):
    out, efforts, _ = driven
    arrays = dict(np.load(efforts))
    arrays["efforts"] = arrays["efforts"] * changes.get("efforts", 1.0)
    for name in ("times", "positions", "efforts"):
        arrays[name] = arrays[name][: changes.get("rows")]
    np.savez(tmp_path / "efforts.npz", **arrays)
    assert main(["dynamics", str(out), str(tmp_path / "efforts.npz"), *arguments]) == 2
    assert reason in capsys.readouterr().err
