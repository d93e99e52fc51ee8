"""What is said of an object that moves with several links alike."""

import numpy as np
import pytest
from watched_arm import model

from autourdf_ros.monitoring.diagnosis.change_wording import foreign_object_change
from autourdf_ros.monitoring.diagnosis.unexplained_points import ForeignObject

CELLS = np.zeros((2, 3))


@pytest.mark.parametrize(
    ("others", "alternatives", "said"),
    [
        ((), (), "is attached to it"),
        (
            (1, 2),
            (("attachment", "column"), ("attachment", "arm")),
            "is attached to it; explained about as well by: attachment column, attachment arm",
        ),
    ],
)
def test_other_links_that_may_hold_it_are_alternatives(others, alternatives, said):
    change = foreign_object_change(ForeignObject(3, CELLS, 0.02, 50.0, others), model())
    assert (change.kind, change.subject) == ("attachment", "hand")
    assert change.alternatives == alternatives
    assert change.summary.endswith(said)
