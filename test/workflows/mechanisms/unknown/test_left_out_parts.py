"""Parts that stand still or that nothing holds are no bodies of a mechanism, and are named."""

from dataclasses import replace

import numpy as np
import pytest
from mechanism_scenes import chain
from mechanism_tracks import TrackNoise, TrueMechanism, observed_track
from trimesh.creation import box

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.motion.parts.rigid_parts import RigidParts
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import find_joints
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.geometry.triangle_mesh import GREY, from_trimesh
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.progress import silent
from autourdf_ros.workflows.mechanisms.unknown.unknown_shapes import (
    CutVideo,
    TrackedBodies,
    held_bodies,
    with_torn_united,
)

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
    return TrackedBodies(track, shapes, doubts)


def joints_of(found):
    return find_joints(found.track, found.shapes, JointsOptions(starts=2), silent)


def moving_as_one():
    """Two parts, one fixed on the other, and a third."""
    found = tracked("revolute", "revolute", "prismatic")
    poses = found.track.poses.copy()
    same = np.isfinite(poses[0, :, 0, 0])
    poses[1, same] = poses[0, same] @ from_translation(np.array([0.1, 0.0, 0.0]))
    return replace(found, track=replace(found.track, poses=poses))


def test_parts_that_stand_still_or_that_nothing_holds_are_left_out():
    found = tracked("revolute", "fixed", "free")
    bodies = held_bodies(found, joints_of(found))
    assert bodies.track.bodies == ("part_1",)
    assert [shape.name for shape in bodies.shapes] == ["part_1"]
    assert bodies.doubts == ("part_1: doubtful",)
    assert "part_2: stands still" in bodies.notes[0]
    assert "part_3: moves as nothing else holds it" in bodies.notes[1]


def test_of_parts_that_move_as_one_the_larger_stays():
    found = moving_as_one()
    bodies = held_bodies(found, joints_of(found))
    assert bodies.track.bodies == ("part_1", "part_3")
    assert bodies.notes == ("part_2: moves as one with part_1; it is left out",)


def test_torn_parts_are_united_and_others_stay_as_they_are():
    found = moving_as_one()
    rng = np.random.default_rng(0)
    surfaces = tuple(Surface(rng.normal(size=(n, 3)), np.zeros((n, 3))) for n in (30, 20, 40))
    parts = RigidParts(surfaces, np.full((2, 3, 4, 4), np.nan), surfaces)
    whole = with_torn_united(CutVideo(None, None, parts), found, joints_of(found))
    assert [len(one.points) for one in whole.parts.surfaces] == [50, 40]
    np.testing.assert_allclose(whole.parts.shown[0].points[30:], surfaces[1].points)
    assert whole.parts.poses.shape == (2, 2, 4, 4)
    other = tracked("revolute", "prismatic")
    assert with_torn_united(CutVideo(None, None, parts), other, joints_of(other)) is None
