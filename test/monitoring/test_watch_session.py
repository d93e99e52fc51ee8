"""A session under watch: what it keeps, when it repairs, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from repaired_arm import CAMERAS, observations, written_arm

from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.monitoring import watch_session
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.monitoring.continual.recent_observations import MOST, RecentObservations
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.repairing.correction import corrected, correction_of
from autourdf_ros.monitoring.watch_session import ENOUGH, WatchSession

pytestmark = pytest.mark.slow


class ScriptedMonitor:
    """A monitor that learns from two clouds of each camera, then reports `changes`."""

    changes = ()

    def __init__(self, *_):
        self.seen = 0

    @property
    def settled(self):
        return self.seen > 4 and not ScriptedMonitor.changes

    def update(self, observation):
        self.seen += 1
        return Report(observation.stamp, self.seen > 4, {}, ScriptedMonitor.changes)


@pytest.fixture
def session(result, tmp_path, monkeypatch):
    monkeypatch.setattr(watch_session, "Monitor", ScriptedMonitor)
    monkeypatch.setattr(ScriptedMonitor, "changes", ())
    history = ModelHistory(tmp_path / "models")
    history.add(result)
    return WatchSession(history, tuple(CAMERAS), MonitorOptions())


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("results") / "arm")


def watched(session, model, number, seed):
    for observation in observations(model, number, seed):
        session.take(observation)


def slipped(model):
    causes = Causes(model, ())
    cause = next(c for c in causes.table if (c.kind, c.subject) == ("joint_zero", "arm/lift"))
    return corrected(model, correction_of(causes, cause, np.array([0.03])))


def test_a_change_is_repaired_once_and_becomes_current(session, monkeypatch):
    model, first = session.model, session.folder
    watched(session, model, 3, 0)
    with pytest.raises(InputError, match="nothing to repair: no change is reported"):
        session.repair()
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "arm/lift", (), 20.0, "seen"),)
    )
    watched(session, slipped(model), 1, 1)
    assert not session.ready
    with pytest.raises(InputError, match="4 observations from before the change and 2 since then"):
        session.repair()
    watched(session, slipped(model), 6, 2)
    outcome = session.repair()
    assert outcome.made.accepted
    assert outcome.folder == session.folder == session._history.current() != first
    # The new model's baseline is the robot that slipped.
    assert session.report is None and not session.ready
    assert session.model.transmission.offset[1] == pytest.approx(
        model.transmission.offset[1] + 0.03, abs=0.004
    )


def test_what_explains_no_more_is_not_written_and_not_tried_again(session, monkeypatch):
    model = session.model
    watched(session, model, 3, 0)
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "slide", (), 20.0, "seen"),)
    )
    watched(session, model, 10, 1)
    assert session.ready
    outcome = session.repair()
    assert not outcome.made.accepted and outcome.folder is None
    assert session.folder == session._history.current() and len(session._history.entries) == 1
    assert not session.ready
    # What comes after an all-clear is another change.
    monkeypatch.setattr(ScriptedMonitor, "changes", ())
    watched(session, model, 1, 2)
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "slide", (), 20.0, "seen"),)
    )
    watched(session, model, 10, 3)
    assert session.ready


def test_it_is_ready_when_every_camera_saw_enough(session, monkeypatch):
    watched(session, session.model, 3, 0)
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "slide", (), 20.0, "seen"),)
    )
    many = list(observations(session.model, ENOUGH, 1))
    for observation in [*many, *(replace(one, stamp=one.stamp + 50) for one in many)]:
        if observation.camera == "left":
            session.take(observation)
    assert not session.ready
    for observation in many:
        assert not session.ready
        session.take(observation)
    assert session.ready


def test_a_model_that_cannot_be_used_never_becomes_current(session, result, monkeypatch):
    second = session._history.add(result)
    session._watch(second, session._loaded(second))
    first = session._history.before()
    for mesh in (first / "meshes" / "visual").glob("*.obj"):
        mesh.unlink()
    before = session.folder, session.model, session._monitor, session._kept
    with pytest.raises(InputError, match="no link with a surface"):
        session.rollback()
    assert session._history.current() == second
    assert (session.folder, session.model, session._monitor, session._kept) == before
    # Nor does a repaired one.
    watched(session, session.model, 3, 0)
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "arm/lift", (), 20.0, "seen"),)
    )
    watched(session, slipped(session.model), 7, 2)

    def damaged(folder):
        raise InputError(f"{folder}: cannot be watched")

    monkeypatch.setattr(watch_session, "load_watched_model", damaged)
    with pytest.raises(InputError, match="cannot be watched"):
        session.repair()
    assert session._history.current() == session.folder == second


def test_a_foreign_object_hides_no_repair(session, monkeypatch):
    foreign = Change("object", "", (), 30.0, "something stands there")
    watched(session, session.model, 3, 0)
    monkeypatch.setattr(ScriptedMonitor, "changes", (foreign,))
    watched(session, session.model, ENOUGH, 1)
    assert not session.ready and not session._kept.recent
    with pytest.raises(InputError, match="something stands there"):
        session.repair()
    zero = Change("joint_zero", "arm/lift", (), 20.0, "seen")
    monkeypatch.setattr(ScriptedMonitor, "changes", (foreign, zero))
    watched(session, slipped(session.model), 6, 2)
    assert session.to_repair == zero and session.repair().made.accepted


def test_nothing_is_written_once_it_is_closed(session, monkeypatch):
    model = session.model
    watched(session, model, 3, 0)
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "arm/lift", (), 20.0, "seen"),)
    )
    watched(session, slipped(model), 7, 2)
    session.close()
    with pytest.raises(CancelledError, match="cancelled"):
        session.repair()
    assert len(session._history.entries) == 1


@pytest.mark.parametrize("step", ["write_repair", "load_watched_model"])
def test_nothing_half_written_is_left_when_it_is_closed(session, monkeypatch, step):
    model = session.model
    watched(session, model, 3, 0)
    monkeypatch.setattr(
        ScriptedMonitor, "changes", (Change("joint_zero", "arm/lift", (), 20.0, "seen"),)
    )
    watched(session, slipped(model), 7, 2)
    work = getattr(watch_session, step)

    def interrupted(*given):
        session.close()
        return work(*given)

    monkeypatch.setattr(watch_session, step, interrupted)
    with pytest.raises(CancelledError, match="cancelled"):
        session.repair()
    assert sorted(path.name for path in session._history.root.iterdir()) == ["0001", "history.json"]


def test_memory_is_bounded(session):
    kept = RecentObservations()
    watched(session, session.model, 3, 0)
    comparison = session._kept.healthy[0]
    for _ in range(5 * MOST):
        kept.add(comparison, changed=False)
        kept.add(comparison, changed=True)
    assert len(kept.healthy) <= MOST and len(kept.recent) == MOST
    assert not kept.wants("left", comparison.observation.stamp + 0.1)
    assert kept.wants("left", comparison.observation.stamp + 0.6) and kept.wants("right", 0.0)
