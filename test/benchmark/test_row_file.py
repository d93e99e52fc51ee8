"""A benchmark that was interrupted goes on where it stopped."""

import json

import pytest

from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.errors import InputError

KEY = {"case": "a", "seeds": {"method": 0}, "code": "0123"}


def test_a_row_is_found_again_by_its_key(tmp_path):
    path = tmp_path / "rows.jsonl"
    RowFile(path).append(KEY, {"engine": 1.5})
    RowFile(path).append(KEY | {"code": "4567"}, {"engine": 2.5})
    kept = RowFile(path)
    assert kept.row(dict(reversed(KEY.items()))) == {"engine": 1.5}
    assert kept.row(KEY | {"code": "4567"}) == {"engine": 2.5}
    assert kept.row(KEY | {"case": "b"}) is None
    assert len(path.read_text().splitlines()) == 2


def test_a_crash_is_recorded_but_measured_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    RowFile(path).append(KEY, {"error": "ended with exit code -9"})
    assert RowFile(path).row(KEY) is None
    assert "exit code -9" in path.read_text()
    RowFile(path).append(KEY, {"engine": 1.0})
    assert RowFile(path).row(KEY) == {"engine": 1.0}


@pytest.mark.parametrize("rest", ["{", '{"key": ', '{"key": "a", "row": {"engine": 1'])
def test_a_line_that_was_cut_off_is_replaced_by_the_next_row(tmp_path, rest):
    path = tmp_path / "rows.jsonl"
    RowFile(path).append("first", {"engine": 1.0})
    with path.open("a") as file:
        file.write(rest)
    RowFile(path).append("second", {"engine": 2.0})
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == [
        "first",
        "second",
    ]


@pytest.mark.parametrize("text", ["{}", '{"rows": []}\n', "[1]", "robot", "\n", '{"key": "a"}\n'])
def test_a_file_of_something_else_is_refused_and_stays(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"other\.json: line 1: .*--rows"):
        RowFile(path)
    assert path.read_text() == text


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere/rows\.jsonl: cannot be written"):
        RowFile(tmp_path / "nowhere" / "rows.jsonl")
