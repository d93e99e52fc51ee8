import signal
import subprocess
import sys

import pytest

from autourdf_ros.subprocesses import CheckError, end, python_beside, run_python

pytestmark = pytest.mark.slow


def test_output_is_returned() -> None:
    script = "import os; print(os.environ['COLOUR'])"
    assert run_python(["-c", script], 20, {"COLOUR": "red"}) == "red"


def test_an_exception_gives_its_last_line() -> None:
    with pytest.raises(CheckError, match=r"^ValueError: no such thing$"):
        run_python(["-c", "raise ValueError('no such thing')"], 20)


def test_a_crash_names_the_signal() -> None:
    with pytest.raises(CheckError, match="SIGABRT"):
        run_python(["-c", "import os; os.abort()"], 20)


def test_a_hang_ends() -> None:
    with pytest.raises(CheckError, match=r"no answer within 0\.2 s"):
        run_python(["-c", "import time; time.sleep(20)"], 0.2)


def test_a_silent_failure_gives_the_exit_code() -> None:
    with pytest.raises(CheckError, match="exit code 3"):
        run_python(["-c", "raise SystemExit(3)"], 20)


def test_a_process_beside_ends_with_its_context() -> None:
    with python_beside(["-c", "import time; time.sleep(600)"]) as process:
        assert process.poll() is None
    assert process.returncode == -signal.SIGTERM


def test_a_process_that_ignores_its_termination_is_killed() -> None:
    script = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"deaf\n"
        end(process, patience=0.3)
    assert process.returncode == -signal.SIGKILL
