"""Scans of an object on a table by a camera that moves."""

from dataclasses import replace

import numpy as np
import pytest
from scanned_tools import TABLE, around, block, mallet, pan, scan

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.errors import InputError
from autourdf_ros.shape.solid.cloud_solid import cloud_solid
from autourdf_ros.workflows.payloads.object_scan import is_scan, scanned_object
from autourdf_ros.workflows.payloads.payload_result import object_on_its_table

VIEWS = 6
PLACE = np.array([0.45, 0.1, TABLE + 0.015])


def spread(poses, recording, corrections):
    """Mean distance (m) of what the views say of one place, after corrections (v, 4, 4)."""
    stated = np.array([frame.camera_poses[0] for frame in recording.frames])
    errors = corrections @ stated @ np.linalg.inv(poses)
    places = errors[:, :3, :3] @ PLACE + errors[:, :3, 3]
    return np.linalg.norm(places - places.mean(0), axis=1).mean()


@pytest.mark.slow
@pytest.mark.parametrize("tool", [block, pan])
def test_views_with_wrong_poses_are_stitched_and_the_object_has_its_volume(tool):
    parts, poses = tool(), around(VIEWS)
    recording = scan(parts, poses, shift=0.004, turn=0.5)
    assert is_scan(recording)
    found = scanned_object(recording)
    before = spread(poses, recording, np.tile(np.eye(4), (VIEWS, 1, 1)))
    assert before > 0.002
    assert spread(poses, recording, found.corrections) < before / 4
    held = object_on_its_table(found, "tool")
    true = _volume(parts)
    assert held.body.volume == pytest.approx(true, rel=0.15)
    assert 0 < held.unseen < 0.5
    heights = found.surface.points @ found.table.normal - found.table.height
    unseen = ~found.surface.observed
    assert heights[unseen].mean() < heights[~unseen].mean() / 2


@pytest.mark.slow
def test_nothing_is_added_where_a_camera_looked_past():
    """The handle of the mallet is above the table: low cameras see below it."""
    poses = around(VIEWS, elevation=0.35)
    found = scanned_object(scan(mallet(), poses, shift=0.0, turn=0.0))
    true, whole = _volume(mallet()), cloud_solid(found.surface).volume
    assert whole == pytest.approx(true, rel=0.15)


@pytest.mark.slow
def test_an_object_that_moves_during_the_scan_is_named():
    poses = around(VIEWS)
    moved = np.where(np.arange(VIEWS) < VIEWS // 2, 0.0, 0.05)
    recording = scan(block(), poses, shift=0.0, turn=0.0, moved=moved)
    with pytest.raises(InputError, match="does not move during the scan"):
        scanned_object(recording)


def test_a_camera_that_stays_makes_no_scan():
    frame = scan(block(), around(1)).frames[0]
    still = Recording((Sequence((frame, replace(frame, stamp=1.0))),))
    assert not is_scan(still)
    without = replace(frame, camera_poses=None)
    assert not is_scan(Recording((Sequence((without, without)),)))


def _volume(parts):
    import trimesh

    return trimesh.boolean.union(parts).volume if len(parts) > 1 else parts[0].volume
