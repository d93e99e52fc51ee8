"""What the study of methods leaves free reaches every inertia of a tilted pole."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from autourdf_ros.estimation.dynamics.mechanism.body_coordinates import body_coordinates
from autourdf_ros.model.inertial.inertial_parameters import parameters_from

PLACES = {"mass": slice(0, 1), "centre": slice(1, 4), "radius": slice(4, 7), "shear": slice(7, 10)}


@pytest.mark.slow
def test_a_tilted_pole_with_less_inertia_is_among_the_free_ones():
    from mppi_study import FREE

    turn = np.array([[0.5, 0, 0.866], [0, 1, 0], [-0.866, 0, 0.5]])
    moments = np.array([0.01, 0.01, 0.0001])
    before, after = (
        body_coordinates(parameters_from(0.4, np.zeros(3), turn @ np.diag(size * moments) @ turn.T))
        for size in (1.0, 0.5)
    )
    changed = {kind for kind, place in PLACES.items() if np.abs(after - before)[place].max() > 1e-6}
    assert changed <= set(FREE)
    assert "shear" in changed
