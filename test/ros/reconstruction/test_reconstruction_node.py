"""The reconstruction node as a process, with the real engine on a small recording."""

import json
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import rclpy
import yaml
from action_msgs.msg import GoalStatus
from autourdf_msgs.action import Reconstruct
from diagnostic_msgs.msg import DiagnosticStatus
from goal_client import GoalClient
from live import LATCHED, node_process, observer, trigger
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger
from synthetic_robot import moving_recording, write_recording

from autourdf_ros.errors import InputError
from autourdf_ros.ros.reconstruction.reconstruction_node import ReconstructionNode
from autourdf_ros.ros.reconstruction.reconstruction_process import (
    ReadyEngine,
    ReconstructionProcess,
    Work,
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    return write_recording(moving_recording(), tmp_path_factory.mktemp("recordings") / "two joints")


def call(watching, name):
    repeated = {"start": "already reconstructing", "cancel": "nothing to cancel"}[name]
    client = watching.node.create_client(Trigger, f"/reconstruction/{name}")
    try:
        return trigger(client, watching.until, repeated)
    finally:
        watching.node.destroy_client(client)


def values(status):
    return {item.key: item.value for item in status.values}


def working_on(watching, path):
    return any(values(status).get("recording") == str(path) for status in watching.diagnostics)


def failures(watching):
    return [s.message for s in watching.diagnostics if s.level == DiagnosticStatus.ERROR]


def goals(watching):
    return GoalClient(watching.node, Reconstruct, "/reconstruction/reconstruct", watching.until)


@contextmanager
def engine(tmp_path, monkeypatch, lines, **parameters):
    """A node whose engine is a script of a shell, and a client of its action."""
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    script.chmod(0o755)
    with observer() as watching:
        overridden = [
            Parameter(name, value=value if isinstance(value, bool) else str(value))
            for name, value in parameters.items()
        ]
        node = ReconstructionNode(parameter_overrides=overridden)
        watching.executor.add_node(node)
        monkeypatch.setattr("sys.executable", str(script))
        try:
            yield node, watching, goals(watching)
        finally:
            watching.until(node.end)
            node.close()
            watching.executor.remove_node(node)
            node.destroy_node()


def test_a_goal_ends_with_the_model_and_the_reasons_for_doubt(tmp_path, monkeypatch):
    said = {"result": str(tmp_path / "out"), "verdict": "doubtful", "warnings": ["a", "b"]}
    lines = [
        """echo '{"stage": "joints", "fraction": 0.5}'""",
        "while [ ! -e go ]; do sleep 0.05; done",
        f"echo '{json.dumps(said)}'",
    ]
    monkeypatch.chdir(tmp_path)
    with engine(tmp_path, monkeypatch, lines, output=tmp_path) as (_, watching, client):
        handle = client.send(recording="here")
        watching.until(lambda: client.feedback and client.feedback[-1].stage == "joints")
        assert client.feedback[-1].progress == 0.5
        assert 0.0 <= client.feedback[-1].seconds_to_go < 60.0
        (tmp_path / "go").touch()
        status, result = client.result(handle)
        watching.until(lambda: watching.completed)
    assert status == GoalStatus.STATUS_SUCCEEDED and result.success
    assert (result.verdict, list(result.reasons)) == ("doubtful", ["a", "b"])
    assert result.result == watching.completed[-1] == str(tmp_path / "out")


def test_a_goal_is_cancelled_or_says_why_it_fails(tmp_path, monkeypatch):
    lines = ['[ -d "$4" ] || { echo "$4: does not exist" >&2; exit 2; }', "exec sleep 60"]
    with engine(tmp_path, monkeypatch, lines, output=tmp_path) as (node, watching, client):
        status, result = client.result(client.send())
        assert status == GoalStatus.STATUS_ABORTED and not result.success
        assert result.message.startswith("no recording: none has completed")
        status, result = client.result(client.send(recording="-o"))
        assert status == GoalStatus.STATUS_ABORTED
        # Named as a file is, since it would be an option otherwise.
        assert result.message == f"{Path.cwd() / '-o'}: does not exist"
        handle = client.send(recording=str(tmp_path))
        watching.until(lambda: client.feedback)
        status, result = client.cancel(handle)
        assert status == GoalStatus.STATUS_CANCELED and result.message == "cancelled"
        assert list(result.reasons) == ["cancelled"] and not result.result
        handle = client.send(recording=str(tmp_path))
        ended = handle.get_result_async()
        watching.until(node.end)
        watching.until(ended.done)
        assert ended.result().status == GoalStatus.STATUS_ABORTED


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.timeout(300)
def test_a_completed_capture_becomes_a_result(recording, tmp_path):
    leftover = tmp_path / ".two joints.x.4194999.partial"
    leftover.mkdir()
    parameters = {"output": tmp_path, "points": 2400, "links": 3, "name": "arm"}
    with (
        node_process("reconstruction_node", parameters=parameters) as process,
        observer() as watching,
    ):
        watching.status("reconstruction", "waiting for a recording")
        assert not leftover.exists()
        assert not call(watching, "start").success
        assert call(watching, "cancel").message == "nothing to cancel"

        captured = watching.node.create_publisher(String, "/capture/completed", LATCHED)
        captured.publish(String(data=str(tmp_path / "gone")))
        watching.status("reconstruction", "gone: does not exist")
        assert process.poll() is None

        captured.publish(String(data=str(recording)))
        watching.until(lambda: working_on(watching, recording))
        watching.diagnostics.clear()
        watching.until(lambda: watching.completed or failures(watching), 180)
        assert failures(watching) == []
        result = Path(watching.completed[-1])
        assert result == tmp_path / "two joints"
        assert json.loads((result / "reconstruction.json").read_text())["name"] == "arm"
        assert values(watching.status("reconstruction", "completed"))["result"] == str(result)
        stages = [
            (s.message, float(values(s)["progress"]))
            for s in watching.diagnostics
            if "progress" in values(s)
        ]
        assert all(0 <= fraction <= 1 for _, fraction in stages)

        # Cancelling a second run leaves the first result as it is.
        written = (result / "reconstruction.json").stat().st_mtime_ns
        assert call(watching, "start").success
        assert "already reconstructing" in call(watching, "start").message
        assert not goals(watching).send().accepted
        assert call(watching, "cancel").success
        watching.status("reconstruction", "cancelled")
        assert (result / "reconstruction.json").stat().st_mtime_ns == written
        assert [path.name for path in tmp_path.iterdir()] == ["two joints"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_killed_it_leaves_no_worker_and_nothing_half_written(recording, tmp_path):
    parameters = {"recording": recording, "output": tmp_path / "out"}
    with (
        node_process("reconstruction_node", parameters=parameters) as process,
        observer() as watching,
    ):
        watching.status("reconstruction", "waiting")
        assert call(watching, "start").success
        watching.until(
            lambda: any(float(values(s).get("progress", 0)) > 0.05 for s in watching.diagnostics)
        )
        (worker,) = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        watching.until(lambda: not alive(worker))
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_a_worker_that_will_not_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("autourdf_ros.ros.reconstruction.reconstruction_process._PATIENCE", 0.3)
    monkeypatch.setattr("sys.executable", str(tmp_path / "stubborn"))
    (tmp_path / "stubborn").write_text("#!/bin/sh\ntrap '' TERM\necho noise\nsleep 60 >&- 2>&-\n")
    (tmp_path / "stubborn").chmod(0o755)
    process = ReconstructionProcess(Work(tmp_path / "in", tmp_path / "out"))
    time.sleep(0.2)
    assert process.poll() is None
    process.end()
    assert process.poll().cancelled


def test_a_process_that_is_ready_does_the_next_recording(tmp_path, recording):
    parameters = {"output": str(tmp_path / "out"), "recording": str(recording), "keep_ready": True}
    with (
        node_process("reconstruction_node", parameters=parameters) as process,
        observer("reconstruction") as watching,
    ):
        watching.until(lambda: children(process.pid))
        (ready,) = children(process.pid)
        assert call(watching, "start").success
        watching.until(lambda: working_on(watching, recording))
        assert children(process.pid) == [ready]
        watching.until(lambda: watching.completed)
    assert not alive(ready)


def test_an_engine_that_is_ready_begins_with_a_recording_that_is_being_made(tmp_path, monkeypatch):
    requests = tmp_path / "requests"
    lines = [f'while read -r line; do echo "$line" >> {requests}; done']
    folder, out = tmp_path / "arm_0001", tmp_path / "out"

    def received():
        return [json.loads(line) for line in requests.read_text().splitlines()]

    with engine(tmp_path, monkeypatch, lines, keep_ready=True, output=out) as (_, watching, _):
        begun = watching.node.create_publisher(String, "/capture/begun", LATCHED)
        begun.publish(String(data=str(folder)))
        watching.until(lambda: requests.exists() and received())
        (arguments,) = received()[0].values()
        assert list(received()[0]) == ["follow"] and arguments[1] == str(folder)
        captured = watching.node.create_publisher(String, "/capture/completed", LATCHED)
        captured.publish(String(data=str(folder)))
        watching.until(lambda: len(received()) == 2)
        # The frames are prepared as they will be used.
        assert received()[1] == {"reconstruct": arguments}


def test_an_engine_that_is_not_ready_any_more_is_replaced(tmp_path):
    ready = ReadyEngine()
    ready._process.kill()
    ready._process.wait()
    ready.follow(Work(tmp_path / "none", tmp_path / "out"))
    process = ReconstructionProcess(Work(tmp_path / "none", tmp_path / "out"), ready)
    while (outcome := process.poll()) is None:
        time.sleep(0.01)
    assert "none" in outcome.error and not outcome.cancelled


@pytest.mark.parametrize("how", ["interrupt", "parent"])
def test_an_engine_that_waits_ends_without_a_word(how):
    ready = ReadyEngine()._process
    time.sleep(1.0)
    if how == "interrupt":
        ready.send_signal(signal.SIGINT)
    else:
        ready.stdin.close()
        ready.stdin = None
    assert ready.wait(30) == (-signal.SIGINT if how == "interrupt" else 0)
    assert ready.communicate() == ("", "")


def test_a_crash_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.executable", str(tmp_path / "crashing"))
    (tmp_path / "crashing").write_text("#!/bin/sh\necho Traceback >&2\necho boom >&2\nexit 1\n")
    (tmp_path / "crashing").chmod(0o755)
    process = ReconstructionProcess(Work(tmp_path / "in", tmp_path / "out"))
    while (outcome := process.poll()) is None:
        time.sleep(0.01)
    assert outcome.result is None and outcome.error == "boom" and not outcome.cancelled


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"limits": "nowhere.yaml"}, "nowhere.yaml: does not exist"),
        ({"limits": "config/reconstruction.yaml"}, "has no capture: ros__parameters:"),
        ({"limits": "config/robots/panda.yaml", "use_readings": False}, "use_readings is false"),
    ],
)
def test_limits_that_cannot_be_used_are_reported_at_the_start(parameters, text):
    rclpy.init()
    try:
        with pytest.raises(InputError, match=text):
            ReconstructionNode(
                parameter_overrides=[Parameter(name, value=v) for name, v in parameters.items()]
            )
    finally:
        rclpy.try_shutdown()


def test_every_parameter_stands_in_the_yaml():
    (content,) = yaml.safe_load(Path("config/reconstruction.yaml").read_text()).values()
    rclpy.init()
    try:
        node = ReconstructionNode()
        declared = {
            name: node.get_parameter(name).value
            for name in node._parameters
            if name not in ("use_sim_time", "start_type_description_service")
        }
        assert declared == content["ros__parameters"]
        assert all(node.describe_parameter(name).description for name in declared)
        node.destroy_node()
    finally:
        rclpy.try_shutdown()
