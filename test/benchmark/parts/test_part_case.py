"""Tests of the suite's cases."""

import json

import pytest
from boxes_urdf import CHAIN

from autourdf_ros.benchmark.parts.built_in_cases import ROBOTS, built_in_sources, installed_sources
from autourdf_ros.benchmark.parts.case_source import CaseSource
from autourdf_ros.benchmark.parts.part_case import (
    METHODS,
    PartCase,
    by_parts_methods,
    cases_in,
    cases_of,
)
from autourdf_ros.data.parts.erased.case_folder import read_mechanism, write_case
from autourdf_ros.errors import InputError
from autourdf_ros.progress import silent


def chain(folder):
    path = folder / "chain.urdf"
    path.write_text(CHAIN)
    return read_mechanism(path)


def test_every_folder_with_parts_and_a_truth_is_a_case(tmp_path):
    write_case(chain(tmp_path), tmp_path / "data/b")
    write_case(chain(tmp_path), tmp_path / "data/a")
    (tmp_path / "data/recording").mkdir()
    (tmp_path / "data/recording/truth.json").write_text("{}")
    assert [case.name for case in cases_in(tmp_path / "data")] == ["a", "b"]


def test_a_folder_without_cases_is_refused(tmp_path):
    with pytest.raises(InputError, match="contains no case"):
        cases_in(tmp_path)


def test_the_key_changes_with_the_parts_the_method_and_the_seed(tmp_path):
    write_case(chain(tmp_path), tmp_path / "a")
    case = PartCase("a", None, tmp_path / "a")
    keys = [case.key(), PartCase("a", None, tmp_path / "a", "mcts").key()]
    keys.append(PartCase("a", None, tmp_path / "a", seed=1).key())
    part = tmp_path / "a/parts/part_00.ply"
    part.write_bytes(part.read_bytes() + b" ")
    keys.append(case.key())
    assert len({json.dumps(key) for key in keys}) == 4


def test_ablations_are_options_of_the_paper_s_method(tmp_path):
    cases = by_parts_methods([PartCase("a", None, tmp_path)], METHODS)
    options = [case.options for case in cases]
    assert [one.method for one in options] == ["symmetry", "mcts", "mcts", "mcts"]
    assert [one.mcts.search for one in options[1:]] == [True, False, True]
    assert [one.mcts.anchor for one in options[1:]] == [True, True, False]


def test_a_model_is_erased_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    reads = []

    def read():
        reads.append(1)
        return chain(tmp_path)

    source = CaseSource("chain", "robot", "numpy", read)
    first, second = (cases_of([source], silent)[0] for _ in range(2))
    assert first == second
    assert len(reads) == 1
    assert (first.folder / "parts/part_02.ply").is_file()


def test_the_suite_has_the_paper_s_robots_and_at_least_a_dozen_objects():
    sources = built_in_sources()
    assert {"ur10", "panda", "go2", "allegro"} <= set(ROBOTS)
    assert sum(source.kind == "object" for source in sources) >= 12
    assert len({source.name for source in sources}) == len(sources)


def test_what_is_not_installed_is_left_out_and_named(monkeypatch):
    monkeypatch.setattr(CaseSource, "installed", property(lambda self: self.kind == "robot"))
    there, note = installed_sources()
    assert [source.name for source in there] == list(ROBOTS)
    assert "gymnasium-robotics, metaworld, scene-synthesizer" in note


def test_nothing_installed_is_refused(monkeypatch):
    monkeypatch.setattr(CaseSource, "installed", False)
    with pytest.raises(InputError, match="not installed"):
        installed_sources(["ur10"])


def test_an_unknown_case_is_refused_by_name():
    with pytest.raises(InputError, match="robby"):
        installed_sources(["robby"])
