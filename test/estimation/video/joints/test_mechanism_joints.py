import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanism_scenes import chain
from mechanism_tracks import TrackNoise, TrueMechanism, joint_line_errors, observed_track

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import find_joints
from autourdf_ros.model.forward_kinematics import link_motions

pytestmark = pytest.mark.slow

FRAMES = 60
KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "planar", "spherical", "free")
ROUGH = TrackNoise(outliers=0.02, gaps=0.1)


def silent(*_):
    """No progress."""


def found_in(kinds, seed, noise=ROUGH, **options):
    """The mechanism that a chain of joints is taken for, and the truth."""
    rng = np.random.default_rng(seed)
    true = chain(kinds, rng, FRAMES)
    track = observed_track(true, rng, noise)
    return find_joints(track, (), JointsOptions(**options), silent), true, track


def types(found):
    """(parent, child, type) of every joint."""
    return {(edge.parent, edge.child, edge.kind) for edge in found.trace.tree}


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_of_every_type_is_recognised(kind):
    found, true, _ = found_in((kind,), 1)
    assert types(found) == {(-1, 0, kind)}
    angle, offset = joint_line_errors(true.joints[0], found.trace.adjusted.fit.edges[0].frame)
    if kind not in ("fixed", "free"):
        assert angle < 0.3
        assert offset < 0.002


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_the_base_of_a_planar_arm_is_planar(seed):
    found, _, _ = found_in(("planar", "revolute"), seed, TrackNoise())
    assert {kind for *_, kind in types(found)} == {"planar", "revolute"}
    assert (-1, 0, "planar") in types(found)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_a_thrown_body_is_free(seed):
    found, _, _ = found_in(("free",), seed, TrackNoise())
    assert types(found) == {(-1, 0, "free")}
    assert len(found.moving) == 6


def test_a_capsule_spins_without_harm():
    found, true, _ = found_in(("prismatic", "revolute:capsule"), 4)
    assert types(found) == {(-1, 0, "prismatic"), (0, 1, "revolute")}
    angle, offset = joint_line_errors(true.joints[1], found.trace.adjusted.fit.edges[1].frame)
    assert angle < 0.5
    assert offset < 0.002


def test_the_model_moves_as_the_bodies_do_and_does_not_invent_what_was_not_seen():
    found, true, track = found_in(("planar", "spherical"), 5)
    tree = found.model.tree
    assert tree.root == "world"
    assert "body_0_slide_1" in tree.links
    assert found.moving == tuple(joint.name for joint in tree.joints)
    motions = link_motions(tree, found.joint_values)
    reference = found.trace.adjusted.reference
    for number, joint in enumerate(true.joints):
        link = tree.links.index(joint.body)
        poses = motions[:, link] @ true.poses[joint.body][reference]
        away = np.linalg.norm(poses[:, :3, 3] - true.poses[joint.body][:, :3, 3], axis=1)
        assert np.nanmedian(away) < 0.003
        hidden = ~track.seen[number]
        assert hidden.any()
        assert np.isnan(found.joint_values[hidden]).any(axis=1).all()


def test_joint_values_are_within_their_standard_deviations():
    found, true, _ = found_in(("revolute",), 6, TrackNoise())
    values = true.joints[0].values[:, 0]
    reference = found.trace.adjusted.reference
    sign = np.sign(true.joints[0].frame[:3, 2] @ found.trace.adjusted.fit.edges[0].frame[:3, 2])
    errors = sign * (values - values[reference]) - found.joint_values[:, 0]
    scaled = (errors - np.median(errors)) / found.joint_stds[:, 0]
    assert np.mean(np.abs(scaled) < 2) > 0.85


def test_axes_and_pivots_are_within_their_standard_deviations():
    inside = []
    for seed in range(8):
        found, true, _ = found_in(("revolute",), seed, TrackNoise())
        edge, covariance = (
            found.trace.adjusted.fit.edges[0],
            found.trace.adjusted.frame_covariances[0],
        )
        axis = true.joints[0].frame[:3, 2]
        axis = axis * np.sign(axis @ edge.frame[:3, 2])
        turn = np.cross(edge.frame[:3, 2], axis) @ edge.frame[:3, :3]
        inside += list(np.abs(turn[:2]) < 2 * np.sqrt(np.diag(covariance)[:2]))
        estimate = found.model.kinematics.joints["body_0_joint"]
        assert estimate.axis_std == pytest.approx(np.sqrt(np.diag(covariance)[:2].mean()))
        assert estimate.confidence.type > 0.9
    assert np.mean(inside) > 0.8


@pytest.mark.parametrize(
    ("share", "kind", "doubt"),
    [
        (0.01, "fixed", "it may be an error of the tracker"),
        (0.02, "revolute", "its axis is known to"),
    ],
)
def test_a_joint_that_hardly_moved_is_named(share, kind, doubt):
    rng = np.random.default_rng(1)
    true = chain(("revolute",), rng, FRAMES)
    true.joints[0].values[:] *= share
    still = TrueMechanism(true.joints)
    options = JointsOptions(axis_doubt=np.radians(1.0))
    found = find_joints(observed_track(still, rng, TrackNoise()), (), options, silent)
    assert types(found) == {(-1, 0, kind)}
    assert any(doubt in text for text in found.warnings)


def test_that_another_body_could_be_the_base_of_a_planar_arm_is_a_note_and_no_doubt():
    rng = np.random.default_rng(8)
    true = chain(("planar", "revolute"), rng, FRAMES, parallel=True)
    found = find_joints(observed_track(true, rng, TrackNoise()), (), JointsOptions(), silent)
    assert types(found) == {(-1, 0, "planar"), (0, 1, "revolute")}
    assert not any("as likely" in text for text in found.warnings)
    assert any("it could as well be that of" in text for text in found.notes)


def test_tracks_without_frames_are_refused():
    rng = np.random.default_rng(0)
    track = observed_track(chain(("fixed",), rng, 2), rng, TrackNoise())
    with pytest.raises(InputError, match="2 frames"):
        find_joints(track, (), JointsOptions(), silent)
