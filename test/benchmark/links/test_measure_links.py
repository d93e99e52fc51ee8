"""The suite `inertia`: a robot of the library with known masses and friction."""

import json

import numpy as np
import pytest

from autourdf_ros.benchmark.links.measure_links import link_case, links_table, measured_row
from autourdf_ros.benchmark.links.simulated_efforts import SimulationOptions
from autourdf_ros.cli.main import main

SHORT = SimulationOptions(duration=10.0, rate=100.0)


@pytest.mark.slow
def test_a_draw_has_motions_and_noise_of_its_own_but_the_same_friction():
    first, second = (link_case("ur5_robot", draw, SHORT) for draw in (0, 1))
    np.testing.assert_array_equal(first.parameters, second.parameters)
    assert not np.allclose(first.training.recording.positions, second.training.recording.positions)
    assert not np.allclose(first.training.recording.positions, first.held_out.recording.positions)


@pytest.mark.slow
def test_a_row_says_how_well_efforts_are_predicted():
    row = measured_row(link_case("ur5_robot", 0, SHORT), 0)
    assert row["consistent"]
    assert 0.8 < row["measured"] < 1.5
    assert row["true"] < row["measured"]
    assert 0 < row["inside"] <= row["base_parameters"]
    assert "ur5_robot" in links_table([row])


@pytest.mark.slow
def test_the_command_prints_the_rows(capsys):
    assert (
        main(["benchmark", "--suite", "inertia", "--robots", "ur3_robot", "--vary", "1", "--json"])
        == 0
    )
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == ["ur3_robot"]


def test_options_of_other_suites_are_refused(capsys):
    assert main(["benchmark", "--suite", "inertia", "--scale"]) == 2
    assert "--scale: is not for --suite inertia" in capsys.readouterr().err
    assert main(["benchmark", "--suite", "inertia", "--method", "mcts"]) == 2
