"""Plug-ins of installed packages, by entry points of real metadata on the path."""

import sys

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.joint_types.type_model import TypeAnswer
from autourdf_ros.plugins.http_part_model import PART_MODEL, HttpPartModel
from autourdf_ros.plugins.http_type_model import TYPE_MODEL, HttpTypeModel
from autourdf_ros.plugins.plugin_loading import GROUP, load_plugin
from autourdf_ros.plugins.plugin_options import PluginOptions

MODULE = """
from autourdf_ros.estimation.parts.joint_types.type_model import TypeAnswer

class Types:
    def joint_type(self, question, progress):
        return TypeAnswer("prismatic", 0.8)

types = Types()
number = 5
class Broken:
    def __init__(self):
        raise RuntimeError("private detail")
"""
OFFERED = {
    "types-class": "offered_plugins:Types",
    "types-object": "offered_plugins:types",
    "number": "offered_plugins:number",
    "broken": "offered_plugins:Broken",
    "missing": "offered_plugins:nothing",
    "absent": "no_such_module_at_all:x",
}


@pytest.fixture
def installed(tmp_path, monkeypatch):
    (tmp_path / "offered_plugins.py").write_text(MODULE)
    info = tmp_path / "offered_plugins-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: offered-plugins\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {value}" for name, value in OFFERED.items())
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("offered_plugins", None)


@pytest.mark.parametrize("name", ["types-class", "types-object"])
def test_an_installed_package_offers_an_object_or_a_class(installed, name):
    plugin = load_plugin(TYPE_MODEL, name)
    assert plugin.joint_type(None, None) == TypeAnswer("prismatic", 0.8)


@pytest.mark.parametrize("name", ["number", "types-object"])
def test_an_object_of_another_protocol_is_refused(installed, name):
    with pytest.raises(InputError, match="PartModel"):
        load_plugin(PART_MODEL, name)


@pytest.mark.parametrize("name", ["broken", "missing", "absent"])
def test_an_entry_point_that_cannot_be_loaded_is_one_line(installed, name):
    with pytest.raises(InputError, match="cannot be loaded") as error:
        load_plugin(TYPE_MODEL, name)
    assert "private" not in str(error.value) and "\n" not in str(error.value)


def test_nothing_is_imported_before_it_is_named(installed):
    with pytest.raises(InputError, match="types-class"):
        load_plugin(TYPE_MODEL, "unknown")
    assert "offered_plugins" not in sys.modules


def test_two_packages_with_one_name_are_refused(installed):
    info = installed / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nnumber = elsewhere:number\n")
    with pytest.raises(InputError, match="several packages"):
        load_plugin(TYPE_MODEL, "number")


def test_a_url_gives_the_client_of_the_kind_and_sends_nothing():
    assert isinstance(load_plugin(TYPE_MODEL, "https://192.0.2.1/"), HttpTypeModel)
    assert isinstance(load_plugin(PART_MODEL, "https://192.0.2.1/"), HttpPartModel)


def test_a_token_for_an_entry_point_is_refused(installed):
    with pytest.raises(InputError, match="token"):
        load_plugin(TYPE_MODEL, "types-class", PluginOptions("VARIABLE"))


def test_a_missing_token_is_reported_before_any_work(monkeypatch):
    monkeypatch.delenv("VARIABLE", raising=False)
    with pytest.raises(InputError, match="VARIABLE"):
        load_plugin(TYPE_MODEL, "https://192.0.2.1/", PluginOptions("VARIABLE"))
