"""Errors of a mechanism's joints."""

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.mechanisms.joint_line_error import TrueJoint, joint_errors
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint

X, Y, Z = np.eye(3)
BODIES = ("cart", "pole")
TRUTH = (
    TrueJoint("prismatic", None, "cart", X, np.zeros(3)),
    TrueJoint("revolute", "cart", "pole", Y, np.array([0.1, 0.0, 0.2])),
)


def _joint(kind, parent, child, axis=Z, point=(0, 0, 0)):
    return TreeJoint(f"to_{child}", kind, parent, child, axis, np.array(point, float), -3.0, 3.0)


def _cart_pole(turn, shift):
    """Joints that are off by an angle about z (rad) and by a distance along x (m)."""
    axis = np.array([-np.sin(turn), np.cos(turn), 0])
    joints = (
        _joint("prismatic", "world", "cart", -X),
        _joint("revolute", "cart", "pole", axis, (0.1 + shift, 0.0, 0.2)),
    )
    return KinematicTree(("world", *BODIES), joints)


def test_the_greatest_errors_of_axis_and_pivot_count_and_signs_do_not():
    errors = joint_errors(_cart_pole(0.01, 0.003), TRUTH, BODIES)
    assert errors.right
    assert errors.axis == pytest.approx(0.01, rel=1e-3)
    assert errors.pivot == pytest.approx(0.003, rel=1e-3)
    assert errors.found == "world-prismatic-cart, cart-revolute-pole"


def test_a_parent_may_be_a_child():
    joints = (
        _joint("prismatic", "world", "pole", X),
        _joint("revolute", "pole", "cart", Y, (0.1, 5.0, 0.2)),
    )
    turned = KinematicTree(("world", "pole", "cart"), joints)
    errors = joint_errors(turned, (TRUTH[1],), ("cart", "pole"))
    assert errors.axis == 0.0 and errors.pivot == pytest.approx(0.0, abs=1e-12)
    assert not joint_errors(turned, TRUTH, BODIES).right


def test_a_wrong_type_is_not_right_and_its_axis_counts_nowhere():
    joints = (_joint("revolute", "world", "cart", X), _joint("fixed", "cart", "pole"))
    errors = joint_errors(KinematicTree(("world", *BODIES), joints), TRUTH, BODIES)
    assert not errors.right and np.isnan(errors.axis) and np.isnan(errors.pivot)


@pytest.mark.parametrize("base", ["base", "tip"])
def test_a_plane_may_hold_any_body(base):
    other = "tip" if base == "base" else "base"
    chain = ("world", "one", "two", base, other)
    joints = (
        _joint("prismatic", "world", "one", X),
        _joint("prismatic", "one", "two", Y),
        _joint("revolute", "two", base, Z),
        _joint("revolute", base, other, Z),
    )
    truth = (
        TrueJoint("planar", None, "base", Z, np.zeros(3)),
        TrueJoint("revolute", "base", "tip", Z, np.zeros(3)),
    )
    assert joint_errors(KinematicTree(chain, joints), truth, ("base", "tip")).right
