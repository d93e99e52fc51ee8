"""Arguments that rcl cannot use."""

import sys

from autourdf_ros.ros.monitor import monitor_node


def test_arguments_that_are_none_end_the_process_with_one_line(capsys, monkeypatch):
    for arguments in (["-p", "cameras:=[1"], ["--params-file", "/nowhere"], ["--unknown"]):
        monkeypatch.setattr(sys, "argv", ["monitor_node", "--ros-args", *arguments])
        assert monitor_node.main() == 2
        error = capsys.readouterr().err
        assert error.startswith("monitor: ") and error.count("\n") == 1
