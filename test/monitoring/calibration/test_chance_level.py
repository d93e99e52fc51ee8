"""Levels that are exceeded as often as wanted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.monitoring.calibration.chance_level import chance_level, exceeding_chance

values = st.lists(st.floats(-5.0, 50.0), max_size=20).map(np.array)


@given(values, st.floats(1e-6, 0.5))
def test_a_level_is_exceeded_with_its_chance(measured, chance):
    level = chance_level(measured, chance)
    assert level > 0
    np.testing.assert_allclose(exceeding_chance(measured, level), chance, rtol=1e-6)


@given(values, st.floats(1e-6, 0.1))
def test_levels_grow_with_what_was_measured_and_fall_with_the_chance(measured, chance):
    level = chance_level(measured, chance)
    assert chance_level(np.append(np.abs(measured), 1000.0), chance) > level or len(measured) > 4
    assert chance_level(measured, chance / 2) > level


def test_the_next_value_of_an_unknown_rate_exceeds_the_level_as_often_as_wanted():
    rng = np.random.default_rng(0)
    means = rng.gamma(3.0, 2.0, 4000)
    seen = rng.exponential(means[:, None], (4000, 60))
    level = np.array([chance_level(row, 0.05) for row in seen])
    exceeded = rng.exponential(means) > level
    assert 0.035 < exceeded.mean() < 0.065
