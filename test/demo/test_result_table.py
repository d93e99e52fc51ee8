from skeletons import arm, truth

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.demo.result_table import joint_table, paths_table, result_table, timing_table


def row(table, label):
    return next(line for line in table.splitlines() if line.strip().startswith(label))


def test_what_was_found_is_reported_beside_what_could_be():
    evaluation = evaluate(arm().frozen({"wrist"}), truth(arm()), {"pan", "lift", "elbow"})
    table = result_table(evaluation, "trusted")
    assert row(table, "joints found").endswith("3 / 3 / 4")
    assert row(table, "observable joints found").endswith("100 %")
    assert "yes" in row(table, "right tree")
    assert row(table, "missed").endswith("wrist")


def test_a_wrong_tree_is_reported():
    table = result_table(evaluate(arm().frozen({"wrist"}), truth(arm())), "doubtful")
    assert row(table, "right tree").endswith("no (1 edits)")


def test_every_joint_has_a_line():
    table = joint_table(evaluate(arm(), truth(arm())))
    assert len(table.splitlines()) == 5
    assert "0.00 °" in row(table, "elbow")


def test_the_times_add_up():
    table = timing_table({"capture": 20.0, "reconstruct": 12.5}, {"registration": 9.0})
    assert row(table, "all").endswith("32.5 s")
    assert row(table, "within").endswith("registration 9.0 s")


def test_the_paths_are_reported(tmp_path):
    table = paths_table(tmp_path / "model", tmp_path / "recording", tmp_path / "logs")
    assert row(table, "URDF").endswith("model/robot.urdf")
