"""What a command does while it cleans up."""

import signal
import subprocess
import sys
import weakref
from types import SimpleNamespace

import pytest

from autourdf_ros.cli import main as command
from autourdf_ros.cli.terminal.progress_bar import progress_bar
from autourdf_ros.cli.terminal.progress_lines import ProgressLines

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


def lose_the_interrupt():
    """Python drops an exception that is raised in the callback of a weak reference."""
    target = {1}
    kept = weakref.ref(target, lambda _: signal.raise_signal(signal.SIGINT))
    del target
    assert kept() is None


def turn_the_interrupt_into_an_error():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("a library's callback failed") from None


def run_as_command(monkeypatch, work):
    """Run `work` as the body of a command, with Python's own handler of Ctrl-C."""
    monkeypatch.setattr(
        command,
        "build_parser",
        lambda: SimpleNamespace(parse_args=lambda _, into: setattr(into, "run", work)),
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = command.main([])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        return code
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("lines", [False, True])
def test_an_interrupt_that_python_dropped_cancels_at_the_next_progress(monkeypatch, capsys, lines):
    def work(_):
        lose_the_interrupt()
        with progress_bar() as bar:
            (ProgressLines(sys.stdout) if lines else bar)("loading", 0.5)
        return 0

    assert run_as_command(monkeypatch, work) == 130
    captured = capsys.readouterr()
    assert (captured.out, captured.err.splitlines()[-1]) == ("", "autourdf: cancelled")
    assert run_as_command(monkeypatch, lambda _: 0) == 0  # a later command starts afresh


def test_an_interrupt_that_became_an_error_is_still_a_cancellation(monkeypatch, capsys):
    def work(_):
        turn_the_interrupt_into_an_error()

    assert run_as_command(monkeypatch, work) == 130
    assert capsys.readouterr().err == "autourdf: cancelled\n"
