import json
import subprocess
import sys
import threading

import pytest

from autourdf_ros.demo.events import Events

pytestmark = pytest.mark.slow


def events_of(*lines):
    """Events of a process that prints these lines."""
    script = f"print({chr(10).join(lines)!r})"
    process = subprocess.Popen([sys.executable, "-S", "-c", script], stdout=subprocess.PIPE)
    events = Events(process)
    process.wait(60)
    for thread in threading.enumerate():
        if thread.name == "events":
            thread.join(60)
    events.update()
    return events


def test_the_latest_status_and_the_completions_are_kept():
    status = {"event": "diagnostics", "name": "capture: session", "level": 0, "values": {}}
    events = events_of(
        json.dumps(status | {"message": "moving", "values": {"progress": "0.25"}}),
        json.dumps(status | {"message": "moving", "values": {"progress": "0.50"}}),
        json.dumps({"event": "completed", "name": "capture", "path": "/tmp/recording"}),
        '{"event": "completed", "na',
    )
    assert events.message("capture") == "moving"
    assert events.progress("capture") == 0.5
    assert not events.is_error("capture")
    assert events.completed == {"capture": "/tmp/recording"}
    assert events.message("publisher") == ""
    assert events.progress("publisher") is None


def test_an_error_is_known():
    events = events_of(
        '{"event": "diagnostics", "name": "/capture", "level": 2, "message": "stopped",'
        ' "values": {}}'
    )
    assert events.is_error("capture")
