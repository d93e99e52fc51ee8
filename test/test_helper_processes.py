import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros import helper_processes
from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.helper_processes import are_ready, in_processes, make_ready, shared_out

# The other process finds functions by their modules, and knows none of the tests'.
FEW = st.lists(st.floats(0.0, 10.0), min_size=1, max_size=12)


@given(FEW, st.integers(1, 4))
def test_every_job_is_shared_out_once_and_evenly(weights, count):
    shares = shared_out(weights, count)
    assert sorted(job for share in shares for job in share) == list(range(len(weights)))
    loads = [sum(weights[job] for job in share) for share in shares]
    assert max(loads) - min(loads) <= max(weights) + 1e-9


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr("autourdf_ros.helper_processes.thread_count", lambda: 2)


@pytest.mark.slow
def test_results_come_in_the_order_of_the_jobs(two_cores):
    begun = []
    found = in_processes(
        np.full, [(2, number) for number in range(5)], [1, 5, 1, 1, 1], begun.append
    )
    np.testing.assert_array_equal(found, [[number, number] for number in range(5)])
    assert 0 < len(begun) < 5


@pytest.mark.slow
def test_jobs_of_a_process_that_was_killed_are_done_here(two_cores, monkeypatch):
    start = subprocess.Popen

    def killed(*command, **options):
        process = start(*command, **options)
        process.kill()
        process.wait()
        return process

    monkeypatch.setattr(subprocess, "Popen", killed)
    found = in_processes(np.full, [(1, 3), (1, 4)], [1, 1], lambda _: None)
    np.testing.assert_array_equal(found, [[3], [4]])


@pytest.fixture
def ready(two_cores):
    make_ready("numpy")
    yield
    while helper_processes._ready:
        helper_processes._ready.pop().end()


@pytest.mark.slow
def test_a_process_that_waits_serves_one_call_after_another(ready, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    for count in (2, 3):
        assert are_ready()
        found = in_processes(np.full, [(1, number) for number in range(count)], [1] * count, print)
        np.testing.assert_array_equal(found, np.arange(count)[:, None])


@pytest.mark.slow
def test_a_process_that_raised_or_was_killed_waits_no_longer(ready):
    with pytest.raises(ValueError, match="negative dimensions"):
        in_processes(np.zeros, [(3,), (-1,)], [2, 1], lambda _: None)
    assert not are_ready()
    make_ready()
    helper_processes._ready[0]._process.kill()
    assert len(in_processes(np.zeros, [(3,), (4,)], [1, 1], lambda _: None)) == 2
    assert not are_ready()


WAITING = """
import sys
from autourdf_ros import helper_processes
helper_processes.thread_count = lambda: 2
helper_processes.make_ready()
print(helper_processes._ready[0]._process.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it_however_that_ends():
    command = [sys.executable, "-c", WAITING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        helper = int(one.stdout.readline())
        one.kill()
    end = time.monotonic() + 30
    while runs(helper):
        assert time.monotonic() < end
        time.sleep(0.05)


def runs(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # ended, and its parent has not asked yet


@pytest.mark.slow
def test_what_a_job_raises_is_raised_here(two_cores):
    with pytest.raises(ValueError, match="negative dimensions"):
        in_processes(np.zeros, [(3,), (-1,)], [2, 1], lambda _: None)


@pytest.mark.slow
def test_cancelling_ends_all_processes(two_cores, monkeypatch):
    started, start = [], subprocess.Popen

    def noted(*command, **options):
        started.append(start(*command, **options))
        return started[-1]

    def cancel(_):
        raise CancelledError("enough")

    monkeypatch.setattr(subprocess, "Popen", noted)
    with pytest.raises(CancelledError):
        in_processes(np.zeros, [(3,), (4,)], [1, 1], cancel)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_one_core_needs_no_other_process(monkeypatch):
    monkeypatch.setattr("autourdf_ros.helper_processes.thread_count", lambda: 1)
    monkeypatch.setattr("subprocess.Popen", None)
    assert in_processes(InputError, [("a",)], [1], lambda _: None)[0].args == ("a",)
