"""Obstacles in a file of their own, as nodes take them."""

import pytest

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.obstacle_entries import read_obstacles
from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.errors import InputError

JOINTS = ("pan", "lift")
TABLE = "table: {lower: [-1.0, -1.0, -1.0], upper: [1, 1.0, 0.0]}"


def read(tmp_path, *lines):
    path = tmp_path / "obstacles.yaml"
    path.write_text("\n  ".join(["/**:", "ros__parameters:", *(f"  {line}" for line in lines)]))
    return read_obstacles(path, JOINTS)


def test_a_file_has_boxes_height_clearance_and_configurations(tmp_path):
    lines = ["keep_out: [table]", TABLE, "minimum_height: 0.1", "clearance: 0.05"]
    lines += ["forbidden: [folded]", "folded: {lift: [1.0, 1.5]}"]
    assert read(tmp_path, *lines) == Obstacles(
        (Forbidden("folded", {"lift": (1.0, 1.5)}),),
        (KeepOut("table", (-1.0, -1.0, -1.0), (1.0, 1.0, 0.0)),),
        0.1,
        0.05,
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["minimum_hight: 0.1"], "minimum_hight is unknown; accepted are keep_out"),
        (["speed: 0.1"], "speed is unknown"),
        ([TABLE, "clearance: 0.1"], "table is unknown"),
        (["keep_out: table", TABLE], "keep_out is 'table'; accepted is a list"),
        (["keep_out: [table]"], "table is None; accepted are lists"),
        (["keep_out: [table]", "table: {lower: [0, 0, 0]}"], "accepted is lower and upper"),
        (["keep_out: [table]", TABLE.replace("1, 1.0, ", "")], "table.upper has 1 numbers"),
        (["keep_out: [table]", TABLE.replace("1, 1.0, 0", "1, -2, 0")], "is -1 in y"),
        (["keep_out: [table]", TABLE.replace("[1,", "[wide,")], "is 'wide'; accepted"),
        (["keep_out: [pan]", "pan: {lower: [0, 0, 0]}"], "names 'pan', which is a joint"),
        (["forbidden: [a]", "a: {lift: [2.0, 1.0]}"], "the smaller one first"),
        (["forbidden: [a]", "a: {wrist: [1.0, 2.0]}"], "names 'wrist'; accepted are ranges of"),
        (["minimum_height: .nan"], "minimum_height: is nan"),
        (["minimum_height: 0.0", "clearance: 2"], "clearance is 2; accepted is 0 to 1 m"),
    ],
)
def test_what_is_no_obstacle_is_named(tmp_path, lines, message):
    with pytest.raises(InputError) as caught:
        read(tmp_path, *lines)
    assert message in str(caught.value) and "obstacles.yaml" in str(caught.value)


def test_a_file_that_is_no_parameter_file_is_named(tmp_path):
    (tmp_path / "o.yaml").write_text("keep_out: [table]")
    with pytest.raises(InputError, match="accepted are keep_out, minimum_height, clearance"):
        read_obstacles(tmp_path / "o.yaml", JOINTS)
