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


def a_run(excitation, seed, stds, frames=40):
    models = [{"frames": number, "std_deg": std, "error_deg": None} for number, std in stds.items()]
    return {
        "robot": "z1",
        "seed": seed,
        "excitation": excitation,
        "frames": frames,
        "models": models,
    }


def test_medians_are_of_seeds_that_have_both(study):
    runs = [
        a_run("random", 0, {10: None, 20: 0.9, 30: 2.0, 40: 0.4}),
        a_run("informative", 0, {10: 0.9, 20: 0.5}),
        a_run("random", 1, {10: None}),
        a_run("informative", 1, {10: 0.3}),
        a_run("random", 2, {10: 0.1}),
    ]
    _, _, one_degree, half, *errors = study.table(runs).splitlines()
    # Of a random run that never got there all its frames count.
    assert one_degree == "| z1 | worst axis' std ≤ 1° | 2 | never | 10 | 0.375 |"
    assert half == "| z1 | worst axis' std ≤ 0.5° | 2 | never | 15 | 0.375 |"
    assert errors[0].endswith("| never | never | - |")


def test_runs_that_are_there_are_not_made_again(study, tmp_path, monkeypatch, capsys):
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(a_run("random", 0, {10: 0.9})) + "\n")
    made = []

    def run(robot, seed, excitation, args):
        made.append((robot, seed, excitation))
        return a_run(excitation, seed, {5: 0.8})

    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(sys, "argv", ["study", str(file), "--robots", "z1", "--seeds", "1"])
    for _ in range(2):
        assert study.main() == 0
    assert made == [("z1", 0, "informative")] and len(study.read(file)) == 2
    assert "| z1 | worst axis' std ≤ 1° | 1 | 10 | 5 | 0.5 |" in capsys.readouterr().out
