"""The ablations, with rows in place of what takes minutes to measure."""

import json
from dataclasses import replace

import pytest
from benchmark.test_benchmark_table import row
from skeletons import arm

from autourdf_ros.benchmark import ablation
from autourdf_ros.benchmark.ablation import CLUSTERS, SEEDS, run_ablation, variants
from autourdf_ros.benchmark.ablation_page import ablation_table, groups, write_ablation_page
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.progress import silent

pytestmark = pytest.mark.slow


@pytest.fixture
def measured(monkeypatch):
    """The cases that were measured."""
    cases = []

    def measure(case, sequences, progress):
        cases.append(case)
        if case.neural.clusters == 300:
            raise AutourdfError("ended with exit code -9: ")
        own = row("so101", arm(), sequences=sequences, method=case.method)
        return own | {"silhouettes": {"2": 0.4, "3": 0.5} if case.method == "autourdf" else {}}

    monkeypatch.setattr(ablation, "measured", measure)
    return cases


def test_everything_that_is_promised_is_run():
    runs = variants()
    assert len({run.key for run in runs}) == len(runs)
    count = {name: sum(run.group == name for run in runs) for name in {r.group for r in runs}}
    assert count["clusters"] == len(CLUSTERS) == 11 and count["seeds"] == SEEDS
    assert count["sequences"] == 4 and count["models"] == 2 and count["rotation and rates"] == 6
    # Nothing but what the group is of changes.
    (plain,) = (run for run in runs if (run.group, run.name) == ("sequences", "1"))
    for run in runs:
        if run.group == "clusters":
            neural = replace(plain.case.neural, clusters=int(run.name))
            assert run.case == replace(plain.case, neural=neural)


def test_what_was_measured_is_not_measured_again(measured, tmp_path):
    path, reported = tmp_path / "runs.jsonl", []
    runs = variants()
    first = run_ablation(runs[:5], path, silent, reported.append)
    assert len(measured) == len(reported) == 5
    with path.open("a") as file:
        file.write('{"key": "cut o')
    again = run_ablation(runs[:5], path, silent, reported.append)
    assert again == first and len(measured) == 5
    changed = replace(runs[4], case=replace(runs[4].case, count_links=False))
    run_ablation((*runs[:4], changed), path, silent, reported.append)
    assert len(measured) == 6


def test_a_crash_is_reported_and_tried_again(measured, tmp_path):
    runs = [run for run in variants() if run.case.neural.clusters == 300]
    for tries in (1, 2):
        (crashed,) = run_ablation(runs, tmp_path / "runs.jsonl", silent, lambda row: None)
        assert "exit code -9" in crashed["error"] and len(measured) == tries
    assert "FAILED ended with exit code -9" in ablation_table([crashed])


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text('{"key": "a", "row": {}}\n[1]\n{"key": "a", "row": {}}\n')
    with pytest.raises(InputError, match=r"other\.jsonl: line 2: "):
        run_ablation(variants(), path, silent, lambda row: None)


def test_our_engine_stands_beside_every_table(measured, tmp_path):
    rows = run_ablation(variants(), tmp_path / "runs.jsonl", silent, lambda row: None)
    json.dumps(rows)
    for name, members in groups(rows).items():
        assert members[0]["method"] == "engine", name
        assert name == "sequences" or members[0]["sequences"] == members[1]["sequences"]
    page = tmp_path / "page.html"
    write_ablation_page(rows, page)
    text = page.read_text()
    assert text.count("data:image/png;base64,") == 2 and "http" not in text
    assert "without orientation" in text and "our engine, 1 sequences" in text
