"""The process that waits for a recording imports the engine and nothing that draws."""

import pytest

from autourdf_ros.subprocesses import run_python

pytestmark = pytest.mark.slow

SCRIPT = """
import sys
from autourdf_ros.cli.ready_engine import main
started = []
sys.addaudithook(lambda event, _: started.append(event) if event == "subprocess.Popen" else None)
print(main(), started, "mujoco" in sys.modules)
"""


def test_it_starts_no_process_that_an_interrupt_would_reach():
    assert run_python(["-c", SCRIPT], 120) == "0 [] True"
