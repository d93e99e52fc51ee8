"""Tests of the measuring, keeping and printing of rows; the estimator is the truth itself."""

import json
from dataclasses import replace

import pytest
import trimesh
from box_assembly import box_assembly, box_truth, perfect_trace, with_edges

from autourdf_ros.benchmark import case_runner
from autourdf_ros.benchmark.case_runner import run_each
from autourdf_ros.benchmark.parts import measure_parts
from autourdf_ros.benchmark.parts.part_case import PartCase
from autourdf_ros.benchmark.parts.parts_table import HEAD, parts_table
from autourdf_ros.benchmark.parts.reliability_page import (
    confidence,
    reliability_svg,
    write_parts_page,
)
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.errors import AutourdfError
from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.progress import silent


@pytest.fixture
def case(tmp_path, monkeypatch):
    folder = tmp_path / "boxes"
    (folder / "parts").mkdir(parents=True)
    for part in box_assembly().parts:
        mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
        mesh.export(folder / f"parts/{part.name}.ply")
    truth = box_truth()
    joints = [
        {
            **vars(joint),
            "axis": list(joint.axis),
            "point": list(joint.point),
            "lower": -1,
            "upper": 1,
        }
        for joint in truth.joints
    ]
    content = {"root": 0, "parts": truth.parts, "size": truth.size, "joints": joints}
    (folder / "truth.json").write_text(json.dumps(content))
    monkeypatch.setattr(measure_parts, "assemble", lambda *given: Estimate(None, perfect_trace()))
    return PartCase("boxes", "robot", folder)


def test_a_row_has_errors_seconds_and_memory(case):
    row = measure_parts.measure_parts(case)
    assert (row["name"], row["kind"], row["method"]) == ("boxes", "robot", "symmetry")
    assert (row["errors"]["ted"], row["errors"]["wrong_edges"]) == (0, 0)
    assert all(joint["right"] for joint in row["errors"]["joints"])
    assert 0 <= row["seconds"] <= row["whole"]
    assert row["memory"] > 0
    assert json.loads(json.dumps(row))["stages"] == row["stages"]


def test_rows_of_a_file_are_not_measured_again(case, tmp_path, monkeypatch):
    runs = []

    def measured(given):
        runs.append(given.method)
        return json.loads(json.dumps(measure_parts.measure_parts(given)))

    monkeypatch.setattr(case_runner, "measured_apart", measured)
    both = [case, replace(case, method="mcts")]
    rows = [
        run_each(both, silent, lambda row: None, RowFile(tmp_path / "rows.jsonl")) for _ in range(2)
    ]
    assert rows[0] == rows[1]
    assert runs == ["symmetry", "mcts"]


def test_a_crash_is_a_row_and_is_measured_again(case, tmp_path, monkeypatch):
    runs = []

    def measured(given):
        runs.append(given)
        raise AutourdfError("ended with exit code 9")

    monkeypatch.setattr(case_runner, "measured_apart", measured)
    for _ in range(2):
        rows = run_each([case], silent, lambda row: None, RowFile(tmp_path / "rows.jsonl"))
    assert "exit code 9" in rows[0]["error"]
    assert len(runs) == 2
    assert "FAILED boxes, symmetry" in parts_table(rows)


@pytest.mark.slow
def test_a_process_of_its_own_says_why_it_ended(case):
    (case.folder / "truth.json").write_text("{}")
    with pytest.raises(AutourdfError, match=r"truth\.json"):
        case_runner.measured_apart(case)


def rows_of(case):
    row = measure_parts.measure_parts(case)
    wrong = {**row, "name": "panda", "errors": {**row["errors"], "wrong_edges": 2, "ted": 4}}
    return [{**row, "name": "ur10"}, wrong]


def test_the_table_sums_the_cases_and_shows_the_paper_beside_them(case):
    lines = [line.split() for line in parts_table(rows_of(case)).splitlines()]
    head, _, first, paper, _, _, total = lines[:7]
    assert head[0] == "case"
    assert first[:5] == ["ur10", "symmetry", "4", "0", "0"]
    assert paper == ["Kinematify:", "UR10e", "1.03", "5.34", "0.27"]
    assert total[:3] == ["all", "2", "robots"]
    assert "2" in total and "(33%)" in total
    assert len(HEAD) == len(set(HEAD))


@pytest.mark.slow
def test_the_page_draws_the_reliability_of_edges_and_joints(case, tmp_path):
    rows = rows_of(case)
    found = confidence(rows)
    assert found["edges"] == ([0.8] * 6, [True] * 6)
    assert found["joints on right edges"] == ([0.9] * 6, [True] * 6)
    assert found["edges with their joints"] == (pytest.approx([0.72] * 6), [True] * 6)
    write_parts_page({"rows": rows}, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "<svg" in text and "ur10" in text
    assert reliability_svg([]).startswith("<svg")


def test_errors_count_against_the_case_s_own_truth(case, monkeypatch):
    star = with_edges(perfect_trace(), ((0, 1), (0, 2), (0, 3)))
    monkeypatch.setattr(measure_parts, "assemble", lambda *given: Estimate(None, star))
    row = measure_parts.measure_parts(case)
    assert (row["errors"]["wrong_edges"], row["errors"]["ted"]) == (2, 4)


def test_degraded_parts_have_a_table_of_their_own(case, monkeypatch):
    def halved(assembly, model, options):
        trace = perfect_trace()
        return Estimate(None, replace(trace, assembly=assembly))

    monkeypatch.setattr(measure_parts, "assemble", halved)
    row = measure_parts.measure_parts(replace(case, degradation="gaps"))
    assert row["errors"]["ted"] == 0 and row["errors"]["joints"] == 3
    panda = {**row, "name": "panda", "degradation": "all"}
    text = parts_table([measure_parts.measure_parts(case), row, panda])
    assert "Kinematify: Franka Panda" in text and "14.08" in text
    assert len(text.split("parts are")) == 2
