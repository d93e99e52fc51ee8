"""Forces on bodies with names that no part has act on the part that is where they act."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.joints.fitting.pair_motion import NO_SYMMETRY
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.triangle_mesh import GREY, from_trimesh
from autourdf_ros.workflows.mechanisms.unknown.forces_on_parts import forces_on_parts

pytestmark = pytest.mark.fast
STAMPS = np.linspace(0, 1, 11)


def _parts():
    """Two boxes of 0.1 m that slide beside each other, 0.5 m apart."""
    mesh = from_trimesh(trimesh.creation.box((0.1, 0.1, 0.1)), GREY)
    poses = np.tile(np.eye(4), (2, 11, 1, 1))
    poses[:, :, 0, 3] = STAMPS
    poses[1, :, 1, 3] = 0.5
    names = ("part_1", "part_2")
    track = PoseTrack(
        names,
        STAMPS,
        poses,
        np.tile(np.eye(6), (2, 11, 1, 1)),
        np.zeros((2, 3)),
        (NO_SYMMETRY, NO_SYMMETRY),
    )
    return track, tuple(VideoShape(name, mesh) for name in names)


def _pushing(y, names):
    along = np.tile([1.0, 0, 0], (11, 1))
    points = np.column_stack([STAMPS - 0.05, np.full(11, y), np.zeros(11)])
    return ForceTable(STAMPS, dict.fromkeys(names, along), dict.fromkeys(names, points))


def test_a_force_acts_on_the_part_that_it_is_at():
    table, said = forces_on_parts(_pushing(0.48, ["lid"]), *_parts())
    assert set(table.forces) == set(table.points) == {"part_2"}
    assert "'lid' act on part_2" in said[0]


def test_forces_that_name_parts_stay_and_those_of_no_place_are_left_out():
    given = _pushing(0.48, ["part_1"])
    assert forces_on_parts(given, *_parts()) == (given, ())
    lost = ForceTable(STAMPS, {"lid": np.ones((11, 3))})
    table, said = forces_on_parts(lost, *_parts())
    assert not table.forces and "'lid' are left out" in said[0]
