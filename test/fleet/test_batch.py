"""A batch on a tiny cluster in this process: everything is done once, and what fails is said."""

import os
import signal
from pathlib import Path

import pytest
from stand_in_work import GOOD, command, good

from autourdf_ros.errors import AutourdfError, CancelledError, InputError
from autourdf_ros.fleet.batch import BatchOptions, exit_code, run_batch
from autourdf_ros.fleet.dask_cluster import ClusterOptions, cluster
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.submission import SubmissionOptions, Work, each_of, outcomes
from autourdf_ros.fleet.worker_job import perform
from autourdf_ros.progress import silent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def connect():
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as local:
        yield lambda: Client(local, set_as_default=False)


@pytest.fixture
def jobs(tmp_path):
    places = [tmp_path / name for name in ("a", "b", "c")]
    for place in places:
        place.write_text(place.name)
    return [Job(place.name, "reconstruct", (str(place),)) for place in places]


def failing(given):
    code = "raise SystemExit('bad')" if given["job"]["name"] == "b" else GOOD
    return perform(given, command(code))


def test_what_is_done_is_not_done_again(connect, jobs, tmp_path):
    store, reported = ResultStore(str(tmp_path / "out")), []
    first = run_batch(jobs, store, connect, silent, reported.append, BatchOptions(function=failing))
    assert [one["state"] for one in first] == ["done", "failed", "done"]
    assert exit_code(first) == 1 and len(reported) == 3
    missing = Job("d", "reconstruct", (str(tmp_path / "none"),))
    again = run_batch([*jobs, missing], store, connect, options=BatchOptions(function=good))
    assert [one["state"] for one in again] == ["done"] * 3 + ["failed"]
    assert [again[0], again[2]] == [first[0], first[2]]
    assert "does not exist" in again[3]["error"]
    assert exit_code(run_batch(jobs, store, lambda: 1 / 0)) == 0  # needs no cluster


def test_what_is_set_aside_is_tried_again_only_if_asked(connect, jobs, tmp_path):
    store = ResultStore(str(tmp_path / "out"))

    def run(code, again=False):
        function = lambda given: perform(given, command(code))  # noqa: E731
        return run_batch(jobs[:1], store, connect, options=BatchOptions(again, function))

    assert run("import os; os.kill(os.getpid(), 9)")[0]["state"] == "set aside"
    assert run(GOOD)[0]["state"] == "set aside"
    assert run(GOOD, again=True)[0]["state"] == "done"


def test_a_cancelled_batch_leaves_nothing_half_written(connect, jobs, tmp_path):
    store = ResultStore(str(tmp_path / "out"))

    calls = []

    def progress(stage, fraction):
        calls.append(stage)
        if len(calls) > 10:
            raise CancelledError("cancelled")

    def slow(given):
        return perform(given, command("import time; time.sleep(60)"))

    with pytest.raises(CancelledError):
        run_batch(jobs, store, connect, progress, options=BatchOptions(function=slow))
    done = run_batch(jobs, store, connect, options=BatchOptions(function=good))
    assert [one["state"] for one in done] == ["done"] * 3


def test_more_memory_than_any_worker_offers_is_refused(connect):
    work = Work(abs, {"memory-a": -1}, {"memory-a": 1 << 60})
    with pytest.raises(InputError, match="--resources MEMORY"):
        dict(outcomes(work, connect, lambda: None))


def test_an_exception_of_a_piece_is_its_outcome(connect):
    work = Work(int, {"piece-1": "1", "piece-2": "x", "piece-3": "3"}, {})
    found = dict(outcomes(work, connect, lambda: None, SubmissionOptions(most_waiting=1)))
    assert (found["piece-1"], found["piece-3"]) == (1, 3)
    assert isinstance(found["piece-2"], ValueError)


def test_a_scheduler_that_never_answers_is_an_error():
    def connect():
        raise OSError("refused")

    options = SubmissionOptions(period=0.01, first_patience=0.05)
    with pytest.raises(AutourdfError, match="no scheduler answers: refused"):
        dict(outcomes(Work(abs, {"a": 1}, {}), connect, lambda: None, options))


def kill_once(path):
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.environ["AUTOURDF_THREADS"]


def test_a_cluster_of_this_machine_listens_on_loopback_and_survives_a_worker(tmp_path):
    with cluster(None, ClusterOptions(memory_a_job=1 << 60)) as connect:
        with connect() as client:
            addresses = [client.scheduler.address, *client.scheduler_info()["workers"]]
            assert all(one.startswith("tcp://127.0.0.1:") for one in addresses)
            assert client.dashboard_link.startswith("http://127.0.0.1:")
            assert len(addresses) == 2  # one worker: the memory is for no more
        work = Work(kill_once, {"once": str(tmp_path / "mark")}, {})
        assert dict(outcomes(work, connect, lambda: None)) == {
            "once": str(len(os.sched_getaffinity(0)))
        }


@pytest.mark.parametrize("is_cluster", [True, False])
def test_each_piece_comes_with_what_is_computed_of_it(connect, is_cluster):
    pieces = [(number, 10) for number in range(5)]
    where = connect if is_cluster else None
    found = dict(each_of(lambda one, most: divmod(most, one + 1), pieces, where))
    assert found == {piece: divmod(10, piece[0] + 1) for piece in pieces}
    with pytest.raises(ZeroDivisionError):
        dict(each_of(divmod, [(1, 1), (1, 0)], where))


def test_a_scheduler_address_of_another_kind_is_refused():
    with pytest.raises(InputError, match="accepted are tcp://"), cluster("http://x:1"):
        pass


class LosingClient:
    """A client that loses its scheduler when a result is fetched."""

    status = "running"

    def __init__(self, error):
        self.error = error

    def __enter__(self):
        return self

    def __exit__(self, *given):
        pass

    def cancel(self, futures, force):
        pass

    def submit(self, function, piece, key, **given):
        return LosingFuture(key, self.error)


class LosingFuture:
    """Its result is ready, and cannot be fetched."""

    status = "finished"

    def __init__(self, key, error):
        self.key, self.error = key, error

    def add_done_callback(self, call):
        call(self)

    def result(self):
        raise self.error


def test_a_scheduler_that_is_lost_while_a_result_is_fetched_gets_it_again(connect):
    from distributed.client import FutureCancelledError

    errors = [FutureCancelledError("key", "scheduler-connection-lost"), OSError("closed")]
    clients = [LosingClient(error) for error in errors]
    work = Work(abs, {"again-1": -1, "again-2": -2}, {})
    found = outcomes(work, lambda: clients.pop() if clients else connect(), lambda: None)
    assert dict(found) == {"again-1": 1, "again-2": 2} and not clients
