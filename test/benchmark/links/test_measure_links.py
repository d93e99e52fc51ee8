"""The suite `inertia`: a robot of the library with known masses and friction."""

import json

import numpy as np
import pytest

from autourdf_ros.benchmark import case_runner
from autourdf_ros.benchmark.links.link_run import LinkRun, link_runs
from autourdf_ros.benchmark.links.measure_links import link_case, links_table, measured
from autourdf_ros.benchmark.links.simulated_efforts import SimulationOptions
from autourdf_ros.cli.main import main
from autourdf_ros.errors import InputError

SHORT = SimulationOptions(duration=10.0, rate=100.0)


@pytest.mark.slow
def test_a_draw_has_motions_and_noise_of_its_own_but_the_same_friction():
    first, second = (link_case("ur5_robot", draw, SHORT) for draw in (0, 1))
    np.testing.assert_array_equal(first.parameters, second.parameters)
    assert not np.allclose(first.training.recording.positions, second.training.recording.positions)
    assert not np.allclose(first.training.recording.positions, first.held_out.recording.positions)


@pytest.mark.slow
def test_a_row_says_how_well_efforts_are_predicted():
    row = measured(link_case("ur5_robot", 0, SHORT))
    assert row["consistent"]
    assert 0.8 < row["measured"] < 1.5
    assert row["true"] < row["measured"]
    assert 0 < row["inside"] <= row["base_parameters"]
    named = {**LinkRun("ur5_robot").title(), **row}
    assert "ur5_robot" in links_table([named, {**named, "error": "ended"}])


@pytest.mark.slow
def test_the_command_prints_the_rows_and_keeps_them(capsys, tmp_path, monkeypatch):
    kept = tmp_path / "rows.jsonl"
    command = ["benchmark", "--suite", "inertia", "--robots", "ur3_robot", "--vary", "1", "--json"]
    assert main([*command, "--rows", str(kept)]) == 0
    (row,) = rows = json.loads(capsys.readouterr().out)["rows"]
    assert (row["name"], row["seed"], row["method"]) == ("ur3_robot", 0, "log-cholesky")
    assert row["seconds"] > 0 and row["memory"] > 50
    monkeypatch.setattr(case_runner, "measured_apart", lambda _: 1 / 0)  # not measured again
    assert main([*command, "--rows", str(kept)]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == rows


def test_runs_are_of_all_robots_draws_and_solvers_and_an_unknown_robot_is_named():
    runs = link_runs(["ur3_robot", "so101"], 2, ["log-cholesky", "lmi"])
    assert len({json.dumps(run.key()) for run in runs}) == 8
    with pytest.raises(InputError, match="nothing_like_it"):
        link_runs(["nothing_like_it"], 1, ["lmi"])


def test_options_of_other_suites_are_refused(capsys):
    assert main(["benchmark", "--suite", "inertia", "--scale"]) == 2
    assert "--scale: is not for --suite inertia" in capsys.readouterr().err
    assert main(["benchmark", "--suite", "inertia", "--method", "mcts"]) == 2
