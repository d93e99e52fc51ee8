import numpy as np

from autourdf_ros.kinematics.final_adjustment import changed


def test_what_changed_is_told_of_the_link_that_changed_most():
    before = np.array([0] * 8 + [1] * 2 + [-1])
    after = before.copy()
    assert changed(before, after) == 0.0
    after[7] = 1  # link 0 loses 1 of then 7, link 1 wins 1 of then 3
    assert changed(before, after) == 1 / 3
    after[10] = 0  # what had no link counts for the link that it comes to
    assert changed(before, after) == 1 / 3
