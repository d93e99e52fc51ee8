import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.motion.reading_spread import ReadingSpread

NAMES = ("a", "b", "c")
START = {"a": 0.3, "b": -0.2, "c": 0.1}
UNITS = (0.2, 0.2, 0.01)
steps = st.tuples(*[st.floats(-3, 3)] * 3)


def at(units):
    """Readings so many units from the start."""
    return {name: START[name] + u * unit for name, u, unit in zip(NAMES, UNITS, units, strict=True)}


def spread_of(paths):
    spread = ReadingSpread.at(START, UNITS)
    for units in paths:
        spread = spread.with_frame(at(units))
    return spread


@settings(max_examples=50, deadline=None)
@given(st.lists(steps, max_size=6), steps, steps)
def test_a_frame_only_takes_from_what_is_unknown(path, seen, target):
    spread = spread_of(path)
    before = spread.unknown([at(target)], NAMES)[0]
    after = spread.with_frame(at(seen)).unknown([at(target)], NAMES)[0]
    assert 0 <= after <= before + 1e-6 * (1 + before)


@settings(max_examples=50, deadline=None)
@given(st.lists(steps, max_size=6), steps)
def test_it_is_the_gain_of_the_determinant(path, target):
    spread = spread_of(path)
    before = np.linalg.slogdet(spread.information)[1]
    after = np.linalg.slogdet(spread.with_frame(at(target)).information)[1]
    unknown = spread.unknown([at(target)], NAMES)[0]
    assert np.log1p(unknown) == pytest.approx(after - before, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.lists(steps, max_size=6), st.lists(steps, max_size=6), steps)
def test_the_order_of_frames_is_of_no_matter(first, second, target):
    one, other = spread_of(first + second), spread_of(second + first)
    values = [spread.unknown([at(target)], NAMES)[0] for spread in (one, other)]
    assert values[0] == pytest.approx(values[1], rel=1e-6, abs=1e-9)


def test_motors_that_went_alike_are_to_go_apart():
    spread = spread_of([(1, 1, 0), (2, 2, 0)])
    alike, apart = spread.unknown([at((3, 3, 0)), at((1, -1, 0))], NAMES)
    assert apart > 10 * alike


def test_what_went_far_is_known_and_farther_tells_more():
    spread = spread_of([(3, 0, 0), (3, 0, 0)])
    far, other, farther = spread.unknown([at((3, 0, 0)), at((0, 1, 0)), at((0, 2, 0))], NAMES)
    assert far < other and farther == pytest.approx(4 * other)


def test_others_count_as_known():
    spread = spread_of([(1, 1, 0)])
    assert spread.unknown([at((5, 0, 5))], ["b"])[0] == pytest.approx(0.0, abs=1e-12)
    alone = ReadingSpread.at({"b": START["b"]}, UNITS[1:2]).with_frame({"b": START["b"] + 0.2})
    target = at((7, 2, 0))
    assert spread.unknown([target], ["b"]) == pytest.approx(alone.unknown([target], ["b"]))
