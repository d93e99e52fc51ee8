"""The estimator that docs/contributing.md adds works, in a copy of the package."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sample_results import write_sample

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "contributing.md"
MOST_LINES = 80

FILES = {
    block.partition("\n")[0].removeprefix("# "): block.partition("\n")[2]
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
}
ENTRY = '    "nothing": "model",\n'


@pytest.mark.slow
def test_the_example_estimator_runs_as_a_command(tmp_path):
    shutil.copytree(
        ROOT / "autourdf_ros",
        tmp_path / "autourdf_ros",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    main = tmp_path / "autourdf_ros" / "cli" / "main.py"
    main.write_text(re.sub(r"^COMMANDS = \{\n", rf"\g<0>{ENTRY}", main.read_text(), flags=re.M))
    sample = write_sample(tmp_path / "sample")
    ran = subprocess.run(
        [sys.executable, "-m", "autourdf_ros", "nothing", sample.folder, sample.recording],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert "kinematics" in ran.stdout


def test_the_example_estimator_is_short():
    assert 0 < sum(text.count("\n") for text in FILES.values()) + 1 < MOST_LINES
