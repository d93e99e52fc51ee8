"""A request waits for what is missing, up to a limit."""

from __future__ import annotations

import asyncio

import pytest

from autourdf_ros.ros.capture import readiness
from autourdf_ros.ros.capture.readiness import Readiness


class Owner:
    """In place of a node: keeps the timer's callback."""

    def create_timer(self, period, wake):
        self.wake = wake


@pytest.fixture
def owner(monkeypatch):
    monkeypatch.setattr(readiness, "Future", asyncio.Future)
    return Owner()


def answered(owner, missing, longest=30.0, turn=lambda ready: None):
    """What a request hears, while the timer of its node goes on."""

    async def ask():
        ready = Readiness(owner, missing, longest)
        request = asyncio.ensure_future(ready.problem())
        while not request.done():
            await asyncio.sleep(0)
            turn(ready)
            owner.wake()
        return request.result(), ready.waiting

    return asyncio.run(ask())


def test_it_begins_once_nothing_is_missing(owner):
    left = [["how often a comes is still being measured"]] * 5 + [[]]
    assert answered(owner, lambda: left.pop(0)) == ("", 0)
    assert left == []


def test_what_is_still_missing_is_said_at_the_limit(owner):
    said, _ = answered(owner, lambda: ["no controller", "no cloud"], longest=0.01)
    assert said == "no controller; no cloud (waited for 0.01 s: start_timeout)"
    assert answered(owner, lambda: ["no controller"], longest=0.0)[0] == "no controller"


def test_a_stop_ends_the_wait(owner):
    said = answered(owner, lambda: ["no cloud"], turn=lambda ready: ready.cancel("~/stop"))
    assert said == ("~/stop", 0)
    assert not Readiness(owner, list, 1.0).cancel("nobody waits")
