"""`autourdf compare`: exit codes, table and JSON."""

import json

from toy_robot import TOY_URDF, write_toy

from autourdf_ros.cli.main import main


def test_the_same_is_0_another_is_1_none_is_2(tmp_path, capsys):
    toy = str(write_toy(tmp_path))
    assert main(["compare", toy, toy]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("no significant change of 6 joints")
    (tmp_path / "other.urdf").write_text(TOY_URDF.replace("0 0.07 0.2", "0.005 0.07 0.2"))
    assert main(["compare", toy, str(tmp_path / "other.urdf"), "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["changed"] is True
    (lift,) = [joint for joint in printed["joints"] if joint["names"][0] == "lift"]
    assert lift["changed"][0].startswith("line ")
    assert printed["links"][0]["names"] == ["base", "base"] and printed["links"][0]["changed"] == []
    assert main(["compare", toy, str(tmp_path / "none")]) == 2
    assert "none: cannot be read" in capsys.readouterr().err
