"""Joints of the truth of a mechanism whose bodies are not all found."""

from types import SimpleNamespace

import numpy as np

from autourdf_ros.benchmark.mechanisms.measure_mechanism import true_joints


def test_a_joint_moves_with_its_parent_and_stays_without_one():
    moved = np.eye(4)
    moved[:3, 3] = [1.0, 2, 3]
    joints = [
        SimpleNamespace(
            kind="revolute", parent=parent, child="tip", axis=np.eye(3)[2], pivot=np.ones(3)
        )
        for parent in ("base", None, "a body that no part stands for")
    ]
    truth = SimpleNamespace(
        bodies=("base",), joints=joints, poses=moved[None, None], homes=np.eye(4)[None]
    )
    with_parent, of_world, missing = true_joints(truth, 0)
    np.testing.assert_allclose(with_parent.point, [2, 3, 4])
    np.testing.assert_allclose(of_world.point, [1, 1, 1])
    np.testing.assert_allclose(missing.point, [1, 1, 1])
    assert missing.parent == "a body that no part stands for"
