"""A sign is turned where the robot is seen there, and hardly where its readings put it."""

import numpy as np
import pytest
from watched_arm import MOTORS, model

from autourdf_ros.monitoring.diagnosis.motor_signs import SignSums, turned_sign

BASELINE = np.full(len(MOTORS), 0.97)


def sums(shares, turned):
    """Observations in which so much of what the second motor moves is seen, of 100 samples."""
    rows = []
    for share in shares:
        seen, there = np.full(len(MOTORS), 97.0), np.full(len(MOTORS), np.nan)
        seen[1], there[1] = 100 * share, 100 * turned
        suspect = np.arange(len(MOTORS)) == 1
        rows.append(SignSums(np.full(len(MOTORS), 100.0), seen, 0 * there + 100, there, suspect))
    return rows


def test_what_is_seen_by_the_turned_reading_alone_reads_backwards():
    found = turned_sign(model(), sums([0.4] * 4, 0.95), BASELINE, 30.0)
    change = found.change
    assert found.clear
    assert (change.kind, change.subject) == ("joint_sign", MOTORS[1])
    assert "40% is seen where its readings put it, and 95%" in change.summary


@pytest.mark.parametrize(("shares", "turned"), [([0.96, 0.94] * 5, 0.97), ([0.4] * 4, 0.7)])
def test_what_is_seen_as_it_reads_or_badly_either_way_does_not(shares, turned):
    assert turned_sign(model(), sums(shares, turned), BASELINE, 30.0) is None


def test_a_small_drop_is_no_clear_case():
    """A bend by 3° of a long first link looked like it: 85 % as read, 94 % turned."""
    found = turned_sign(model(), sums([0.6] + [0.9] * 40, 0.97), BASELINE, 10.0)
    assert found.change.subject == MOTORS[1]
    assert not found.clear
