"""A motor that moves a joint one to one in the unit of its type speaks for that type."""

from types import SimpleNamespace

import numpy as np
import pytest

from autourdf_ros.estimation.common.joint_likelihood import JointEvidence
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import with_driven_types


def weighed(*, revolute: bool, driven: bool, even: float = 0.5, observed: float = 100.0) -> float:
    """The probability that one joint turns, which is `even` by its motion alone."""
    candidate = SimpleNamespace(
        follow_motors=np.array([True]),
        geared=lambda metre: np.array([not driven]),
        model=SimpleNamespace(revolute=np.array([revolute])),
    )
    one = np.ones(1)
    joints = JointEvidence(np.ones((1, 3)), one, observed * one, one, np.array([even]))
    return float(with_driven_types(joints, candidate, 1.0).revolute[0])


@pytest.mark.parametrize(("revolute", "expected"), [(True, 10 / 11), (False, 1 / 11)])
def test_a_direct_drive_speaks_for_its_type_by_a_parameter(revolute, expected):
    assert weighed(revolute=revolute, driven=True) == pytest.approx(expected)


def test_a_gear_speaks_for_neither():
    assert weighed(revolute=False, driven=False) == 0.5


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_what_is_sure_stays_so(sure):
    assert weighed(revolute=True, driven=True, even=sure) == sure
