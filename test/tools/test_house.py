"""docs/architecture.md shows the package as it is."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import house  # noqa: E402

CHAIN = re.findall(r"^\| .+ \| `(\w+)` \| `(.+)` \|$", house.PAGE.read_text(), re.MULTILINE)


def test_the_drawing_is_that_of_the_folders():
    assert house.drawn() == house.drawing(), "run: python tools/house.py --write"


def test_the_picture_names_every_folder_of_the_top_level():
    picture = (ROOT / "docs/architecture.svg").read_text()
    top = {path.parent.name for path in house.PACKAGE.glob("*/__init__.py")}
    assert {name for name in top if f">{name}<" not in picture} == set()


def test_the_way_of_a_frame_is_read_in_under_ten_files():
    assert 0 < len({file for _, file in CHAIN}) < 10


@pytest.mark.parametrize(("function", "file"), CHAIN)
def test_a_step_is_where_the_page_says_and_is_called_from_above(function, file):
    assert f"def {function}(" in (house.PACKAGE / file).read_text()
    above = [other for _, other in CHAIN[: [name for name, _ in CHAIN].index(function)]]
    calls = [other for other in above if f"{function}(" in (house.PACKAGE / other).read_text()]
    assert calls or function == "run"
