import json

import numpy as np
import pytest
from skeletons import arm, truth

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.benchmark.coverage import coverages
from autourdf_ros.benchmark.earlier_benchmark import comparison
from autourdf_ros.benchmark.pages.benchmark_page import write_page
from autourdf_ros.benchmark.pages.benchmark_table import stage_table, table
from autourdf_ros.benchmark.row import Row


def row(name, estimate, engine=10.0, sequences=5, method="engine"):
    whole = Row(
        name=name,
        method=method,
        sequences=sequences,
        evaluation=evaluate(estimate, truth(arm()), {"pan", "lift", "elbow"}),
        verdict="trusted",
        warnings=(),
        frames=20,
        points=5000.0,
        registration=7.5,
        tracking=None if method == "engine" else 8.25,
        silhouettes={},
        reposed=None,
        floor=None,
        rand_index=0.95,
        right_link=0.9,
        scores=[[0.1, -0.5, 3.0, None]],
        value_scores=[[0.5, -1.0, 1.5], [4.0]],
        chi_squares=[(2.0, 4)],
        engine=engine,
        engine_cpu=9.0,
        whole=12.0,
        stages={"registration": 6.0, "segmentation": 4.0},
        memory=300.0,
    )
    return json.loads(json.dumps(whole.to_dict()))


def failed(name, error):
    return {"name": name, "sequences": 5, "error": error}


def line(text, start):
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [start])[1:]


def test_recall_stands_beside_the_means():
    text = table([row("ours", arm().frozen({"wrist"})), row("other", arm())])
    assert line(text, "ours")[1:4] == ["3/3/4", "0", "right"]
    assert line(text, "other")[1] == "4/3/4"
    assert line(text, "mean")[:4] == ["of", "2", "x5", "100"]
    assert line(text, "all")[:2] == ["joints", "88"]


def test_the_papers_figures_stand_below_its_robots():
    text = table([row("ur5", arm())])
    assert "AutoURDF: UR5e" in text
    assert "2.88" in text
    assert "18.42" in text


def test_methods_stand_beside_each_other_with_their_ratios():
    rows = [row("ur5", arm()), row("ur5", arm(), engine=25.0, method="autourdf")]
    text = table(rows)
    assert line(text, "ur5")[0] == "x5" and "8.25" not in text.splitlines()[2]
    (theirs,) = (text for text in text.splitlines() if text.startswith("ur5 x5 by autourdf"))
    assert "8.25" in theirs
    ratios = line(text, "times")
    assert ratios[:2] == ["the", "engine's"] and ratios[-6:] == ["x", "2.5", "x", "1.0", "x", "1.0"]
    assert text.count("AutoURDF: UR5e") == 1
    assert "clusters " not in table(rows[:1]).splitlines()[0]


def test_a_crash_is_no_row_and_is_reported():
    text = table([failed("broken", "ended with exit code 1: boom")])
    assert "FAILED broken x5: ended with exit code 1: boom" in text


def test_stages_are_reported():
    assert line(stage_table([row("ours", arm())]), "ours")[1:5] == ["20", "5000", "6.0", "4.0"]


def test_every_number_of_sequences_has_its_rows_means_and_paper():
    rows = [row(name, arm(), sequences=n) for name in ("ur5", "other") for n in (1, 5)]
    text = table(rows)
    means = [line.split()[:4] for line in text.splitlines() if line.startswith("mean of")]
    assert means == [["mean", "of", "2", "x1"], ["mean", "of", "2", "x5"]]
    assert [line.split()[2:4] for line in text.splitlines() if "UR5e" in line] == [
        ["-", "7.39"],
        ["0.60", "2.88"],
    ]


def test_the_share_of_covered_errors_is_reported():
    shares = coverages([row("ours", arm())] * 2)
    assert shares["direction 1"] == 1.0
    assert shares["position 1"] == 0.0
    assert np.isnan(shares["position 2"])
    assert shares["values"] == 0.75
    assert "position 1 0 %, position 2 -, values 75 %" in table([row("ours", arm())])


def test_what_changed_is_reported():
    before = [row("ours", arm().frozen({"wrist"}), 20.0), row("gone", arm())]
    after = [row("ours", arm(), 10.0), row("fresh", arm()), failed("gone", "boom")]
    lines = comparison(after, before).splitlines()
    assert "engine 20.0 -> 10.0" in lines[0]
    assert "memory 300" in lines[0]
    assert lines[1:] == ["fresh x5: new", "gone x5: now fails: boom"]
    assert comparison([], before).splitlines() == ["gone x5: not run", "ours x5: not run"]


@pytest.mark.slow
def test_the_page_holds_table_and_plots(tmp_path):
    path = tmp_path / "page.html"
    rows = [row("ours", arm()), row("ours", arm(), sequences=1), failed("broken", "<boom>")]
    write_page({"suite": "quick", "sequences": 5, "rows": rows}, path)
    text = path.read_text()
    assert text.count("data:image/png;base64,") == 4
    assert "number of sequences" in text
    # All recordings are of one size: there is no scaling to draw.
    assert "size of the recording" not in text
    assert "&lt;boom&gt;" in text
    assert "http" not in text
