"""A row belongs to its case, its seeds, its input and the code."""

import json
from dataclasses import replace

import pytest

from autourdf_ros.benchmark import run_key as module
from autourdf_ros.benchmark.cases.suites import OBJECTS, Case
from autourdf_ros.benchmark.run_key import run_key
from autourdf_ros.errors import InputError
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.simulation.recordings.recorder import RecorderOptions

CASE = Case("laptop", str(OBJECTS[0]), RecorderOptions(sequences=1, seed=3))


def test_the_key_names_case_seeds_and_code():
    key = run_key(CASE, 1)
    assert json.loads(json.dumps(key)) == key == run_key(CASE, 1)
    assert key["seeds"] == {"recording": 3, "disturbance": 0, "method": 0}
    assert key["code"] == code_digest()


@pytest.mark.parametrize(
    "change",
    [
        {"use_readings": True},
        {"options": replace(CASE.options, seed=4)},
        {"disturbance": replace(CASE.disturbance, seed=1)},
        {"neural": replace(CASE.neural, seed=1)},
        {"robot": str(OBJECTS[1])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_case_has_another_key(change):
    assert run_key(replace(CASE, **change), 1) != run_key(CASE, 1)


def test_another_code_has_another_key(monkeypatch):
    before = run_key(CASE, 1)
    monkeypatch.setattr(module, "code_digest", lambda: "another")
    assert run_key(CASE, 1) == before | {"code": "another"}


def test_a_changed_recording_has_another_key(tmp_path):
    (tmp_path / "truth.json").write_text("{}")
    case = Case("own", str(tmp_path), None)
    before = run_key(case, 1)
    assert run_key(case, 1) == before and before["seeds"]["recording"] is None
    (tmp_path / "truth.json").write_text('{"joints": []}')
    assert run_key(case, 1)["input"] != before["input"]


def test_an_unknown_robot_has_no_key():
    with pytest.raises(InputError, match="no_such_robot"):
        run_key(replace(CASE, robot="no_such_robot"), 1)
