"""The table of faults and outcomes: every row has a test that exists."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| (.+?) \| (.+?) \| `(.+?)::(\w+)` \|$",
    (ROOT / "docs" / "hostile_world.md").read_text(),
    re.M,
)


@cache
def functions_of(file):
    tree = ast.parse((ROOT / "test" / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_there_are_at_least_sixty_rows_each_of_its_own():
    assert len({fault for fault, *_ in ROWS}) == len(ROWS) >= 60


def test_every_row_has_a_test():
    missing = [f"{file}::{name}" for _, _, file, name in ROWS if name not in functions_of(file)]
    assert missing == []
