"""What a worker does for one job, with work of a moment in place of an estimator."""

import json

import pytest
import stand_in_work
from stand_in_work import GOOD, command, good, task

from autourdf_ros.errors import CancelledError
from autourdf_ros.fleet import worker_job
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.worker_job import perform, run_job

pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path):
    return ResultStore(str(tmp_path / "out"))


def test_a_job_is_done_once(store, tmp_path):
    given = task(store, tmp_path)
    record = good(given)
    assert (record["state"], record["verdict"]) == ("done", "trusted")
    assert record["seconds"] > 0 and record["bytes_in"] == 3
    assert (tmp_path / "out" / record["folder"] / "reconstruction.json").exists()
    assert perform(given, command("raise SystemExit('never run')")) == record


def test_a_failure_is_known_by_its_last_words_and_leaves_no_result(store, tmp_path):
    given = task(store, tmp_path)
    record = perform(given, command("raise SystemExit('no such luck')"))
    assert record["state"] == "done" or "no such luck" in record["error"]
    assert record["state"] == "failed" and store.record(given["key"]) is None
    assert store.troubles([given["key"]])[given["key"]] == record


def test_a_result_with_the_verdict_failed_is_a_result(store, tmp_path):
    code = GOOD.replace("trusted", "failed") + "; sys.exit(1)"
    record = perform(task(store, tmp_path), command(code))
    assert (record["state"], record["verdict"]) == ("done", "failed")


def test_a_job_that_is_killed_three_times_is_set_aside_with_its_log(store, tmp_path):
    code = "import os; print('nearly', flush=True); os.kill(os.getpid(), 9)"
    record = perform(task(store, tmp_path), command(code))
    assert record["state"] == "set aside" and "3 processes" in record["error"]
    assert "nearly" in record["log"]
    # Another run of the batch counts its own.
    assert good(task(store, tmp_path, run="run2"))["state"] == "done"


def test_too_much_memory_ends_a_job_by_name(store, tmp_path):
    code = "import time; x = bytearray(300 << 20); time.sleep(60)"
    record = perform(task(store, tmp_path, memory=100 << 20), command(code))
    assert (
        record["state"] == "failed" and "more memory than it may use (0.10 GiB)" in record["error"]
    )


def test_what_nobody_wants_any_more_is_ended(store, tmp_path, monkeypatch):
    monkeypatch.setattr(worker_job, "_is_wanted", lambda: False)
    given = task(store, tmp_path)
    with pytest.raises(CancelledError):
        perform(given, command("import time; time.sleep(60)"))
    monkeypatch.undo()
    assert good(given)["state"] == "done"


def test_an_input_that_has_changed_is_no_input_of_the_key(store, tmp_path):
    given = task(store, tmp_path)
    (tmp_path / "recording.txt").write_text("other")
    assert "has changed" in good(given)["error"]


def test_a_worker_with_other_code_refuses(store, tmp_path):
    assert "another autourdf_ros" in good(task(store, tmp_path, code="other"))["error"]


def test_pickled_points_of_a_recording_are_never_unpickled(store, tmp_path):
    """The command's own readers read a recording, as without a cluster."""
    import numpy as np

    mark = tmp_path / "executed"

    class Bomb:
        def __reduce__(self):
            return open, (str(mark), "w")

    folder = tmp_path / "hostile"
    folder.mkdir()
    for number in range(3):
        np.savez(folder / f"{number}.npz", points=np.array([Bomb()], dtype=object))
    job = stand_in_work.Job("hostile", "reconstruct", (str(folder),))
    given = worker_job.payload(job, {str(folder): stand_in_work.digest(str(folder))}, store, "run")
    json.dumps(given)  # nothing but plain values travels
    record = run_job(given)
    assert record["state"] == "failed" and "0.npz" in record["error"] and not mark.exists()
