"""The motion of a cart-pole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.commanding.predictive.cart_pole import CartPole, advance
from autourdf_ros.errors import InputError

POLE = CartPole(mass=1.2, moment=0.1, inertia=0.07)


def _energy(state: np.ndarray, model: CartPole) -> float:
    _, angle, speed, turning = state
    kinetic = model.mass * speed**2 / 2 + model.inertia * turning**2 / 2
    kinetic += model.moment * np.cos(angle) * speed * turning
    return float(kinetic + model.moment * model.gravity * np.cos(angle))


@given(st.floats(-3, 3), st.floats(-1, 1), st.floats(-3, 3))
@settings(max_examples=20, deadline=None)
def test_energy_stays_without_friction(angle: float, speed: float, turning: float) -> None:
    state = np.array([0.0, angle, speed, turning])
    before = _energy(state, POLE)
    advance(state, 0.0, POLE.values, 1.0, 200)
    assert _energy(state, POLE) == pytest.approx(before, abs=1e-5)


@pytest.mark.parametrize("loss", [{"hinge_damping": 0.01}, {"hinge_friction": 0.01}])
def test_losses_take_energy(loss: dict[str, float]) -> None:
    model = CartPole(1.2, 0.1, 0.07, **loss)
    state = np.array([0.0, 2.0, 0.0, 0.0])
    before = _energy(state, model)
    advance(state, 0.0, model.values, 2.0, 400)
    assert _energy(state, model) < before - 1e-3


def test_a_pole_that_weighs_nothing_leaves_a_cart_that_is_pushed() -> None:
    state = np.zeros(4)
    model = CartPole(2.0, 1e-9, 0.1, rail_damping=0.0)
    advance(state, 3.0, model.values, 2.0, 50)
    assert state[[0, 2]] == pytest.approx([3.0, 3.0])


def test_the_linearised_motion_is_that_of_small_angles() -> None:
    model = CartPole(1.2, 0.1, 0.07, 0.3, 0.02)
    a, b = model.linearised()
    small, force, step = np.array([0.0, 1e-4, -2e-4, 1e-4]), 1e-4, 1e-4
    state = small.copy()
    advance(state, force, model.values, step, 1)
    assert (state - small) / step == pytest.approx(a @ small + b[:, 0] * force, abs=1e-6)


def test_impossible_masses_and_negative_losses_are_refused() -> None:
    with pytest.raises(InputError, match="positive definite"):
        CartPole(1.0, 1.0, 0.5)
    with pytest.raises(InputError, match="0 or above"):
        CartPole(1.2, 0.1, 0.07, rail_damping=-1)
