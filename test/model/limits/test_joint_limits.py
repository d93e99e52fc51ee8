"""Limits as observed, and of joints that follow another."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_robot import arm_model

from autourdf_ros.model.limits.joint_limits import following, observed_limits
from autourdf_ros.model.tree_joint import Mimic

PAN, _, SLIDE, SPIN = arm_model(count=10).joints


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=20))
def test_limits_are_a_tenth_beyond_what_was_seen(values):
    kind, lower, upper = observed_limits(np.array(values), turns=False)
    assert kind == "prismatic"
    assert lower <= min(values) and upper >= max(values)
    assert upper - lower == pytest.approx(1.2 * (max(values) - min(values)))


def test_a_full_turn_makes_a_joint_continuous_but_no_slide():
    assert observed_limits(np.array([-3.2, 3.2]), turns=True) == ("continuous", -np.inf, np.inf)
    assert observed_limits(np.array([-3.1, 3.1]), turns=True)[0] == "revolute"
    assert observed_limits(np.array([-3.2, 3.2]), turns=False)[0] == "prismatic"


def test_a_follower_goes_as_far_as_its_master_takes_it():
    follower = following(replace(SLIDE, mimic=Mimic(PAN.name, -0.02, 0.03)), PAN)
    assert (follower.lower, follower.upper) == pytest.approx((0.0, 0.05))
    off = replace(SLIDE, mimic=Mimic(PAN.name, 0.001, 0.0))
    assert following(off, PAN).upper == SLIDE.reference
    # A joint that turns on and on, but at a limited one's will, is limited, too.
    geared = following(replace(SPIN, mimic=Mimic(PAN.name, 8.0, 0.0)), PAN)
    assert (geared.type, geared.lower, geared.upper) == ("revolute", -8.0, 12.0)


def test_what_no_limited_joint_leads_keeps_its_own():
    assert following(SLIDE, PAN) == SLIDE
    free = replace(SLIDE, mimic=Mimic(SPIN.name, 0.01, 0.0))
    assert following(free, SPIN) == free
