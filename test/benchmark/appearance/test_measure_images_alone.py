"""The measurement of self-models from images alone."""

import numpy as np
import pytest

from autourdf_ros.benchmark.appearance.appearance_case import IMAGES_ALONE, robots_alone
from autourdf_ros.benchmark.appearance.images_alone_table import images_alone_table
from autourdf_ros.benchmark.appearance.measure_images_alone import joint_errors
from autourdf_ros.errors import InputError
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint
from autourdf_ros.model.tree_joint import TreeJoint

X, Y, Z = np.eye(3)
TRUE = Skeleton(
    (
        SkeletonJoint("a", "revolute", Z, np.zeros(3), 0, 1),
        SkeletonJoint("b", "revolute", Y, X, 1, 2),
        SkeletonJoint("c", "prismatic", X, X, 2, 3),
    ),
    1.0,
)


def tree_of(*joints):
    """Of (name, type, name of the joint before or None, axis, point)."""
    made = [
        TreeJoint(name, kind, before or "root", name, np.array(axis), np.array(point), -1, 1)
        for name, kind, before, axis, point in joints
    ]
    return KinematicTree(("root", *(joint.child for joint in made)), tuple(made))


def test_a_right_tree_has_no_errors():
    found = joint_errors(
        tree_of(
            ("a", "revolute", None, Z, Z),
            ("b", "continuous", "a", Y, X),
            ("c", "prismatic", "b", X, Z),
        ),
        TRUE,
    )

    assert found["missing"] == [] and found["wrong"] == []
    assert found["angles"] == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert found["distances"] == {"a": 0.0, "b": 0.0}


def test_a_joint_that_turns_the_other_way_is_half_a_turn_off():
    found = joint_errors(tree_of(("a", "revolute", None, -Z, X)), TRUE)

    assert found["missing"] == ["b", "c"]
    assert found["angles"]["a"] == pytest.approx(180)
    assert found["distances"]["a"] == pytest.approx(1)


def test_wrong_parents_and_types_are_named_and_a_missing_joint_is_no_wrong_parent():
    turned = tree_of(("b", "revolute", None, Y, X), ("a", "revolute", "b", Z, X))
    slides = tree_of(("a", "prismatic", None, Z, X), ("c", "prismatic", "a", X, X))

    assert joint_errors(turned, TRUE)["wrong"] == ["a", "b"]
    found = joint_errors(slides, TRUE)
    assert found["wrong"] == ["a"] and found["missing"] == ["b"]


def test_the_table_counts_right_runs_and_those_that_are_wrongly_trusted():
    row = {
        "name": "arm",
        "seed": 0,
        "joints": 3,
        "missing": [],
        "wrong": [],
        "angles": {"a": 0.25},
        "distances": {"a": 0.002},
        "psnr": 36.0,
        "robot_psnr": 25.0,
        "overlap": 0.98,
        "trust": "trusted",
        "seconds": {"fit": 100.0, "processors": 150.0},
        "memory": 900.0,
    }

    text = images_alone_table(
        [row, {**row, "missing": ["b"]}, {"name": "arm", "seed": 2, "error": "broke"}]
    )

    assert "1 of 3 with all joints and the right tree; 1 trusted without" in text
    assert "0.25" in text and "2.00" in text
    assert "FAILED arm, seed 2: broke" in text


def test_an_unknown_robot_is_refused_before_anything_is_measured():
    with pytest.raises(InputError, match="no_such_robot"):
        robots_alone(["no_such_robot"], 1, IMAGES_ALONE)
