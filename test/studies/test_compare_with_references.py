"""New benchmark figures beside the stored references: every difference is printed."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from compare_with_references import REFERENCES, TIMES, closest_reference, compare, main


def test_the_comparison_prints_every_difference(tmp_path, capsys):
    new = json.loads((REFERENCES / "benchmark_quick.json").read_text())
    row = new["rows"][0]
    row["engine"] = 12.5  # a time
    row["floor"] += 1e-13
    path = tmp_path / "new.json"
    path.write_text(json.dumps(new))
    assert closest_reference(new).name == "benchmark_quick.json"
    assert main([str(path)]) == 0
    assert "3 rows compared with benchmark_quick.json: 0 differ" in capsys.readouterr().out
    row["verdict"] = "doubtful"
    row["evaluation"]["joints"][2]["angle"] += 1e-6
    del row["evaluation"]["joints"][3]["parent_right"]
    path.write_text(json.dumps(new))
    assert main([str(path)]) == 1
    printed = capsys.readouterr().out
    assert "ur5_gripper (engine, 5 sequences).evaluation.joints[2].angle: " in printed
    assert ".verdict: 'doubtful', the reference has 'trusted'" in printed
    assert ".joints[3].parent_right: only in the reference one" in printed
    assert "3 differ" in printed


def test_rows_of_other_robots_are_not_compared():
    quick, other = (
        json.loads((REFERENCES / f"benchmark_{name}.json").read_text())
        for name in ("quick", "recordings")
    )
    assert compare(quick, other) == (0, [])


def test_the_references_hold_no_times():
    for path in REFERENCES.glob("benchmark_*.json"):
        assert not any(TIMES & set(row) for row in json.loads(path.read_text())["rows"])
