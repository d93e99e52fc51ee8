"""Alternatives are read from a document that nobody trusts."""

import copy

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.model.document.alternatives import in_frame, ranked_joints
from autourdf_ros.model.tree_joint import joint_motion

HINGE = {
    "type": "revolute",
    "axis": [0, 0, 1],
    "point": [0.1, 0, 0],
    "lower": 0.0,
    "upper": None,
    "probability": 0.4,
}
DOCUMENT = {
    "joints": [{"name": "lid_joint"}],
    "assembly": {
        "joints": [
            {
                "joint": "lid_joint",
                "ambiguous": True,
                "reason": "flush",
                "alternatives": [HINGE, HINGE | {"type": "prismatic", "probability": None}],
            }
        ]
    },
}


def test_alternatives_are_read_in_their_order():
    (found,) = ranked_joints(DOCUMENT)
    first, second = found.alternatives
    assert (found.joint, found.ambiguous, found.reason) == ("lid_joint", True, "flush")
    assert (first.type, first.lower, first.upper, first.probability) == ("revolute", 0, np.inf, 0.4)
    assert second.type == "prismatic" and second.probability is None


def test_results_from_motion_have_none():
    assert ranked_joints({"joints": [{"name": "a"}]}) == ()


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("type", "continuous", r"alternatives\[0\].type: is 'continuous'; accepted is 'revolute'"),
        ("axis", [0, 0, 2], r"alternatives\[0\]: .*axis of length 2; accepted is a unit vector"),
        ("axis", [0, 0], "axis: is .*; accepted is numbers of shape"),
        ("axis", [None, 0, 1], "not finite"),
        ("point", "here", "point: is 'here'"),
        ("lower", "x", "lower: is 'x'; accepted is a finite number"),
        ("upper", -1.0, "the lower one first"),
        ("probability", True, "probability: is True"),
    ],
)
def test_what_is_damaged_is_named(key, value, text):
    document = copy.deepcopy(DOCUMENT)
    document["assembly"]["joints"][0]["alternatives"][0][key] = value
    with pytest.raises(InputError, match=text):
        ranked_joints(document)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"joint": "other"}, "joint: is 'other'; accepted is 'lid_joint'"),
        ({"alternatives": []}, "alternatives: is empty; accepted is at least one"),
        ({"ambiguous": 1}, "ambiguous: is 1; accepted is true or false"),
    ],
)
def test_a_damaged_joint_is_named(changes, text):
    document = copy.deepcopy(DOCUMENT)
    document["assembly"]["joints"][0] |= changes
    with pytest.raises(InputError, match=text):
        ranked_joints(document)


def test_an_alternative_moves_the_same_in_another_frame():
    hinge = ranked_joints(DOCUMENT)[0].alternatives[0]
    frame = np.array([[0, -1, 0, 0.3], [1, 0, 0, 0.2], [0, 0, 1, 0.1], [0, 0, 0, 1.0]])
    base = joint_motion(in_frame(hinge, np.eye(4)), 0.7)
    other = joint_motion(in_frame(hinge, frame), 0.7)
    assert base @ frame == pytest.approx(frame @ other)
