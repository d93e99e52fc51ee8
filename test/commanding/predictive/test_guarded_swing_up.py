"""Control of a cart stops where something is wrong."""

import numpy as np
import pytest

from autourdf_ros.commanding.predictive.cart_pole import CartPole, advance
from autourdf_ros.commanding.predictive.guarded_swing_up import CartLimits, GuardedSwingUp
from autourdf_ros.commanding.predictive.path_integral import PathIntegralOptions
from autourdf_ros.errors import InputError

MODEL = CartPole(1.2, 0.1, 0.0667, 0.1, 0.005)
LIMITS = CartLimits(lower=-0.2, upper=0.8, velocity=2.0, effort=8.0, effort_rate=100.0)
FEW = PathIntegralOptions(samples=8, horizon=20)
HANGING = np.array([0.3, np.pi, 0.0, 0.0])


def _guarded(limits: CartLimits = LIMITS) -> GuardedSwingUp:
    return GuardedSwingUp(MODEL, limits, FEW)


def _moved(state: np.ndarray, force: float) -> np.ndarray:
    after = state.copy()
    advance(after, force, MODEL.values, FEW.period, 10)
    return after


def test_forces_change_no_faster_than_the_limit_and_stay_within_it() -> None:
    guarded, state, forces = _guarded(), HANGING, [0.0]
    for step in range(30):
        forces.append(guarded.force(step * FEW.period, state))
        state = _moved(state, forces[-1])
    assert not guarded.problem
    assert np.abs(np.diff(forces)).max() <= 100.0 * FEW.period + 1e-9
    assert 1.0 < np.abs(forces).max() <= 8.0


@pytest.mark.parametrize(
    ("stamp", "state", "reason"),
    [
        (0.05, [np.nan, 0.0, 0.0, 0.0], "four finite numbers"),
        (0.05, [0.81, np.pi, 0.0, 0.0], "at 0.810 m"),
        (0.05, [0.3, np.pi, -2.1, 0.0], "at -2.10 m/s"),
        (0.05, [0.45, np.pi, 0.0, 0.0], "jumps by 0.150 m"),
        (0.50, [0.3, np.pi, 0.0, 0.0], "0.500 s after the last one"),
        (-1.0, [0.3, np.pi, 0.0, 0.0], "-1.000 s after the last one"),
    ],
)
def test_a_reading_that_cannot_be_stops_it_for_good(
    stamp: float, state: list[float], reason: str
) -> None:
    guarded = _guarded()
    guarded.force(0.0, HANGING)
    assert not guarded.problem
    assert guarded.force(stamp, np.array(state)) == 0.0
    assert reason in guarded.problem
    assert guarded.force(stamp + FEW.period, HANGING) == 0.0


def test_a_cart_that_is_held_counts_as_stalled() -> None:
    guarded = _guarded()
    for step in range(60):
        guarded.force(step * FEW.period, HANGING)
        if guarded.problem:
            break
    assert "it is held" in guarded.problem


def test_readings_between_two_periods_change_nothing() -> None:
    guarded = _guarded()
    guarded.force(1.0, HANGING)
    assert not guarded.is_due(1.02)
    assert guarded.is_due(1.05)


@pytest.mark.parametrize(
    ("name", "value"),
    [("velocity", 0.0), ("effort", np.inf), ("effort_rate", -1.0), ("lower", 1.0)],
)
def test_unusable_limits_are_named(name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        CartLimits(**{**vars(LIMITS), name: value})
