"""Path integral control of a cart-pole."""

import numpy as np
import pytest

from autourdf_ros.commanding.predictive.cart_pole import CartPole, advance
from autourdf_ros.commanding.predictive.path_integral import (
    PathIntegralController,
    PathIntegralOptions,
)
from autourdf_ros.commanding.predictive.trial import BALANCE, SWING_UP, TrialOptions, run_trial
from autourdf_ros.errors import InputError

TRUE = CartPole(1.2, 0.1, 0.0667, 0.1, 0.005)


def _plant(state: np.ndarray, force: float) -> np.ndarray:
    after = state.copy()
    advance(after, force, TRUE.values, 0.05, 20)
    return after


def _controller(model: CartPole = TRUE, **options: object) -> PathIntegralController:
    chosen = PathIntegralOptions(**options)  # type: ignore[arg-type]
    return PathIntegralController(model, chosen, np.random.default_rng(0))


@pytest.mark.slow
def test_it_swings_up_and_holds_on_a_model_that_is_off() -> None:
    model = CartPole(1.3, 0.09, 0.06, 0.1, 0.005)
    for start in (SWING_UP, BALANCE):
        trial = run_trial(_controller(model), _plant, start)
        assert trial.success
        assert np.abs(trial.forces).max() <= 10
        assert 0 < trial.reward < 1


def test_without_force_the_pole_falls_and_the_trial_says_so() -> None:
    trial = run_trial(_controller(force=1e-6), _plant, BALANCE, TrialOptions(steps=60))
    assert not trial.success


def test_a_cart_beyond_its_rail_is_no_success() -> None:
    upright = np.array([0.0, 0.0, 0.0, 0.0])
    held = TrialOptions(steps=20, held=10)
    assert run_trial(_controller(), _plant, upright, held).success
    outside = upright + np.array([3.0, 0.0, 0.0, 0.0])
    assert not run_trial(_controller(), _plant, outside, held).success


def test_feedback_holds_with_a_single_sample_and_its_absence_does_not() -> None:
    options = TrialOptions(steps=80)
    with_it = run_trial(_controller(samples=1), _plant, BALANCE, options)
    without = run_trial(_controller(samples=1, feedback=False), _plant, BALANCE, options)
    assert with_it.success and not without.success


@pytest.mark.parametrize(
    "wrong", [{"samples": 0}, {"period": 0.0}, {"smoothness": 1.0}, {"force": -1.0}]
)
def test_unusable_options_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="MPPI"):
        PathIntegralOptions(**wrong)  # type: ignore[arg-type]
