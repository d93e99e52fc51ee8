"""What the soak of a node takes for flat."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from ros_soak import ROWS, is_flat


def rows(resident=lambda number: 400.0, threads=20, files=lambda number: 20):
    return [(resident(number), threads, files(number)) for number in range(ROWS)]


@pytest.mark.parametrize(
    ("seen", "flat"),
    [
        (rows(), True),
        (rows(lambda number: 300.0 if number < 4 else 400.0), True),
        (rows(lambda number: 400.0 + number), True),
        (rows(lambda number: 400.0 + 2 * number), False),
        (rows(files=lambda number: 20 + number % 2), True),
        (rows(files=lambda number: 20 + number // 2), False),
    ],
)
def test_memory_within_5_percent_after_the_warm_up_and_no_more_files(seen, flat):
    assert is_flat(seen) is flat
