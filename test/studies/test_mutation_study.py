"""What the mutation study calls right, and how it counts."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location(
        "mutation_study", ROOT / "studies" / "mutation_study.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def arm(tilt=0.0, lift=0.0):
    """Two joints, the second one's axis tilted (rad) and moved (m)."""
    tilted = np.array([np.sin(tilt), np.cos(tilt), 0.0])
    return Skeleton(
        (
            SkeletonJoint("pan", "revolute", np.array([0, 0, 1.0]), np.zeros(3), 0, 1),
            SkeletonJoint("lift", "revolute", tilted, np.array([0.0, 0, 0.4 + lift]), 1, 2),
        ),
        1.0,
    )


@pytest.mark.parametrize(
    ("estimate", "right"),
    [
        (arm(), True),
        (arm(tilt=np.radians(4)), True),
        (arm(tilt=np.radians(6)), False),
        (arm(lift=0.02), True),
        (arm(lift=0.04), False),
        (arm().frozen({"lift"}), False),
    ],
)
def test_right_is_the_true_tree_with_axes_that_are_near(study, estimate, right):
    assert study.is_right(evaluate(estimate, TrueModel(arm())), 1000.0) is right


def test_what_the_recording_does_not_show_need_not_be_found(study):
    errors = evaluate(arm().frozen({"lift"}), TrueModel(arm()), {"pan"})
    assert not study.is_right(errors, 1000.0)
    assert study.is_right(errors, 1000.0, {"pan"})


@pytest.mark.parametrize("mirror", [False, True])
def test_the_truth_goes_with_the_first_frame(study, mirror):
    move = exp_se3(np.array([0.3, -0.2, 0.9, 0.1, 0.4, -0.3]))
    move[:3, :3] = 2.0 * move[:3, :3] @ np.diag([1.0, 1.0, -1.0 if mirror else 1.0])
    truth = study.moved(TrueModel(arm()), move)
    first, second = truth.skeleton.joints
    assert np.linalg.norm(first.axis) == pytest.approx(1.0)
    np.testing.assert_allclose(second.point, move[:3, :3] @ [0, 0, 0.4] + move[:3, 3])
    assert truth.skeleton.size == pytest.approx(2.0)
    assert not study.is_right(evaluate(arm(), truth), 1000.0)


def test_the_table_counts_the_outcomes_of_each_recording(study):
    rows = [
        {"robot": "z1", "case": case, "outcome": outcome}
        for case, outcome in [(-1, "trusted right"), (0, "refused"), (1, "refused"), (2, "hang")]
    ]
    _, _, corrupted, good = study.table(rows)
    assert corrupted == "| z1 | 3 | 2 | 0 | 0 | 0 | 0 | 0 | 1 |"
    assert good == "| z1, as it was | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |"
