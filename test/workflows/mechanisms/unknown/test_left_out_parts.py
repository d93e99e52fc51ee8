"""Parts that stand still or that nothing holds are no bodies of a mechanism, and are named."""

from dataclasses import replace

import numpy as np
import pytest
from mechanism_scenes import chain
from mechanism_tracks import TrackNoise, TrueMechanism, observed_track
from trimesh.creation import box

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.geometry.triangle_mesh import GREY, from_trimesh
from autourdf_ros.progress import silent
from autourdf_ros.workflows.mechanisms.unknown.unknown_shapes import TrackedBodies, joined_bodies

pytestmark = pytest.mark.slow


def tracked(*kinds):
    """Bodies that each have a joint of their own to the world."""
    rng = np.random.default_rng(0)
    joints = [
        replace(chain((kind,), rng, 40).joints[0], body=f"part_{number}")
        for number, kind in enumerate(kinds, 1)
    ]
    track = observed_track(TrueMechanism(tuple(joints)), rng, TrackNoise())
    mesh = from_trimesh(box((0.05, 0.04, 0.03)), GREY)
    shapes = tuple(VideoShape(name, mesh) for name in track.bodies)
    doubts = tuple(f"{name}: doubtful" for name in track.bodies)
    return TrackedBodies(track, shapes, doubts, given=False)


def test_parts_that_stand_still_or_that_nothing_holds_are_left_out():
    bodies, joints = joined_bodies(
        tracked("revolute", "fixed", "free"), JointsOptions(starts=2), silent
    )
    assert bodies.track.bodies == ("part_1",)
    assert [shape.name for shape in bodies.shapes] == ["part_1"]
    assert bodies.doubts == ("part_1: doubtful",)
    assert [edge.kind for edge in joints.trace.tree] == ["revolute"]
    assert "part_2: stands still" in bodies.notes[0]
    assert "part_3: moves as nothing else holds it" in bodies.notes[1]


def test_of_parts_that_move_as_one_the_larger_stays():
    found = tracked("revolute", "revolute")
    poses = found.track.poses.copy()
    same = np.isfinite(poses[0, :, 0, 0])
    poses[1, same] = poses[0, same] @ from_translation(np.array([0.1, 0.0, 0.0]))
    found = replace(found, track=replace(found.track, poses=poses))
    bodies, joints = joined_bodies(found, JointsOptions(starts=2), silent)
    assert bodies.track.bodies == ("part_1",)
    assert [edge.kind for edge in joints.trace.tree] == ["revolute"]
    assert bodies.notes == ("part_2: moves as one with part_1; it is left out",)


def test_given_bodies_stay():
    given = replace(tracked("revolute", "fixed"), given=True)
    bodies, _ = joined_bodies(given, JointsOptions(starts=2), silent)
    assert bodies is given
