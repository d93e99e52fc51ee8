"""Every test of the first layout has a successor."""

import importlib.util
from importlib.machinery import SourceFileLoader

import pytest
from source_tree import ROOT

LOADER = SourceFileLoader("test_successors_tool", str(ROOT / "tools" / "test_successors"))


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_loader(LOADER.name, LOADER)
    module = importlib.util.module_from_spec(spec)
    LOADER.exec_module(module)
    return module


@pytest.mark.slow
def test_no_test_is_lost(tool, capsys):
    assert tool.main([]) == 0, capsys.readouterr().out


def test_the_list_is_whole(tool):
    assert len(tool.first_tests()) == 1765


def test_every_removed_test_has_a_reason_and_is_gone(tool):
    removed = dict(line.split(": ", 1) for line in tool._lines(tool.REMOVED))
    assert all(removed.values())
    assert set(removed) <= {name for _, name in tool.first_tests()}


def test_renamings_may_follow_one_another(tool):
    pairs = [["test_a", "test_b"], ["test_c", "test_d"], ["test_b", "test_e"]]
    assert tool.names_today("test_a", pairs) == ["test_a", "test_b", "test_e"]
    assert tool.names_today("test_d", pairs) == ["test_d"]


@pytest.mark.slow
def test_a_test_without_a_successor_is_named(tool):
    first = [("test/test_x.py", "test_that_nobody_has"), ("test/test_x.py", "test_old")]
    assert tool.missing(first, [["test_old", "test_new"]]) == [
        "test/test_x.py::test_that_nobody_has",
        "test/test_x.py::test_old -> test_new",
    ]


@pytest.mark.slow
def test_a_test_of_today_succeeds_one_only(tool):
    first = [("test/test_x.py", "test_old")] * 2
    assert tool.missing(first, [["test_old", "test_no_test_is_lost"]]) == [
        "test/test_x.py::test_old -> test_no_test_is_lost"
    ]
