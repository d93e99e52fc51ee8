"""The public names of `autourdf_ros`, as docs/python_api.md lists them."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

import autourdf_ros
from autourdf_ros.former_paths import FORMER

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/python_api.md"


def documented() -> set[str]:
    """The names in the first column of the page's tables."""
    rows = re.findall(r"^\| (`.+?`) \|", PAGE.read_text(), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


def test_the_page_lists_every_public_name_and_no_other() -> None:
    assert documented() == set(autourdf_ros.__all__) - {"__version__"}


@pytest.mark.parametrize("name", autourdf_ros.__all__)
def test_every_public_name_imports(name: str) -> None:
    assert getattr(autourdf_ros, name) is not None
    assert name in dir(autourdf_ros)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = autourdf_ros.no_such_name


def test_importing_the_package_imports_nothing_heavy() -> None:
    light = sys.stdlib_module_names | {"autourdf_ros"}
    for file in ("__init__.py", "former_paths.py", "lean_open3d.py"):
        tree = ast.parse((ROOT / "autourdf_ros" / file).read_text())
        for node in tree.body:
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= light
            if isinstance(node, ast.ImportFrom):
                assert str(node.module).split(".")[0] in light


@pytest.mark.parametrize(("former", "today"), FORMER.items())
def test_a_former_path_is_the_module_of_today_and_warns(former: str, today: str) -> None:
    sys.modules.pop(former, None)
    with pytest.warns(DeprecationWarning, match=re.escape(today)) as caught:
        module = importlib.import_module(former)
    assert module is importlib.import_module(today)
    assert module.__spec__ is not None and module.__spec__.name == today
    assert len(caught) == 1
