"""What a command does while it cleans up."""

import subprocess
import sys

import pytest

from autourdf_ros.cli import main as command

CLEANING = """
import os, signal, sys, time
from autourdf_ros.cli.terminal.progress_lines import ProgressLines
from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
from autourdf_ros.errors import CancelledError

let_terminate_clean_up()
try:
    try:
        if sys.argv[1] == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        else:
            ProgressLines(open("/dev/full", "w"))("loading", 0.0)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
        print("clean", flush=True)
except (KeyboardInterrupt, CancelledError) as error:
    print(type(error).__name__, flush=True)
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "raised"), [("signal", "KeyboardInterrupt"), ("reader", "CancelledError")]
)
def test_a_further_sigterm_does_not_cut_the_clean_up_short(first, raised):
    done = subprocess.run(
        [sys.executable, "-c", CLEANING, first], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["clean", raised], done.stderr


def test_ctrl_c_while_the_commands_are_imported_is_no_traceback(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.importlib, "import_module", interrupted)
    assert command.main(["payload", "cup.ply", "wrenches.csv", "-o", "out"]) == 130
    assert capsys.readouterr().err == "autourdf: cancelled\n"
