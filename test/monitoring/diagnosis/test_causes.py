"""Each cause's map to the segments' twists, against what it does to the model itself."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_scene import camera_poses
from watched_arm import CAMERAS, LINKS, MOTORS, model

from autourdf_ros.estimation.common.joint_fit import line_perturbations
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, inverse, log_se3, transform
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import undecided
from autourdf_ros.monitoring.observing.observation_comparison import CroppedObservation

pytestmark = pytest.mark.slow

MODEL = model()
CAUSES = Causes(MODEL, CAMERAS)
STEP = 1e-5
values = st.tuples(*[st.floats(-1.5, 1.5)] * 3).map(np.array)


def observation(at, camera="left"):
    none, points = np.zeros(0), np.zeros((0, 3), np.float32)
    pose = camera_poses(2)[CAMERAS.index(camera)]
    return CroppedObservation(
        0.0,
        camera,
        at,
        np.zeros(3),
        MODEL.poses(at),
        pose,
        points,
        points[:, 0],
        points,
        none,
        none,
    )


def mapped(cause, seen):
    return CAUSES.twists(seen)[..., cause.columns]


def moved(before, after):
    """(S, 6) twists per step, in the bodies' frames at the reference."""
    return (log_se3(inverse(before) @ after) / STEP)[MODEL.segment_body]


def of(kind, subject):
    return next(cause for cause in CAUSES.table if cause.named == (kind, subject))


@given(values, st.sampled_from(range(3)))
def test_zero(at, joint):
    after = MODEL.poses(at + STEP * np.eye(3)[joint])
    twists = mapped(of("joint_zero", MOTORS[joint]), observation(at))[..., 0]
    np.testing.assert_allclose(twists, moved(MODEL.poses(at), after), atol=1e-4)


@given(values, st.sampled_from(range(3)), st.sampled_from(range(4)))
def test_axis(at, joint, direction):
    model_ = MODEL.articulation
    basis = line_perturbations(model_.twists, model_.anchors, model_.revolute)
    twists = model_.twists.copy()
    twists[joint] = adjoint(exp_se3(STEP * basis[joint, :, direction])) @ twists[joint]
    other = replace(MODEL, articulation=replace(model_, twists=twists))
    expected = moved(MODEL.poses(at), other.poses(at))
    found = mapped(of("joint_axis", MOTORS[joint]), observation(at))[..., direction]
    np.testing.assert_allclose(found, expected, atol=1e-4)


@given(values, st.sampled_from(CAMERAS), st.sampled_from(range(6)))
def test_camera(at, camera, direction):
    seen = observation(at, camera)
    step = seen.camera_pose @ exp_se3(-STEP * np.eye(6)[direction]) @ inverse(seen.camera_pose)
    expected = moved(seen.poses, step @ seen.poses)
    found = mapped(of("camera_pose", camera), seen)[..., direction]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    other = CAMERAS[1 - CAMERAS.index(camera)]
    assert not mapped(of("camera_pose", other), seen).any()


@given(values, st.sampled_from(range(6)))
def test_base(at, direction):
    seen = observation(at)
    expected = moved(seen.poses, exp_se3(STEP * np.eye(6)[direction]) @ seen.poses)
    np.testing.assert_allclose(
        mapped(of("base_pose", "base"), seen)[..., direction], expected, atol=1e-4
    )


@given(values, st.sampled_from(range(3)))
def test_joints_yield_by_the_torque_of_the_load(at, direction):
    (load,) = CAUSES.loads
    assert MODEL.links[load.body] == "hand" and load.turning.all()

    def place(row):
        return transform(MODEL.poses(row)[load.body], load.place)[direction]

    steps = STEP * np.eye(3)
    torques = np.array([(place(at + one) - place(at - one)) / (2 * STEP) for one in steps])
    assert (np.abs(torques) < 1.01 * load.reach).all()
    expected = moved(MODEL.poses(at), MODEL.poses(at + STEP * torques / load.reach))
    found = mapped(of("sag", "hand"), observation(at))[..., direction]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_load_hangs_on_what_holds_fingers_that_slide():
    revolute = np.array([True, True, False])
    sliding = replace(MODEL, articulation=replace(MODEL.articulation, revolute=revolute))
    (load,) = Causes(sliding, CAMERAS).loads
    assert MODEL.links[load.body] == "arm" and load.turning.tolist() == [True, True, False]


@settings(max_examples=30)
@given(values, st.data())
def test_link_moves_what_is_beyond_the_place_in_its_own_frame(at, data):
    number = data.draw(st.sampled_from(range(len(CAUSES.breaks))))
    direction = data.draw(st.sampled_from(range(6)))
    body, order, place, *_ = CAUSES.breaks[number]
    seen = observation(at)
    about = np.eye(4)
    about[:3, 3] = place
    frame = seen.poses[body] @ about
    step = frame @ exp_se3(STEP * np.eye(6)[direction]) @ inverse(frame)
    expected = moved(seen.poses, step @ seen.poses)
    for row, segment in enumerate(MODEL.segments):
        later = segment.body > body  # the arm is one chain
        if not (later or (segment.body == body and segment.order >= order)):
            expected[row] = 0
    first = next(n for n, cause in enumerate(CAUSES.table) if cause.kind == "link_shape")
    found = mapped(CAUSES.table[first + number], seen)[..., direction]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_every_column_has_one_cause():
    columns = [n for cause in CAUSES.table for n in range(cause.columns.start, cause.columns.stop)]
    assert columns == list(range(CAUSES.count))
    assert {cause.subject for cause in CAUSES.table if cause.kind == "link_shape"} == set(LINKS)


@given(values, st.integers(0, 2**32 - 1))
def test_axes_off_by_degrees_displace_exactly_as_a_model_that_has_them(at, seed):
    rng = np.random.default_rng(seed)
    parameters = np.zeros(CAUSES.count)
    for cause in CAUSES.axes:
        parameters[cause.columns] = rng.normal(0, [0.1, 0.1, 0.01, 0.01])  # 6 degrees, 1 cm
    seen = observation(at)
    other = replace(MODEL, articulation=CAUSES.moved_axes(parameters))
    shift = of("camera_pose", "left").columns
    parameters[shift] = rng.normal(0, 0.01, 6)
    # What the camera is off by comes on top, in its own frame.
    knocked = inverse(exp_se3(adjoint(seen.camera_pose) @ parameters[shift]))
    expected = (inverse(seen.poses) @ knocked @ other.poses(at))[MODEL.segment_body]
    got = exp_se3(CAUSES.displacements(seen, parameters))
    np.testing.assert_allclose(got, expected, atol=1e-9)


@given(values, st.integers(0, 2**32 - 1))
def test_small_displacements_are_the_linear_ones(at, seed):
    parameters = STEP * np.random.default_rng(seed).normal(size=CAUSES.count)
    linear = CAUSES.twists(observation(at)) @ parameters
    np.testing.assert_allclose(CAUSES.displacements(observation(at), parameters), linear, atol=1e-7)


def test_joints_are_known_as_surely_as_the_model_states():
    transmission = replace(MODEL.transmission, zero_std=np.array([0.0, 0.01, 0.0]))
    stated_model = replace(MODEL, transmission=transmission)
    table = {cause.named: cause for cause in Causes(stated_model, CAMERAS).table}
    plain = {cause.named: cause for cause in CAUSES.table}
    zeros = [table["joint_zero", motor].known[0] for motor in MOTORS]
    default = plain["joint_zero", "pan"].known[0]
    np.testing.assert_allclose(zeros, [default, np.hypot(default, 0.01), default])
    for motor in MOTORS:
        known = table["joint_axis", motor].known
        np.testing.assert_allclose(known, plain["joint_axis", motor].known)


@pytest.mark.parametrize(
    ("odds", "remaining", "whole"),
    [(100.0, 15.0, True), (100.0, 25.0, False), (5000.0, 40.0, True), (5000.0, 60.0, False)],
)
def test_what_an_explanation_leaves_to_a_further_cause_decides_whether_it_is_whole(
    odds, remaining, whole
):
    cause = of("joint_zero", "pan")
    found = Explanation(cause, np.zeros(1), np.eye(1), odds, 0.0, remaining=remaining)
    assert found.is_whole(20.0) == whole
    texts = [undecided(CAUSES, Explanation(one, *[None] * 4)) for one in CAUSES.table]
    assert "near link column" in texts[0] and "in camera right" in " ".join(texts)
