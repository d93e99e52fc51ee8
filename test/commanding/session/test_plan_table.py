"""A plan in numbers."""

from autourdf_ros.commanding.session.plan_table import plan_table
from autourdf_ros.commanding.session.planning import Plan
from autourdf_ros.commanding.trajectory import through
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {"pan": JointLimits(-2.0, 2.0, 1.0, 100.0), "tilt": JointLimits(-1.0, 1.0, 2.0, 100.0)}


def test_a_table_shows_how_far_how_fast_how_long_and_what_is_refused():
    start, end = {"pan": 0.0, "tilt": 0.5}, {"pan": 0.8, "tilt": 0.5}
    move = through([start, end], LIMITS, 0.5)
    box = "link 'arm' enters keep_out 'table'"
    refused = [(end, f"{box} (at pan 0.1)"), (end, f"{box} (at pan 0.2)"), (end, "something else")]
    lines = plan_table(Plan((move, move), tuple(refused)), LIMITS, 7.0).splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["joint", "from", "to", "fastest", "of", "its", "limit", "moves"],
        ["pan", "0.000", "0.800", "0.500/s", "50%", "2"],
        ["tilt", "0.500", "0.500", "0.000/s", "0%", "0"],
    ]
    assert lines[3:] == [
        "2 moves in 7 s with the pauses, 3 targets refused",
        f"  refused 2 times: {box}",
        "  refused 1 times: something else",
    ]
