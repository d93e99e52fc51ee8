"""An ambiguous joint says why."""

import numpy as np
import pytest

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.symmetry.doubt import ambiguity
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

OPTIONS = SymmetryOptions()
X, Y = np.eye(3)[:2]


def _candidate(probability, kind="revolute", axis=X, source="slippage"):
    return JointCandidate(kind, axis, np.zeros(3), 0.0, probability, source=source)


def test_a_sure_joint_is_not_ambiguous():
    assert ambiguity([_candidate(0.99), _candidate(0.01)], OPTIONS) == (False, "")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (_candidate(0.4, "prismatic"), "turn about and slide along one axis"),
        (_candidate(0.4, "prismatic", Y), "turn or slide"),
        (_candidate(0.4, source="edge"), "which of two parallel edges"),
        (_candidate(0.4, axis=Y, source="edge"), "which of two edges"),
        (_candidate(0.4), "two parallel axes"),
        (_candidate(0.4, axis=Y), "several directions"),
    ],
)
def test_the_reason_names_what_is_open(other, words):
    ambiguous, reason = ambiguity([_candidate(0.42), other], OPTIONS)
    assert ambiguous
    assert words in reason
    assert "42%" in reason
