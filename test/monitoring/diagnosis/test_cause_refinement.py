"""Causes that are similar to first order, separated by their own matches."""

from dataclasses import replace

import numpy as np
import pytest
from moving_scene import BOXES
from watched_arm import CAMERAS, SIGMA, model, path, turned, watch

from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.monitoring.diagnosis.baseline import learn_baseline, learn_from_observations
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation, explanations
from autourdf_ros.monitoring.diagnosis.cause_refinement import (
    BESIDE,
    KEPT,
    LEAST_OBSERVATIONS,
    PAIR_ROUNDS,
    PAIRED,
    POINTS,
    Refinement,
    ranked,
    spread,
)
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import change_of
from autourdf_ros.monitoring.diagnosis.linear_system import linear_system, observation_sums
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.observing.observation_comparison import (
    compare_displaced,
    compare_observation,
)

MODEL = model()
CAUSES = Causes(MODEL, CAMERAS)
PATH = path(40)
OFF = turned(0.4, axis=(1, 1, 0), shift=(0.003, 0, 0.001))  # of the left camera


def compared(rows, **changed):
    return [compare_observation(MODEL, one) for one in watch(rows, **changed)]


@pytest.fixture(scope="module")
def baseline():
    return learn_baseline(CAUSES, compared(PATH[:12]))


def fitted(baseline, **changed):
    return refined(baseline, compared(PATH[20:25], first=20, **changed))


def refined(baseline, seen):
    refinement = Refinement(CAUSES, seen, baseline, MonitorOptions().alarm)
    steps = 1
    while (best := refinement.step()) is None:
        steps += 1
    assert steps <= 1 + sum(KEPT) + (PAIRED + 2) * (1 + BESIDE * PAIR_ROUNDS)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("motor", "degrees"), [("pan", 1), ("lift", -1.5), ("lift", 3)])
def test_zero_is_not_reported_as_a_bent_link(baseline, motor, degrees, seed):
    zeros = np.radians(degrees) * (np.array(["pan", "lift", "roll"]) == motor)
    best = fitted(baseline, zeros=zeros, seed=seed)
    assert best.cause.named == ("joint_zero", motor)
    assert best.parameters[0] == pytest.approx(np.radians(degrees), rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    "bend",
    [
        turned(3, axis=(1, 1, 0), about=(0, 0, 0.15)),
        turned(-3, axis=(0, 1, 0), about=(0, 0, 0.25)),
        turned(2, axis=(0, 0, 1), about=(0, 0, 0.2)),
        turned(0, shift=(0, 0, -0.015)),
    ],
)
def test_bend_is_not_reported_as_a_zero_or_the_base(baseline, bend):
    assert fitted(baseline, bend=bend, seed=3).cause.named == ("link_shape", "column")


def test_moved_camera_is_not_reported_as_the_base(baseline):
    best = fitted(baseline, knocked=turned(1, axis=(0, 0.1, 1)), seed=4)
    assert best.cause.named == ("camera_pose", "left")


def test_two_changes_at_once_are_found_together(baseline):
    best = fitted(
        baseline, zeros=np.radians([0.0, 1.5, 0.0]), knocked=turned(1, axis=(0, 0.1, 1)), seed=4
    )
    found = {one.cause.named: one for one in best.together}
    assert set(found) == {("joint_zero", "lift"), ("camera_pose", "left")}
    alarm = MonitorOptions().alarm
    assert best.is_whole(alarm) and all(one.significance > alarm for one in best.together)
    zero = found["joint_zero", "lift"]
    assert zero.parameters[0] == pytest.approx(np.radians(1.5), rel=0.1)
    assert np.sqrt(zero.covariance[0, 0]) < np.radians(0.15)


def test_one_change_is_not_explained_by_two(baseline):
    best = fitted(baseline, zeros=np.radians([0.0, 1.5, 0.0]), seed=4)
    assert [one.cause.named for one in best.together] == [("joint_zero", "lift")]


def shaken(**changed):
    """The left camera is turned by another angle whenever it sees the robot."""
    seen = []
    for number, degrees in enumerate((0.5, -0.7, 0.4, -1.0, 0.8)):
        row = slice(20 + number, 21 + number)
        knocked = turned(degrees, axis=(0, 0.1, 1))
        seen += compared(PATH[row], first=row.start, knocked=knocked, seed=number, **changed)
    return seen


def test_a_camera_that_shakes_is_loose(baseline):
    best = refined(baseline, shaken())
    assert best.cause.named == ("camera_pose", "left")
    assert best.unsteady and best.is_whole(MonitorOptions().alarm)
    assert "the camera is loose" in change_of(best, MODEL).summary
    assert change_of(best, MODEL).unsteady


def test_a_camera_that_moved_once_is_not_loose(baseline):
    best = fitted(baseline, knocked=turned(1, axis=(0, 0.1, 1)), seed=4)
    assert not best.unsteady
    assert change_of(best, MODEL).summary.endswith("in camera left only: the camera moved")


def test_a_camera_is_not_loose_where_another_sees_a_change_as_well(baseline):
    best = refined(baseline, shaken(zeros=np.radians([0.0, 3.0, 0.0])))
    assert not best.unsteady


@pytest.mark.slow
def test_of_three_changes_at_once_no_two_are_sure(baseline):
    best = fitted(
        baseline,
        zeros=np.radians([0.0, 1.5, -2.0]),
        knocked=turned(1, axis=(0, 0.1, 1)),
        bend=turned(3, axis=(1, 1, 0), about=(0, 0, 0.15)),
        seed=4,
    )
    assert not best.is_whole(MonitorOptions().alarm)


@pytest.mark.slow
def test_nothing_is_worth_no_more_than_chance(baseline):
    assert fitted(baseline, seed=5).log_odds < 5


def test_observations_are_of_all_cameras_and_points_are_bounded(baseline):
    window = compared(PATH[:12])
    chosen = spread(window, CAMERAS, LEAST_OBSERVATIONS)
    assert len(chosen) == LEAST_OBSERVATIONS
    assert {one.observation.camera for one in chosen} == set(CAMERAS)
    refinement = Refinement(CAUSES, window, baseline, MonitorOptions().alarm)
    assert all(len(observation.close) <= POINTS for observation in refinement._observations)


def test_evidence_does_not_depend_on_the_matches_where_these_are_the_same(baseline):
    """Put elsewhere by too little to find other triangles: the cost is the same quadratic."""
    window = compared(PATH[20:22], zeros=np.array([0.0, 0.004, 0.0]))
    cause = next(one for one in CAUSES.table if one.named == ("joint_zero", "lift"))
    log_evidence = []
    for by in (0.0, 1e-4):
        sums = []
        for one in window:
            twists = CAUSES.twists(one.observation)[..., cause.columns] @ np.array([by])
            again = compare_displaced(MODEL, one.observation, twists)
            sums.append(observation_sums(CAUSES, again, baseline))
        found = explanations(CAUSES, linear_system(sums, len(CAMERAS)), baseline)
        log_evidence.append(next(one.log_evidence for one in found if one.cause is cause))
    # Huber's weights and the edges of the surface change a little.
    assert abs(log_evidence[1] - log_evidence[0]) < 0.01 * abs(found[0].log_odds) + 1


@pytest.mark.slow
def test_a_wrong_surface_is_learnt_and_no_change():
    """Boxes that are thicker than the model says, whatever the arm does."""
    thick = [(np.asarray(size) + 0.004, middle) for size, middle in BOXES]
    baseline = learn_baseline(CAUSES, compared(PATH[:20], boxes=thick))
    found = fitted(baseline, boxes=thick, seed=6)
    assert found.log_odds < MonitorOptions().alarm
    assert baseline.offsets.offsets.mean() > 0.0002
    slipped = fitted(baseline, boxes=thick, zeros=np.array([0.0, np.radians(1.0), 0.0]), seed=6)
    assert slipped.cause.named == ("joint_zero", "lift")


def test_what_explains_about_as_much_is_an_alternative():
    zero, axis, shape = (
        next(one for one in CAUSES.table if one.kind == kind)
        for kind in ("joint_zero", "joint_axis", "link_shape")
    )

    def explained(cause, log_evidence):
        count = len(cause.changed)
        return Explanation(cause, np.zeros(count), np.eye(count), log_evidence, log_evidence)

    found = [explained(shape, 101.0), explained(zero, 100.0), explained(axis, 50.0)]
    first, *_ = ranked(found, 0.0)
    assert first.cause is zero  # the simpler one of two within chance
    assert first.alternatives == ()  # what has more parameters explains the same
    found[1] = explained(zero, 90.0)
    first, *_ = ranked(found, 0.0)
    assert first.cause is shape
    assert first.alternatives == (zero.named,)
    first, *_ = ranked([found[0], found[2]], 0.0)
    assert first.alternatives == ()


def test_of_two_causes_each_has_the_alternatives_that_stand_in_its_place():
    zero, camera, other = (
        next(one for one in CAUSES.table if one.kind == kind and one.subject != unlike)
        for kind, unlike in (("joint_zero", ""), ("camera_pose", "right"), ("camera_pose", "left"))
    )

    def pair(first, second, log_evidence):
        one, beside = (
            Explanation(cause, np.zeros(n), np.eye(n), log_evidence, log_evidence)
            for cause, n in ((first, len(first.changed)), (second, len(second.changed)))
        )
        return replace(one, beside=beside)

    found = [pair(camera, zero, 1000.0), pair(other, zero, 980.0), pair(camera, other, 500.0)]
    first, *_ = ranked(found, 0.0)
    assert first.cause is camera and first.alternatives == (other.named,)
    assert first.beside.cause is zero and first.beside.alternatives == ()


def test_a_link_is_bent_more_often_than_an_axis_alone_changes():
    axis = next(one for one in CAUSES.table if one.kind == "joint_axis")
    shape = next(one for one in CAUSES.table if one.kind == "link_shape" and one.at_joint)

    def ranked_first(of_axis, of_shape):
        found = [
            Explanation(cause, np.zeros(count), np.eye(count), log_evidence, log_evidence)
            for cause, count, log_evidence in ((axis, 4, of_axis), (shape, 6, of_shape))
        ]
        return ranked(found, 0.0)[0]

    assert ranked_first(100.0, 103.0).cause is shape  # no margin for fewer parameters
    assert ranked_first(103.0, 100.0).cause is axis
    assert ranked_first(100.0, 103.0).alternatives == (axis.named,)
    assert ranked_first(103.0, 100.0).alternatives == (shape.named,)
    assert ranked_first(103.0, 60.0).alternatives == ()


def test_of_two_links_the_one_shifted_along_its_span_is_reported():
    shapes = [one for one in CAUSES.table if one.kind == "link_shape" and one.at_joint]
    arm = next(one for one in shapes if one.subject == "arm")  # where it begins
    *_, column = (one for one in shapes if one.subject == "column")  # where it ends
    # The column stands, the arm lies.
    for link, way in ((column, [0, 0, 1]), (arm, [1, 0, 0])):
        assert link.span @ way > 0.9 * np.linalg.norm(link.span)

    def explained(cause, shift, log_evidence):
        return Explanation(cause, np.r_[np.zeros(3), shift], np.eye(6), log_evidence, log_evidence)

    for own, other in ((arm, column), (column, arm)):
        shift = 0.01 * own.span / np.linalg.norm(own.span)
        found = [explained(other, shift, 101.0), explained(own, shift, 100.0)]
        first, *_ = ranked(found, 0.0)
        assert first.cause is own
        assert first.alternatives == (other.named,)
        found[0] = explained(other, shift, 120.0)  # not by chance
        assert ranked(found, 0.0)[0].cause is other


def test_a_bend_beside_the_reported_place_is_no_shear():
    for cause in CAUSES.table:
        if cause.span is None:
            assert cause.kind != "link_shape"
            continue
        turn = np.cross(cause.span, [0.3, 0.5, 0.2])
        turn *= np.radians(3) / np.linalg.norm(turn)
        swing = np.cross(turn, cause.span)
        for share in (0.0, 0.9, -0.9, 1.5, -3.0):  # of a segment's length
            bend = np.r_[turn, -share * swing + 0.01 * cause.span]
            across = max(abs(share) - 1, 0) * np.linalg.norm(swing)
            expected = cause.at_joint + (across / 0.003) ** 2
            assert cause.unlikeliness(bend) == pytest.approx(expected, abs=1e-9)
        aside = 0.003 * turn / np.linalg.norm(turn)
        assert cause.unlikeliness(np.r_[0 * turn, aside]) == pytest.approx(cause.at_joint + 1)


@pytest.mark.slow
def test_one_spot_is_in_one_cell_wherever_its_segment_was_put():
    observation = compared(PATH[12:13], knocked=OFF)[0].observation
    baseline = learn_from_observations(
        CAUSES, [one.observation for one in compared(PATH[:12], knocked=OFF)]
    )
    moves = CAUSES.twists(observation) @ baseline.parameters
    there = compare_displaced(MODEL, observation, moves)
    # The same, with the bodies put there in place of the segments.
    twists = np.zeros((len(observation.poses), 6))
    twists[MODEL.segment_body] = moves
    put = replace(observation, poses=observation.poses @ exp_se3(twists))
    found = compare_displaced(MODEL, put, np.zeros_like(moves))
    np.testing.assert_allclose(found.counts, there.counts, rtol=1e-3)
    both = np.isin(found.cells.keys, there.cells.keys)
    assert found.cells.weights[both].sum() > 0.98 * found.cells.weights.sum()


@pytest.mark.slow
def test_learning_from_observations_finds_a_camera_s_pose_and_the_sensor_s_noise():
    baseline = learn_from_observations(
        CAUSES, [one.observation for one in compared(PATH[:20], knocked=OFF)]
    )
    camera = next(one for one in CAUSES.table if one.named == ("camera_pose", "left"))
    np.testing.assert_allclose(exp_se3(baseline.parameters[camera.columns]), OFF, atol=5e-4)
    assert (baseline.noise.point < SIGMA).all()
