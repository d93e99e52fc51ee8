"""What the study of excitations makes of its runs."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("study", ROOT / "tools" / "excitation_study.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def a_run(excitation, seed, *errors):
    models = [{"missing": int(e is None), "std_deg": None, "error_deg": e} for e in errors]
    return {"robot": "z1", "seed": seed, "excitation": excitation, "models": models}


def test_random_targets_are_looked_at_after_twice_the_frames_too(study):
    assert study.looks_of("informative", 15) == (15,)
    assert study.looks_of("random", 15) == (15, 30)


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
