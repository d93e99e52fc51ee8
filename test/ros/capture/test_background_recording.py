from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from autourdf_ros.data.rejection import Rejection
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.ros.capture.background_recording import record_background


class Recording:
    """Takes views, or rejects them."""

    def __init__(self, rejection=None):
        self.views, self.rejection, self.failure = [], rejection, None

    def submit_view(self, view, joints):
        self.views.append(view.stamps[0])
        done = Future()
        done.set_result(self.rejection)
        return done


class Cameras:
    """One camera with a new cloud at every call."""

    time = 5.0

    def since(self, stamp):
        self.time += 0.1
        assert self.time > stamp
        return SimpleNamespace(stamps=(self.time,))


def test_several_views_are_recorded():
    recording = Recording()
    record_background(Cameras(), recording, lambda: 4.0, lambda: None)
    assert len(set(recording.views)) == 5


def test_a_scene_of_nothing_but_ground_is_reported():
    recording = Recording(Rejection("points", "0 of 99 points are left"))
    with pytest.raises(InputError, match=r"needs no background, .*: 0 of 99 points are left"):
        record_background(Cameras(), recording, lambda: 4.0, lambda: None)


def test_a_stop_ends_it():
    with pytest.raises(AutourdfError, match="somebody said so"):
        record_background(Cameras(), Recording(), lambda: 4.0, lambda: "somebody said so")
