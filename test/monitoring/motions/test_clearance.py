"""Links keep extra clearance for the largest displacement by reported changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watched_arm import CAMERAS, LINKS, MOTORS, model

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.motions.clearance import (
    extra_clearance,
    largest_displacement,
    narrowed_limits,
)
from autourdf_ros.monitoring.repairing.correction import corrected, correction_of

ARM = model()
CAUSES = Causes(ARM, CAMERAS)
STILL = np.zeros((1, 3))
UNITS = {"joint_zero": ["rad"], "sag": ["rad"] * 3, "joint_axis": ["rad"] * 2 + ["m"] * 2}
OFF = {"rad": 0.03, "m": 0.01}


def change(kind, subject, values, std=0.0, alternatives=()):
    units = UNITS.get(kind, ["rad"] * 3 + ["m"] * 3)
    quantities = tuple(Quantity("off", v, std, unit) for v, unit in zip(values, units, strict=True))
    return Change(kind, subject, quantities, 20.0, "it is seen", alternatives)


def apart(one):
    keep = extra_clearance(CAUSES, [one], STILL, {})
    return lambda *pair: keep(*pair) > 0


REPORTED = [
    cause
    for cause in CAUSES.table
    if not (cause.kind.startswith("camera") or cause.kind == "sag")  # these change no model
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(REPORTED), st.data())
def test_no_displacement_exceeds_the_reported_one_in_any_configuration(cause, data):
    units = UNITS.get(cause.kind, ["rad"] * 3 + ["m"] * 3)
    off = [data.draw(st.floats(-OFF[unit], OFF[unit])) for unit in units]
    off[0] = off[0] if abs(off[0]) > 1e-9 else 0.01
    values = np.array(data.draw(st.lists(st.floats(-2.5, 2.5), min_size=3, max_size=3)))
    most = largest_displacement(CAUSES, change(cause.kind, cause.subject, off), values[None], {})
    true = corrected(ARM, correction_of(CAUSES, cause, np.array(off)))
    body = ARM.segment_body[ARM.vertex_segment]
    stands = [transform(one.poses(v)[body], one.vertices) for one, v in _posed(true, values)]
    assert np.linalg.norm(stands[1] - stands[0], axis=1).max() <= most + 1e-9
    assert most < 0.3


@given(st.integers(0, 2**32 - 1))
def test_joints_that_yield_displace_no_farther_than_the_reported_sag(seed):
    rng = np.random.default_rng(seed)
    pull, values = rng.normal(0, 0.02, 3), rng.uniform(-2.5, 2.5, 3)
    (load,) = CAUSES.loads
    sag = change("sag", "hand", pull)
    assert apart(sag)("hand", None) and apart(sag)("arm", "column")
    most = largest_displacement(CAUSES, sag, values[None], {})
    step = 1e-6 * np.eye(3)
    torques = [_middle(load, values + one) - _middle(load, values - one) for one in step]
    turns = np.array(torques) / 2e-6 @ pull / load.reach
    body = ARM.segment_body[ARM.vertex_segment]
    stands = [transform(ARM.poses(v)[body], ARM.vertices) for v in (values, values + turns)]
    assert np.linalg.norm(stands[1] - stands[0], axis=1).max() <= most + 1e-9


def _middle(load, values):
    return transform(ARM.poses(values)[load.body], load.place)


def _posed(true, values):
    readings = dict(zip(MOTORS, values.tolist(), strict=True))
    return [(one, one.values(readings)) for one in (ARM, true)]


def test_clearance_covers_three_deviations_more_than_reported():
    sure, unsure = (change("joint_zero", "lift", [0.02], std) for std in (0.0, 0.01))
    first, second = (largest_displacement(CAUSES, one, STILL, {}) for one in (sure, unsure))
    assert second == pytest.approx(first * 0.05 / 0.02)


def test_links_with_the_change_or_a_neighbour_between_them_keep_room():
    far = apart(change("joint_zero", "lift", [0.1]))
    # The joint moves the arm; the column and the hand are its neighbours.
    for pair in [("base", "arm"), ("base", "hand"), ("column", "hand")]:
        assert far(*pair) and far(*pair[::-1])
    assert far("arm", None) and far("hand", None)
    assert not far("base", "column") and not far("base", None) and not far("arm", "arm")


def test_where_the_base_is_off_links_keep_room_from_what_stands_there():
    off = apart(change("base_pose", LINKS[0], [0.1] * 6))
    assert off("base", None) and off("hand", None) and not off("base", "hand")


def test_a_camera_that_moved_needs_no_room_unless_it_may_be_the_robot():
    knocked = change("camera_pose", "left", [0.02, 0, 0, 0, 0, 0])
    camera_positions = {"left": np.array([0.0, 2.0, 0.0])}
    assert extra_clearance(CAUSES, [knocked], STILL, camera_positions)("base", "hand") == 0.0
    moved = change("camera_pose", "left", [0.02, 0, 0, 0, 0, 0], 0.0, [("base_pose", "base")])
    assert extra_clearance(CAUSES, [moved], STILL, camera_positions)("hand", None) > 0.02 * 2.0


def test_room_is_kept_for_all_changes_and_whatever_explains_as_much():
    first = change("link_shape", "hand", [0.01] * 6)
    second = change("joint_zero", "pan", [0.02])
    one, two = (extra_clearance(CAUSES, [one], STILL, {}) for one in (first, second))
    both = extra_clearance(CAUSES, [first, second], STILL, {})
    for pair in [("base", "column"), ("arm", "hand"), ("base", "hand")]:
        assert both(*pair) == pytest.approx(one(*pair) + two(*pair))
    assert one("base", "column") == 0
    unsure = change("link_shape", "hand", [0.01] * 6, 0.0, [("joint_zero", "pan")])
    assert extra_clearance(CAUSES, [unsure], STILL, {})("base", "column") == one("arm", "hand") > 0


@pytest.mark.parametrize(
    ("reported", "message"),
    [
        (
            Change("joint_zero", "lift", (), 20.0, ""),
            "joint_zero of 'lift': the size of the change",
        ),
        (change("joint_zero", "nobody", [0.1]), "'nobody': the model has no such part"),
        (change("camera_pose", "far", [0.1] * 6), "camera_pose of 'far': the model has no such"),
        (
            Change("camera_latency", "left", (Quantity("latency", 0.1, 0.0, "s"),), 20.0, ""),
            "the size of the change is unknown",
        ),
        (change("attachment", "hand", [0.1] * 6), "attachment of 'hand': the model has no such"),
    ],
)
def test_a_change_of_unknown_size_has_no_clearance(reported, message):
    with pytest.raises(InputError, match=message):
        extra_clearance(CAUSES, [reported], STILL, {})


def test_a_motor_whose_readings_are_off_stays_so_far_within_its_limits():
    limits = {name: JointLimits(-1.0, 1.0, 1.0, 1.0) for name in MOTORS}
    axis = change("joint_axis", "pan", [0.1] * 4, 0.0, [("joint_zero", "lift")])
    slipped = change("joint_zero", "roll", [-0.05], 0.01)
    found = narrowed_limits(limits, [axis, slipped])
    assert found["pan"] == limits["pan"]
    assert (found["roll"].lower, found["roll"].upper) == pytest.approx((-0.92, 0.92))
    assert found["lift"].upper == pytest.approx(1.0 - np.hypot(0.1, 0.1))
