"""Tests of the study of confidence in kinematics from parts."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from parts_confidence import by_features, family, left_out, main, read_rows


def row(name, outcomes):
    guesses = [
        {"probability": 0.9, "right": right, "joint_probability": 0.5, "joint_right": right}
        for right in outcomes
    ]
    joints = [
        {"right": right, "features": {"symmetry": float(right), "gap": 1.0}} for right in outcomes
    ]
    errors = {"guesses": guesses, "joints": joints}
    return {"name": name, "method": "symmetry", "degradation": "given", "errors": errors}


def test_robots_of_one_name_and_other_numbers_are_one():
    assert [family(name) for name in ("ur10", "ur3_robot", "solo12", "tiago_pro")] == [
        *("ur", "ur", "solo", "tiago")
    ]


def test_a_robot_is_judged_by_the_others():
    random = np.random.default_rng(0)
    feature = random.normal(size=(600, 1))
    right = (random.random(600) < 1 / (1 + np.exp(-2 * feature[:, 0]))).astype(float)
    groups = np.array([f"robot {number % 6}" for number in range(600)])
    said = left_out(feature, right, groups)
    assert abs(said.mean() - right.mean()) < 0.02
    assert said[right == 1].mean() > said[right == 0].mean() + 0.2
    alone = groups == "robot 0"
    turned = np.where(alone, 1 - right, right)
    np.testing.assert_allclose(left_out(feature, turned, groups)[alone], said[alone])


@pytest.mark.slow
def test_rows_are_read_and_bins_and_coefficients_printed(tmp_path, capsys, monkeypatch):
    rows = [row("ur10", [True, False]), row("panda", [True, True]), {"name": "z1", "error": "x"}]
    rows[2]["method"] = "symmetry"
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"key": "k", "row": one}) + "\n" for one in rows))
    assert len(read_rows([path])) == 2
    svg = tmp_path / "reliability.svg"
    features = ["--features", "symmetry", "gap"]
    monkeypatch.setattr(sys, "argv", ["study", str(path), *features, "--svg", str(svg)])
    main()
    printed = capsys.readouterr().out
    assert "edges, stated: 4, expected error 30.0 points" in printed
    assert "symmetry +" in printed
    assert svg.read_text().startswith("<svg")


def test_features_that_never_vary_say_nothing(capsys):
    by_features([row("a", [True, False]), row("b", [False, True])], ["gap"])
    assert "gap +0.00" in capsys.readouterr().out


@pytest.fixture(autouse=True)
def no_window(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
