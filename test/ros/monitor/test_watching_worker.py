"""The watching thread outlives bad clouds, and reports that it judges nothing."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.errors import InputError
from autourdf_ros.ros.monitor import watching_worker
from autourdf_ros.ros.monitor.watching_worker import WatchingWorker

TOPIC = "/a"


class Session:
    """Takes what comes, or raises a given error."""

    def __init__(self):
        self.taken, self.error = [], None

    def close(self):
        self.closed = True

    def finish(self):
        self.finished = True

    def take(self, observation):
        if self.error is not None:
            raise self.error
        self.taken.append(observation)


def cloud(stamp):
    return SimpleNamespace(stamp=stamp, data=b"", transform=np.eye(4))


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(watching_worker, "observation_of", lambda *given: given)
    camera = SimpleNamespace(topic=TOPIC, newest=None)
    history = JointHistory(("pan",))
    worker = WatchingWorker(Session(), [camera], history)
    yield worker, camera, history
    worker.close()


def wait(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (ValueError("no such field"), "/a: ValueError: no such field"),
        (InputError("wrong shape"), "/a: wrong shape"),
    ],
)
def test_a_bad_cloud_is_reported_and_the_next_is_judged(made, error, problem):
    worker, camera, history = made
    history.add(0.9, {"pan": 0.0})
    history.add(1.2, {"pan": 0.0})
    worker.session.error = error
    camera.newest = cloud(1.0)
    wait(lambda: worker.problems == {TOPIC: problem})
    worker.session.error = None
    camera.newest = cloud(1.1)
    wait(lambda: worker.session.taken)
    assert not worker.problems and worker.submit(lambda: 3).result(60) == 3


def test_a_cloud_without_readings_about_it_counts_as_not_judged(made):
    worker, camera, history = made
    history.add(0.9, {"pan": 0.0})
    camera.newest = cloud(1000.0)
    wait(lambda: worker.unjudged(TOPIC) > 0.1)
    assert not worker.session.taken
    history.add(999.9, {"pan": 0.0})
    history.add(1000.1, {"pan": 0.0})
    wait(lambda: worker.session.taken)


def test_a_task_is_answered_whatever_it_raises(made):
    worker, _, _ = made
    with pytest.raises(ZeroDivisionError):
        worker.submit(lambda: 1 // 0).result(60)
    assert worker.submit(lambda: 2).result(60) == 2


def test_a_long_task_does_not_keep_it_from_closing(made, monkeypatch):
    worker, _, _ = made
    monkeypatch.setattr(watching_worker, "_PATIENCE", 0.1)
    begun, held = threading.Event(), threading.Event()
    future = worker.submit(lambda: (begun.set(), held.wait()))
    assert begun.wait(60)
    worker.close()
    assert worker.session.closed and not future.done()
    held.set()
    assert future.result(60)
