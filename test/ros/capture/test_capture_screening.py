"""Motions of the capture node that something is in the way of."""

import re
from pathlib import Path

import numpy as np
import pytest
from capture_rig import PARAMETERS, WALL, events, markers_of, overrides

from autourdf_ros.errors import InputError
from autourdf_ros.ros.capture.capture_node import CaptureNode

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("ros")]


def test_a_dry_run_with_a_model_shows_where_the_links_go(cell, robot, urdf):
    cell.start_capture(allow_motion=False, model=urdf, keep_out=["wall"], wall=WALL, move_share=1.0)
    cell.until(lambda: not cell.capture._cell.missing())
    assert cell.call("start").success
    _, one, two = markers_of(cell)
    assert (one.ns, two.ns, two.header.frame_id) == ("one", "two", "base_link")
    # The tilt joint's place, which pan does not move.
    points = np.array([[p.x, p.y, p.z] for p in two.points])
    np.testing.assert_allclose(points, np.tile([0, 0, 0.5], (len(points), 1)))
    assert len(two.points) == 1 + len(cell.plans[0].points) and robot.commands == []


def test_what_is_in_the_way_is_never_commanded(cell, robot, urdf):
    cell.start_capture(
        model=urdf, keep_out=["wall"], wall=WALL, move_share=1.0, home=[0.9, 0.0], frames=2
    )
    cell.start()
    cell.until_said("complete")
    goals = [[float(value) for value in line.split()[1:]] for line in robot.commands]
    assert len(goals) == 4 and max(pan for pan, _ in goals) < 0.35
    values = cell.diagnostics[-1][1]
    assert int(values["refused by screening"]) == int(values["refused targets"]) > 0
    assert "link 'two' enters keep_out 'wall' (at pan" in values["last refusal"]
    refused = [e for e in events(Path(cell.completed[0])) if e["event"] == "target_refused"]
    assert all("'wall'" in event["reason"] for event in refused)
    cell.until_closed()
    assert cell.call("home").success
    cell.until_said("stopped: the screening refuses the motion: link 'two' enters keep_out 'wall'")
    assert len(robot.commands) == 4


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"keep_out": ["wall"], "wall": WALL, "model": ""}, "parameter keep_out needs the shapes"),
        ({"minimum_height": 0.1, "model": ""}, "parameter minimum_height needs the shapes"),
        ({"keep_out": ["wall"]}, "wall.lower has 0 numbers; accepted is x, y, z"),
        (
            {"keep_out": ["wall"], "wall": WALL | {"upper": [0.5, 0.1, 1.0]}},
            "wall.lower: is 0.14 in y; accepted is below upper, 0.1",
        ),
        ({"keep_out": ["wall"], "wall": WALL | {"uper": [1.0]}}, "parameter wall.uper is unknown"),
        ({"keep_out": ["pan"]}, "keep_out names 'pan', which is a joint"),
        ({"forbidden": ["low"]}, "forbidden 'low' names no joint"),
        ({"forbidden": ["low"], "low": {"tilt": [0.5, 0.2]}}, "low.tilt is [0.5, 0.2]; accepted"),
        ({"forbidden": ["low"], "low": {"roll": [0.2, 0.5]}}, "forbidden 'low' names no joint"),
        ({"model": "/nowhere"}, "/nowhere: cannot be read"),
        ({"model": "", "step_max": 0.5}, "step_max is 0.5; accepted is up to 0.3 until a model"),
    ],
)
def test_what_cannot_be_screened_is_refused_before_anything_moves(urdf, changes, text):
    given = PARAMETERS | {"model": urdf} | changes
    with pytest.raises(InputError, match=re.escape(text)):
        CaptureNode(parameter_overrides=overrides(given))
