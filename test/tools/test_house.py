"""docs/architecture.md shows the package as it is."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import house  # noqa: E402

CHAINS = [
    re.findall(r"^\| .+ \| `(\w+)` \| `(.+)` \|$", section, re.MULTILINE)
    for section in house.PAGE.read_text().split("\n## ")
    if section.startswith("The way of")
]


def test_the_drawing_is_that_of_the_folders():
    assert house.drawn() == house.drawing(), "run: python tools/house.py --write"


def test_the_picture_names_every_folder_of_the_top_level():
    picture = (ROOT / "docs/architecture.svg").read_text()
    top = {path.parent.name for path in house.PACKAGE.glob("*/__init__.py")}
    assert {name for name in top if f">{name}<" not in picture} == set()


@pytest.mark.parametrize("chain", CHAINS)
def test_the_way_of_a_frame_is_read_in_under_ten_files(chain):
    assert 0 < len({file for _, file in chain}) < 10


@pytest.mark.parametrize(
    ("chain", "number"), [(chain, number) for chain in CHAINS for number in range(len(chain))]
)
def test_a_step_is_where_the_page_says_and_is_called_from_above(chain, number):
    function, file = chain[number]
    assert f"def {function}(" in (house.PACKAGE / file).read_text()
    above = [other for _, other in chain[:number]]
    calls = [other for other in above if f"{function}(" in (house.PACKAGE / other).read_text()]
    assert calls or function == "run"
