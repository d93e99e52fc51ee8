"""Cases run once each, and go on from a file of rows."""

import json

import pytest

from autourdf_ros.benchmark import runner
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.benchmark.runner import joint_count, run_cases
from autourdf_ros.errors import AutourdfError
from autourdf_ros.progress import silent


@pytest.fixture
def measured(monkeypatch):
    """The runs that were measured, in place of what takes minutes."""
    runs = []

    def measure(case, sequences, progress):
        runs.append((case.name, sequences))
        if case.name == "crashes":
            raise AutourdfError("ended with exit code -9: ")
        return {"name": case.name, "sequences": sequences, "engine": 1.5, "memory": 200.0}

    monkeypatch.setattr(runner, "measured", measure)
    return runs


def recording(folder):
    """Write what counts as a recording, and return its case."""
    folder.mkdir()
    (folder / "truth.json").write_text("{}")
    return Case(folder.name, str(folder), None)


def test_an_interrupted_suite_measures_only_what_is_missing(measured, tmp_path):
    cases = [recording(tmp_path / name) for name in ("one", "two")]
    path, reported = tmp_path / "rows.jsonl", []
    (first,) = run_cases(cases[:1], (1,), silent, reported.append, RowFile(path))
    rows = run_cases(cases, (1, 2), silent, reported.append, RowFile(path))
    assert measured == [("one", 1), ("one", 2), ("two", 1), ("two", 2)]
    assert rows[0] == first and reported == [first, *rows]
    kept = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry["row"] for entry in kept] == rows
    assert all({"engine", "memory"} <= set(entry["row"]) for entry in kept)


def test_a_crash_is_appended_and_tried_again(measured, tmp_path):
    case, path = recording(tmp_path / "crashes"), tmp_path / "rows.jsonl"
    for tries in (1, 2):
        (row,) = run_cases([case], (1,), silent, lambda row: None, RowFile(path))
        assert "exit code -9" in row["error"] and len(measured) == tries
        assert len(path.read_text().splitlines()) == tries


def test_without_a_file_everything_is_measured(measured, tmp_path):
    case = recording(tmp_path / "one")
    for _ in range(2):
        run_cases([case], (1,), silent, lambda row: None)
    assert measured == [("one", 1)] * 2


def test_the_effort_of_a_case_grows_with_its_robot_and_none_is_known_of_a_recording(tmp_path):
    sizes = [joint_count(Case(name, name, None)) for name in ("so101", "allegro_right_hand")]
    assert 0 < sizes[0] < sizes[1]
    assert joint_count(recording(tmp_path / "one")) == 0
