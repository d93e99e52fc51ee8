"""Axes are moved one direction after the other by a standard deviation; bodies stay."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hinged_video import cart_pole_model

from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.workflows.mechanisms.axis_variants import axis_variants
from autourdf_ros.workflows.mechanisms.model_simulator import simulated_xml

pytestmark = pytest.mark.fast


def test_every_known_direction_of_an_axis_is_moved_by_its_deviation():
    model = cart_pole_model()
    found = list(axis_variants(model))
    assert [joint.name for _, joint in found] == ["rail"] * 4 + ["hinge"] * 4
    for other, joint in found:
        before = next(one for one in model.tree.joints if one.name == joint.name)
        turned = np.linalg.norm(joint.axis - before.axis)
        shifted = np.linalg.norm(joint.point - before.point)
        assert np.hypot(turned, shifted) == pytest.approx(1e-4, rel=1e-4)
        assert any(one is joint for one in other.tree.joints)
        assert (
            sum(one is two for one, two in zip(other.tree.joints, model.tree.joints, strict=True))
            == 1
        )


def test_a_moved_axis_leaves_the_bodies_where_they_are():
    model = cart_pole_model()
    body = LinkInertia(1.0, np.array([0.0, 0.0, -0.25]), 0.01 * np.eye(3))
    model = model.with_layer(InertiaLayer(links={"cart": body, "bar": body}))
    _, moved = list(axis_variants(model))[-1]
    texts = (simulated_xml(model, frozenset({"cart", "bar"}), moved=one) for one in (None, moved))
    plain, other = (ElementTree.fromstring(text) for text in texts)
    for one, two in zip(plain.iter("inertial"), other.iter("inertial"), strict=True):
        assert one.attrib == two.attrib
    lines = [
        [np.fromstring(one.get(key), sep=" ") for one in root.iter("joint")]
        for root in (plain, other)
        for key in ("pos", "axis")
    ]
    changes = [np.array(lines[2 + key]) - np.array(lines[key]) for key in (0, 1)]
    assert not changes[0][0].any() and not changes[1][0].any()  # the rail
    assert np.hypot(*(np.linalg.norm(one[1]) for one in changes)) == pytest.approx(1e-4, rel=1e-3)
