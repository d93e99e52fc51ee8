"""README's line for a ROS machine finds all libraries, although no .pth file is read there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_the_line_for_a_ros_machine_finds_pinocchio_and_coal(page: str) -> None:
    (line,) = re.findall(r"^export PYTHONPATH=.*$", (ROOT / page).read_text(), re.MULTILINE)
    # -S: no .pth file is read, as for folders of PYTHONPATH.
    program = f'{line}; exec "$0" -S -c "import coal, pinocchio"'
    subprocess.run(
        ["bash", "-c", program, sys.executable], cwd=ROOT, env={"PYTHONPATH": ""}, check=True
    )
