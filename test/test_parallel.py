"""How many threads compute."""

import os

import pytest

from autourdf_ros.parallel import THREADS, thread_count


@pytest.mark.parametrize(("given", "count"), [("1", 1), ("0", 1), ("many", None), ("9999", None)])
def test_a_worker_of_a_cluster_bounds_the_threads_of_its_jobs(monkeypatch, given, count):
    monkeypatch.setenv(THREADS, given)
    assert thread_count() == (count or len(os.sched_getaffinity(0)))
