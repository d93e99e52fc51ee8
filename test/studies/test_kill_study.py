"""Writers killed at random moments; AUTOURDF_KILLS=200 for a long run."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from kill_study import study

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("AUTOURDF_KILLS", "2"))


@pytest.mark.timeout(600 + 20 * KILLS)
@pytest.mark.parametrize("kind", ["recordings", "histories"])
def test_a_writer_that_is_killed_loses_nothing_and_the_next_one_works(kind):
    assert study(kind, KILLS, seed=1) == []
