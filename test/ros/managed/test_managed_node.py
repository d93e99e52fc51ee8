"""What every managed node does in its transitions."""

import gc
import time

import pytest
from autourdf_msgs.action import Capture
from lifecycle_client import LifecycleClient
from live import observer
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.managed import managed_node
from autourdf_ros.ros.managed.managed_node import ManagedNode


class Example(ManagedNode):
    """Has one of everything, and ends when `ends` says so."""

    def __init__(self, manager=True, **values):
        self.done, self.ends, self.fails = [], True, ""
        given = {"use_lifecycle_manager": manager} | values
        overrides = [Parameter(name, value=value) for name, value in given.items()]
        super().__init__("example", parameter_overrides=overrides)

    def configure(self):
        parameters = Parameters(self, adjustable=["speed"])
        self.at_cleanup(lambda: self.done.append("released"))
        self.size = parameters.number("size", 1.0, "of it", 0.0, 2.0)
        parameters.number("speed", 1.0, "of it")
        self.create_subscription(String, "heard", lambda _: None, 1)
        self.create_publisher(String, "said", 1)
        self.create_service(Trigger, "~/go", self.armed(self._on_go))
        self.create_client(Trigger, "asked")
        self.create_timer(1.0, lambda: None)
        self.create_guard_condition(lambda: None)
        ActionClient(self, Capture, "sent")

    def _on_go(self, _, response):
        response.success = True
        return response

    def arm(self):
        self.done.append("armed")
        self._fail("arm")

    def halt(self, reason):
        self.done.append("halted")
        return self.ends

    def disarm(self):
        self.done.append("disarmed")
        self._fail("disarm")

    def _fail(self, where):
        if self.fails == where:
            self.fails = ""
            raise InputError(f"no {where}")

    def counts(self):
        kinds = (
            *(self.publishers, self.subscriptions, self.services, self.clients),
            *(self.timers, self.guards, self.waitables),
        )
        return [len(list(kind)) for kind in kinds], sorted(self._parameters)


@pytest.fixture
def example(monkeypatch):
    monkeypatch.setattr(managed_node, "LONGEST", 0.5)
    with observer() as watching:
        node = Example()
        watching.executor.add_node(node)
        lifecycle = LifecycleClient(watching.node, "example", watching.until)
        yield node, lifecycle, watching
        watching.executor.remove_node(node)
        node.close()
        node.destroy_node()


def test_a_cleanup_leaves_nothing_that_was_not_there_before(example):
    node, lifecycle, _ = example
    lifecycle.state()
    before = node.counts()
    for _ in range(3):
        lifecycle.to("configure")
        counts, names = node.counts()
        assert all(count > less for count, less in zip(counts, before[0], strict=True))
        assert names == sorted([*before[1], "size", "speed"])
        lifecycle.to("activate", "deactivate", "cleanup")
        assert node.counts() == before
        assert node.done == ["armed", "halted", "disarmed", "released"]
        node.done.clear()


def test_a_destroyed_node_is_gone_at_once():
    gc.disable()
    try:
        with observer() as watching:
            node = Example()
            watching.until(lambda: "example" in watching.node.get_node_names())
            node.close()
            node.destroy_node()
            watching.until(lambda: "example" not in watching.node.get_node_names())
            node.destroy_node()  # as rclpy allows
    finally:
        gc.enable()


def test_what_does_not_end_keeps_it_active(example):
    node, lifecycle, watching = example
    lifecycle.to("configure", "activate")
    node.ends = False
    began = time.monotonic()
    future = lifecycle.begin("deactivate")
    watching.until(lambda: "halted" in node.done)
    assert node.refusal == "the example node is deactivated"  # from its beginning on
    watching.until(future.done)
    assert not future.result().success and time.monotonic() - began > 0.5
    assert lifecycle.state() == "active" and node.refusal == ""
    assert "disarmed" not in node.done
    node.ends = True
    lifecycle.to("deactivate")


def test_a_transition_that_waits_lets_no_other_begin(example):
    node, lifecycle, watching = example
    lifecycle.to("configure", "activate")
    node.ends = False
    future = lifecycle.begin("deactivate")
    watching.until(lambda: "halted" in node.done)
    assert not lifecycle.change("shutdown")
    node.ends = True
    watching.until(future.done)
    assert future.result().success and lifecycle.state() == "inactive"


def test_what_cannot_be_armed_stays_inactive(example, capfd):
    node, lifecycle, _ = example
    lifecycle.to("configure")
    node.fails = "arm"
    assert not lifecycle.change("activate")
    assert lifecycle.state() == "inactive" and node.done == ["armed", "disarmed"]
    assert "cannot activate: no arm" in capfd.readouterr().err
    lifecycle.to("activate")


def test_an_error_while_it_is_disarmed_cleans_it_up(example, capfd):
    node, lifecycle, _ = example
    lifecycle.to("configure", "activate")
    node.fails = "disarm"
    assert not lifecycle.change("deactivate")
    assert lifecycle.state() == "unconfigured" and node.done[-1] == "released"
    assert "cannot deactivate: no disarm" in capfd.readouterr().err
    lifecycle.to("configure", "activate")


def test_parameters_are_taken_while_it_is_unconfigured(example):
    node, lifecycle, _ = example

    def put(name, value):
        (result,) = node.set_parameters([Parameter(name, value=value)])
        return result.successful

    assert put("size", 9.0) and not lifecycle.change("configure")
    assert put("size", 2.0)
    lifecycle.to("configure")
    assert node.size == 2.0
    assert not put("size", 1.0) and put("speed", 3.0)
    lifecycle.to("cleanup", "configure")
    assert node.size == 2.0 and node.get_parameter("speed").value == 1.0
    lifecycle.to("cleanup")
    assert not put("allow_motion", True) and not put("use_lifecycle_manager", False)


def test_without_a_manager_it_is_active_or_raises():
    with observer():
        node = Example(manager=False)
        assert node.state == "active" and node.refusal == ""
        node.destroy_node()
        with pytest.raises(InputError, match="parameter size is 9"):
            Example(manager=False, size=9.0)
