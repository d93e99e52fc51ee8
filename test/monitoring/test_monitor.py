"""A small arm before two cameras: what happens to it is named, and nothing where nothing does."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from watched_arm import CAMERAS, MOTORS, SIGMA, model, path, turned, watch, yielding

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.calibration.healthy_levels import watched_loosely
from autourdf_ros.monitoring.calibration.lasting_alarm import LastingAlarm
from autourdf_ros.monitoring.diagnosis.cause_ranking import most_significant
from autourdf_ros.monitoring.diagnosis.cause_refinement import LEAST_OBSERVATIONS
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.monitor import Monitor
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.observing.observation import Observation

LEARNING, HURT = 21, 15
PATH = path(LEARNING + 60)
OPTIONS = MonitorOptions(learning=4.0, window=3.0)


@pytest.fixture(scope="module")
def learnt():
    monitor = Monitor(model(), CAMERAS, OPTIONS)
    for observation in watch(PATH[:LEARNING]):
        report = monitor.update(observation)
    assert report.watching
    return monitor


def after(learnt, count=HURT, **changed):
    """All reports of some observations of the changed arm."""
    monitor = copy.deepcopy(learnt)
    rows = PATH[LEARNING : LEARNING + count]
    return [monitor.update(one) for one in watch(rows, first=LEARNING, seed=1, **changed)]


def named(reports):
    return [(change.kind, change.subject) for change in reports[-1].changes]


@pytest.mark.slow
def test_nothing_is_reported_of_a_healthy_arm(learnt):
    reports = after(learnt, count=40)
    assert not any(report.changes or report.suspicion for report in reports)
    states = reports[-1].links
    assert {link for _, link in states} == {"base", "column", "arm", "hand"}
    assert all(state.residual < 0.002 and state.coverage > 0.9 for state in states.values())
    assert all(state.statistic < 10 for state in states.values())


@pytest.mark.slow
def test_what_windows_of_the_learning_time_show_sets_the_levels(learnt):
    levels = learnt._levels
    assert levels.windows >= 4
    assert (levels.filled >= 3.5).all() and levels.alarm >= OPTIONS.alarm
    assert (levels.baseline.dispersion >= 1).all()
    doubted = Causes(replace(model(), doubts={"lift": "its axis may be off"}), CAMERAS)
    loose = replace(levels, alarm=35.0, filled=np.array([3.5, 40.0, 3.5, 3.5]))
    said = watched_loosely(loose, doubted, OPTIONS.alarm)
    assert "joint lift is doubtful" in said[0] and "log odds of 35" in said[1]
    assert "column" in said[-1] and "40 cells" in said[-1]


@pytest.mark.slow
def test_a_camera_beside_its_calibration_is_learnt_and_adds_no_noise():
    off = turned(0.4, axis=(1, 1, 0), shift=(0.003, 0, 0.001))
    monitor = Monitor(model(), CAMERAS, OPTIONS)
    for observation in watch(PATH[:LEARNING], knocked=off):
        report = monitor.update(observation)
    noise = monitor._baseline.noise
    assert report.watching and (noise.point < SIGMA).all()
    assert (noise.systematic < 0.0003).all()  # m


@pytest.mark.slow
def test_zero_of_a_joint(learnt):
    reports = after(learnt, zeros=np.array([0.0, np.radians(1.5), 0.0]))
    assert named(reports) == [("joint_zero", "lift")]
    early = [one.suspicion for one in reports if one.suspicion]
    assert early and "its cause is not decided yet" in early[0]
    assert not reports[-1].suspicion
    offset = reports[-1].changes[0].quantities[0]
    assert offset.value == pytest.approx(np.radians(1.5), rel=0.15)
    assert offset.unit == "rad"
    assert "lift" in reports[-1].changes[0].summary
    healthy = after(learnt)[-1].links
    for link in ("arm", "hand"):
        now = reports[-1].links[CAMERAS[1], link]
        assert now.statistic > 10 * healthy[CAMERAS[1], link].statistic


@pytest.mark.slow
def test_what_one_judgement_shows_is_no_suspicion(learnt):
    began = []
    for repeats in (1, 2, 3):
        monitor = copy.deepcopy(learnt)
        monitor._lasting = LastingAlarm(replace(OPTIONS, repeats=repeats))
        reports = after(monitor, zeros=np.array([0.0, np.radians(1.5), 0.0]))
        began.append(next(place for place, one in enumerate(reports) if one.suspicion))
    assert began[0] < began[1] < began[2]


@pytest.mark.slow
def test_a_small_change_is_reported_later(learnt):
    """Since errors of a model in a configuration that was not learnt look the same until then."""
    slipped = {"zeros": np.array([0.0, np.radians(1.5), 0.0])}
    changed = copy.deepcopy(learnt)
    for one in watch(PATH[LEARNING : LEARNING + HURT], first=LEARNING, seed=1, **slipped):
        changed.update(one)
    found = changed._window.explained(changed._causes, changed._baseline)
    most = most_significant(found)
    seconds = []
    for level in (most / 100, most / 3):
        monitor = copy.deepcopy(learnt)
        monitor._levels = replace(learnt._levels, alarm=level)
        reports = after(monitor, count=40, **slipped)
        said = next(one for one in reports if one.changes or one.suspicion)
        seconds.append(said.stamp - reports[0].stamp)
        assert named(reports) == [("joint_zero", "lift")]
    assert seconds[0] <= 1.0 and OPTIONS.window / 3 <= seconds[1] < OPTIONS.window + 2


@pytest.mark.slow
def test_a_lull_takes_nothing_back_and_a_healthy_arm_does(learnt):
    monitor = copy.deepcopy(learnt)

    def seen(first, count, **changed):
        rows = PATH[LEARNING : LEARNING + count]
        return [monitor.update(one) for one in watch(rows, first=first, seed=1, **changed)]

    slipped = {"zeros": np.array([0.0, np.radians(1.5), 0.0])}
    assert named(seen(LEARNING, HURT, **slipped)) == [("joint_zero", "lift")]
    later = LEARNING + 10 * HURT
    assert named(seen(later, 2, **slipped)) == [("joint_zero", "lift")]
    assert not named(seen(later + 2, 2 * HURT))


@pytest.mark.slow
def test_zero_of_a_joint_where_clouds_are_few(learnt):
    """As where each takes long: no window holds as many as are wanted at once."""
    monitor = copy.deepcopy(learnt)
    rows = PATH[LEARNING : LEARNING + 60]
    slipped = watch(rows, first=LEARNING, seed=1, zeros=np.array([0.0, np.radians(3.0), 0.0]))
    seen = [monitor.update(one) for number, one in enumerate(slipped) if number // 2 % 4 == 0]
    assert len(monitor._window.comparisons) < LEAST_OBSERVATIONS
    assert named(seen) == [("joint_zero", "lift")]


@pytest.mark.slow
def test_bent_link(learnt):
    bend = turned(3, axis=(1, 0, 0), about=(0, 0, 0.3), shift=(0.004, 0, -0.01))
    assert named(after(learnt, bend=bend)) == [("link_shape", "column")]


@pytest.mark.slow
def test_joints_that_yield_to_a_load(learnt):
    sag = yielding(PATH[LEARNING : LEARNING + HURT], 3.0)
    (change,) = after(learnt, zeros=sag)[-1].changes
    assert (change.kind, change.subject) == ("sag", "hand")
    assert "yield to a load" in change.summary
    # It pulls down.
    pull = [one.value for one in change.quantities]
    assert pull[2] < 0 and np.hypot(*pull[:2]) < 0.3 * abs(pull[2])


@pytest.mark.slow
def test_joints_that_yield_unequally_are_no_other_cause(learnt):
    sag = yielding(PATH[LEARNING : LEARNING + HURT], 3.0, (1.0, 0.5, 1.5))
    assert named(after(learnt, zeros=sag)) in ([("sag", "hand")], [])


@pytest.mark.slow
def test_camera_that_moved(learnt):
    reports = after(learnt, knocked=turned(1.5, axis=(0.3, 1, 0.2)))
    assert named(reports) == [("camera_pose", "left")]


@pytest.mark.slow
@pytest.mark.parametrize("motor", ["pan", "lift", "roll"])
def test_motor_that_reads_backwards(learnt, motor):
    monitor = copy.deepcopy(learnt)
    rows = PATH[LEARNING : LEARNING + HURT]
    for one in watch(rows, first=LEARNING, seed=1):
        backwards = {**one.readings, motor: -one.readings[motor]}
        report = monitor.update(replace(one, readings=backwards))
    assert [(one.kind, one.subject) for one in report.changes] == [("joint_sign", motor)]
    assert "backwards" in report.changes[0].summary


def late(rows, first, camera, seconds):
    """Yield observations with clouds of one camera older than their stamps."""
    rates = 5.0 * np.gradient(rows, axis=0)
    now = list(watch(rows, first=first, seed=2))
    before = list(watch(rows - seconds * rates, first=first, seed=3))
    for number, (one, old) in enumerate(zip(now, before, strict=True)):
        velocities = dict(zip(one.readings, rates[number // 2].tolist(), strict=True))
        points = old.points if one.camera == camera else one.points
        yield replace(one, points=points, velocities=velocities)


@pytest.mark.slow
def test_camera_that_is_late():
    monitor = Monitor(model(), CAMERAS, OPTIONS)
    for one in late(PATH[:LEARNING], 0, "left", 0.02):
        report = monitor.update(one)
    assert report.watching
    # A latency equal to the one of the learning time is the baseline.
    baseline = copy.deepcopy(monitor)
    rows = PATH[LEARNING : LEARNING + HURT]
    assert not any(baseline.update(one).changes for one in late(rows, LEARNING, "left", 0.02))
    for one in late(rows, LEARNING, "left", 0.06):
        report = monitor.update(one)
    assert [(one.kind, one.subject) for one in report.changes] == [("camera_latency", "left")]
    assert report.changes[0].quantities[0].value == pytest.approx(0.04, abs=0.005)


@pytest.mark.slow
def test_something_attached(learnt):
    tool = trimesh.creation.box((0.2, 0.05, 0.05))
    tool.apply_translation((0.54, 0.05, 0.5))
    assert named(after(learnt, count=20, objects=[(3, tool)])) == [("attachment", "hand")]


@pytest.mark.slow
def test_something_beside(learnt):
    box = trimesh.creation.box((0.15, 0.15, 0.3))
    box.apply_translation((0.15, -0.35, 0.15))
    reports = after(learnt, count=20, objects=[(0, box)])
    assert named(reports) == [("object", "")]


@pytest.mark.slow
def test_memory_is_bounded():
    monitor = Monitor(model(), CAMERAS, MonitorOptions(learning=1.0, window=1.0))
    held = []
    for observation in watch(PATH[:30]):
        monitor.update(observation)
        learning = monitor._learner.held
        held.append((len(monitor._window.comparisons), learning))
    assert max(window for window, _ in held) <= 12
    assert max(learning for _, learning in held) <= 12
    assert held[-1][1] == 0


@pytest.mark.parametrize("late", [0.0, 3.0])
def test_learning_ends_where_nothing_is_seen_and_where_a_camera_comes_late(late):
    monitor = Monitor(model(), CAMERAS, MonitorOptions(learning=2.0, window=1.0))
    held = 0
    for number in range(120):
        stamp, name = number // 2 / 5.0, CAMERAS[number % 2]
        if name == "right" and stamp < late:
            continue
        empty = np.zeros((0, 3), np.float32)
        observation = Observation(name, stamp, empty, np.eye(4), dict.fromkeys(MOTORS, 0.0))
        report = monitor.update(observation)
        held = max(held, monitor._learner.held)
        if report.watching:
            break
    assert report.watching and stamp <= late + 2.2
    assert held <= 24


@pytest.mark.slow
def test_a_clock_that_is_set_back_begins_the_window_and_the_learning_anew():
    observations = list(watch(PATH[:12]))
    options = MonitorOptions(learning=1.0, window=1.0)
    later = [replace(one, stamp=one.stamp + 1000) for one in observations]
    monitor = Monitor(model(), CAMERAS, options)
    for observation in [*later[:8], *observations[:8]]:
        assert not monitor.update(observation).watching
    for observation in [*observations[8:], *later]:
        report = monitor.update(observation)
    assert report.watching
    for observation in observations:
        monitor.update(observation)
    stamps = [one.observation.stamp for one in monitor._window.comparisons]
    assert stamps == [
        one.stamp for one in observations if one.stamp >= observations[-1].stamp - 1.0
    ]
    assert observations[-1].stamp - monitor._judged <= options.period


def test_learning_waits_for_every_camera_in_bounded_memory():
    monitor = Monitor(model(), CAMERAS, MonitorOptions(learning=1.0))
    for observation in watch(PATH[:20]):
        if observation.camera == CAMERAS[0]:
            assert not monitor.update(observation).watching
    assert len(monitor._learner.comparisons) <= 6


def test_unknown_camera_is_named(learnt):
    other = next(iter(watch(PATH[:1])))
    with pytest.raises(InputError, match=r"'left' is not watched; .*one, two"):
        Monitor(model(), ("one", "two")).update(other)


def test_wrong_shapes_are_named():
    good = next(iter(watch(PATH[:1])))
    with pytest.raises(InputError, match=r"points have shape \(3,\)"):
        type(good)("left", 0.0, np.zeros(3, np.float32), good.camera_pose, {})
    with pytest.raises(InputError, match="pose is not a rigid"):
        type(good)("left", 0.0, good.points, 2 * np.eye(4), {})
