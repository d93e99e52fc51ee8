"""What the study of excitations makes of its runs."""

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from motor_driven_arm import AXES, POINTS, arm, motor

from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.data.frame import Recording
from autourdf_ros.errors import ReconstructionError
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("study", ROOT / "studies" / "excitation_study.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def a_run(excitation, seed, *errors):
    models = [{"missing": int(e is None), "std_deg": None, "error_deg": e} for e in errors]
    return {"robot": "z1", "seed": seed, "excitation": excitation, "models": models}


def observed(study, monkeypatch, reconstruct):
    """What the study says of a model of the arm, which it is given in place of a recording's."""
    joints = [
        SkeletonJoint(name, "revolute", AXES[j], POINTS[j], j, j + 1)
        for j, name in enumerate("abc")
    ]
    robot = SimpleNamespace(names=list("abc"), driven=np.ones(3, dtype=bool))
    monkeypatch.setattr(study, "reconstruct", reconstruct)
    truth = TrueModel(Skeleton(tuple(joints), 1.0))
    return study.observe(Recording((), fixed_frame="base_link"), None, robot, truth)


def test_an_observation_has_the_worst_axis_once_every_motor_has_a_joint(study, monkeypatch):
    motors = [motor(name) for name in "abc"]
    known = observed(study, monkeypatch, lambda *_: arm(motors, (0.01, 0.02, 0.01)))
    assert known["missing"] == 0 and known["error_deg"] == pytest.approx(0.0, abs=1e-3)
    assert known["std_deg"] == pytest.approx(np.degrees(0.02), abs=1e-3)
    known = observed(study, monkeypatch, lambda *_: arm(motors[:2]))
    assert known["missing"] == 1 and known["std_deg"] is known["error_deg"] is None


def test_of_a_recording_without_a_model_all_joints_are_missing(study, monkeypatch):
    def fail(*_):
        raise ReconstructionError("no joint")

    known = observed(study, monkeypatch, fail)
    assert known["missing"] == 3 and known["verdict"] == "failed"


def test_random_targets_are_observed_after_twice_the_frames_too(study):
    assert study.observations_of("informative", 15) == (15,)
    assert study.observations_of("random", 15) == (15, 30)


def test_medians_are_of_seeds_that_have_both(study):
    runs = [
        a_run("random", 0, None, 0.9),
        a_run("informative", 0, 0.5),
        a_run("random", 1, 3.0, 1.0),
        a_run("informative", 1, 1.5),
        a_run("random", 2, 0.1, 0.1),
        a_run("random", 3, None, None),
        a_run("informative", 3, None),
    ]
    _, _, missing, std, error = study.table(runs).splitlines()
    assert missing == "| z1 | 3 | joints missing | 1 | 0 | 0 | 3 of 3 |"
    # Neither knows: it says nothing of which is sooner.
    assert std == "| z1 | 3 | worst axis' std (deg) | unknown | unknown | unknown | 0 of 0 |"
    assert error == "| z1 | 3 | worst axis' error (deg) | unknown | 1 | 1.5 | 1 of 2 |"


def test_runs_that_are_there_are_not_made_again(study, tmp_path, monkeypatch, capsys):
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(a_run("random", 0, 0.9, 0.8)) + "\n")
    made = []

    def run(robot, seed, excitation, args):
        made.append((robot, seed, excitation))
        return a_run(excitation, seed, 0.7)

    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(sys, "argv", ["study", str(file), "--robots", "z1", "--seeds", "0"])
    for _ in range(2):
        assert study.main() == 0
    assert made == [("z1", 0, "informative")] and len(study.read(file)) == 2
    assert "| z1 | 1 | worst axis' error (deg) | 0.9 | 0.8 | 0.7 | 1 of 1 |" in (
        capsys.readouterr().out
    )
