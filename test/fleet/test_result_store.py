"""A result is there whole or not at all, and one only, on any store."""

import uuid

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.result_store import ResultStore

RECORD = {"name": "arm", "state": "done"}


@pytest.fixture(params=["path", "memory"])
def store(request, tmp_path):
    place = str(tmp_path / "out") if request.param == "path" else f"memory://{uuid.uuid4().hex}"
    return ResultStore(place)


@pytest.fixture
def result(tmp_path):
    folder = tmp_path / "made"
    (folder / "meshes").mkdir(parents=True)
    (folder / "robot.urdf").write_text("<robot/>")
    (folder / "meshes/a.stl").write_text("solid")
    return folder


def files(store):
    root = store.address("")
    return sorted(at.removeprefix(root) for at in store._system.find(root))


def test_a_result_is_known_after_it_is_whole(store, result):
    record = store.publish("k1", result, RECORD)
    assert store.record("k1") == record == store.records(["k1", "k2"])["k1"]
    at = record["folder"]
    assert files(store) == ["jobs/k1.json", f"{at}/meshes/a.stl", f"{at}/robot.urdf"]


def test_what_was_begun_and_not_made_known_is_no_result(store, result, monkeypatch):
    monkeypatch.setattr(store, "_create", lambda *given: 1 / 0)  # as a kill at the worst moment
    with pytest.raises(ZeroDivisionError):
        store.publish("k1", result, RECORD)
    assert store.record("k1") is None and store.records(["k1"]) == {}


def test_the_first_of_two_writers_wins_and_the_other_leaves_nothing(store, result):
    first = store.publish("k1", result, RECORD)
    before = files(store)
    assert store.publish("k1", result, {**RECORD, "state": "another"}) == first
    assert files(store) == before


def test_a_trouble_ends_with_a_result(store, result):
    store.note_trouble("k1", {"error": "x"})
    assert store.troubles(["k1"]) == {"k1": {"error": "x"}}
    store.publish("k1", result, RECORD)
    assert store.troubles(["k1"]) == {}


def test_logs_are_those_of_one_run(store):
    assert store.logs("k1", "r1") == {}
    store.write_log("k1", "r1", "000-a", "begun")
    store.write_log("k1", "r1", "000-a", "begun and ended")
    store.write_log("k1", "r2", "000-b", "other")
    assert store.logs("k1", "r1") == {"000-a": "begun and ended"}


def test_where_nothing_can_be_written_is_said_before_any_work(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        ResultStore(str(tmp_path / "file/out")).check_writable()
    with pytest.raises(InputError, match="cannot be written there"):
        ResultStore("https://lab/out")
