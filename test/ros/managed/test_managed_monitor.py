"""A manager configures, activates and deactivates the monitor over DDS.

Its reports are scripted; the robot and its camera are another process.
"""

import json

import pytest
import scripted_monitor
from capture_rig import LIMITS, assert_silent, start_process
from diagnostic_msgs.msg import DiagnosticArray
from fake_result import written_fake
from lifecycle_client import LifecycleClient
from live import LATCHED, trigger
from std_msgs.msg import String
from std_srvs.srv import Trigger

from autourdf_ros.files.writer_lock import lock_within
from autourdf_ros.monitoring.continual.model_history import ModelHistory

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_fake(tmp_path_factory.mktemp("results") / "fake")


class Managed:
    """The node as a process, and what it says of itself."""

    def __init__(self, cell, result):
        self.cell, self.history = cell, cell.folder / "models"
        self.said, self.paths, self.judged = "", [], 0
        self.slipped = cell.folder / "slipped"
        given = {
            "use_lifecycle_manager": True,
            "history": str(self.history),
            "result": str(result),
            "cameras": ["/camera_0/points"],
            "allow_motion": True,
            "joints": ["pan", "tilt"],
            "pan": LIMITS,
            "tilt": LIMITS,
            "speed": 0.02,
            "motions": 2,
            "motion_reach": 0.2,
            "joint_state_timeout": 3.0,
            "motion_cloud_timeout": 5.0,
        }
        file = cell.folder / "monitor.yaml"
        file.write_text(json.dumps({"monitor": {"ros__parameters": given}}))
        cell.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        cell.node.create_subscription(
            String, "/reconstruction/completed", lambda one: self.paths.append(one.data), LATCHED
        )
        self.repair = cell.node.create_client(Trigger, "/monitor/repair")
        arguments = (str(self.slipped), "--ros-args", "--params-file", str(file))
        self.process = start_process(scripted_monitor.__file__, *arguments)
        self.lifecycle = LifecycleClient(cell.node, "monitor", cell.until)

    def _diagnose(self, message):
        for status in message.status:
            if status.name == "monitor":
                values = {one.key: one.value for one in status.values}
                counts = [
                    values[f"/camera_0/points {key}"] for key in ("received", "replaced by newer")
                ]
                self.said, self.judged = status.message, int(counts[0]) - int(counts[1])

    def call_repair(self):
        return trigger(self.repair, self.cell.until, "already")

    def until_said(self, text):
        self.said = ""
        self.cell.until(lambda: text in self.said)


@pytest.fixture
def monitor(cell, robot, result):
    made = Managed(cell, result)
    yield made
    made.process.kill()
    made.process.communicate()


def test_a_deactivation_stops_the_motion_and_the_watch(monitor, robot, cell):
    monitor.lifecycle.to("configure")
    monitor.until_said("inactive: transition activate is missing")
    assert monitor.judged == 0 and not monitor.paths
    answer = monitor.call_repair()
    assert not answer.success and "transition activate is missing" in answer.message

    monitor.lifecycle.to("activate")
    cell.until(lambda: monitor.paths == [str(monitor.history / "0001")])
    monitor.until_said("watching")
    monitor.slipped.touch()
    robot.do("slip")
    monitor.until_said("it slipped")
    cell.until(lambda: monitor.call_repair().success)
    cell.until(lambda: len(robot.commands) == 1)

    monitor.lifecycle.to("deactivate")
    assert len(robot.commands) == 2 and robot.stood  # the second one holds it
    monitor.until_said("inactive: transition activate is missing")
    judged = monitor.judged
    assert judged > 0
    assert_silent(robot, 2.0)
    monitor.until_said("inactive: transition activate is missing")
    assert monitor.judged == judged

    # What it knows is kept.
    monitor.lifecycle.to("activate")
    monitor.until_said("it slipped")
    assert len(ModelHistory(monitor.history).entries) == 1


def test_a_cleanup_releases_the_history(monitor):
    monitor.history.mkdir()
    held = lock_within(monitor.history)
    assert not monitor.lifecycle.change("configure")
    assert monitor.lifecycle.state() == "unconfigured"
    held.release()
    monitor.lifecycle.to("configure")
    assert (monitor.history / ".lock").exists()
    monitor.lifecycle.to("cleanup")
    lock_within(monitor.history).release()
    monitor.lifecycle.to("configure", "activate")
    monitor.until_said("baseline")
    monitor.lifecycle.to("shutdown")
    assert monitor.process.wait(30) == 0
    lock_within(monitor.history).release()
    assert "another process is writing there" in monitor.process.stdout.read()
