import signal
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.helper_processes import in_processes, shared_out

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
