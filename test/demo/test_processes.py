import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autourdf_ros.demo.processes import NodeDiedError, ProcessGroups

pytestmark = pytest.mark.slow

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""

PARENT = """
import sys, time
from pathlib import Path
from autourdf_ros.demo.processes import ProcessGroups
with ProcessGroups(Path(sys.argv[1]), {}, grace=0.3) as groups:
    command = [sys.executable, "-S", "-c", sys.argv[2], sys.argv[3]]
    print(groups.start("stubborn", command).pid, flush=True)
    time.sleep(600)
"""


def lives(pid):
    """Whether the process runs (a zombie, which waits for its parent, does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def child_pid(path):
    assert wait_for(lambda: path.exists() and path.read_text(), 60)
    return int(path.read_text())


def test_a_process_that_ignores_the_interrupt_and_its_child_are_ended(tmp_path):
    with ProcessGroups(tmp_path, {}, grace=0.3) as groups:
        command = [sys.executable, "-S", "-c", STUBBORN, str(tmp_path / "pid")]
        parent = groups.start("stubborn", command).pid
        child = child_pid(tmp_path / "pid")
    assert not lives(parent)
    assert wait_for(lambda: not lives(child), 60)  # nobody waits for it


def test_a_process_may_end_in_its_own_way(tmp_path):
    polite = (
        "import time\n"
        "print('ready', flush=True)\n"
        "try: time.sleep(600)\n"
        "except KeyboardInterrupt: print('tidied')"
    )
    with ProcessGroups(tmp_path, {}, grace=60) as groups:
        groups.start("polite", [sys.executable, "-S", "-c", polite])
        assert wait_for(lambda: "ready" in groups.end_of_log("polite"), 60)
    assert "tidied" in groups.log("polite").read_text()


def test_the_one_that_died_is_named_with_the_end_of_its_log(tmp_path):
    with ProcessGroups(tmp_path, {}) as groups:
        groups.start("alive", [sys.executable, "-S", "-c", "import time; time.sleep(600)"])
        script = "import sys; print('no camera'); sys.exit(3)"
        groups.start("capture", [sys.executable, "-S", "-c", script]).wait()
        with pytest.raises(NodeDiedError, match=r"'capture' ended \(exit code 3\)(.|\n)*no camera"):
            groups.check()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_its_parent(tmp_path, number):
    arguments = [str(tmp_path / "logs"), STUBBORN, str(tmp_path / "pid")]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert parent.stdout is not None
    pids = [int(parent.stdout.readline()), child_pid(tmp_path / "pid")]
    assert all(map(lives, pids))
    parent.send_signal(number)
    parent.communicate(timeout=30)
    assert wait_for(lambda: not any(map(lives, pids)), 20)
