"""The history of models: what is current, what was before, and what a kill leaves."""

import json
import shutil
from pathlib import Path

import pytest
from sample_results import write_small_arm

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import DOCUMENT, URDF
from autourdf_ros.monitoring.continual import model_history
from autourdf_ros.monitoring.continual.model_history import HISTORY, ModelHistory

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return write_small_arm(tmp_path_factory.mktemp("results") / "arm")


def test_models_come_and_go_back(result, tmp_path):
    history = ModelHistory(tmp_path / "models")
    with pytest.raises(InputError, match="models: holds no model"):
        history.current()
    first = history.add(result)
    assert history.current() == first == tmp_path / "models" / "0001"
    assert {path.name for path in first.iterdir()} == {path.name for path in result.iterdir()}
    with pytest.raises(InputError, match="no model came before the current one, 0001"):
        history.rollback()
    second = history.add(result)
    assert history.current() == second
    assert history.rollback() == first
    third = history.add(result)
    assert third.name == "0003"
    # What was current when it came, which is not the one with the number before.
    assert history.rollback() == first
    assert second.exists() and third.exists()
    assert [entry.previous for entry in history.entries] == [None, "0001", "0001"]
    assert ModelHistory(tmp_path / "models").current() == first


def test_what_is_no_result_is_refused_by_name(result, tmp_path):
    history = ModelHistory(tmp_path / "models")
    with pytest.raises(InputError, match="nothing: is no result folder"):
        history.add(tmp_path / "nothing")
    assert not (tmp_path / "models").exists()
    history.add(result)
    history.add(result)
    (history.root / "0001" / URDF).write_text("<robot")
    with pytest.raises(InputError, match="0001: is a damaged result folder"):
        history.rollback()
    assert history.current().name == "0002"
    (history.root / "0002" / DOCUMENT).unlink()
    with pytest.raises(InputError, match="0002: is no result folder"):
        history.current()


@pytest.mark.parametrize("content", ["", "{}", '{"format": "other", "version": 1}', "[1]"])
def test_a_damaged_history_is_refused(content, tmp_path):
    (tmp_path / HISTORY).write_text(content)
    with pytest.raises(InputError, match=r"history\.json: is damaged"):
        ModelHistory(tmp_path)


def test_a_history_of_another_version_is_refused_by_name(tmp_path):
    (tmp_path / HISTORY).write_text('{"format": "autourdf_ros/model_history", "version": 2}')
    with pytest.raises(InputError, match=r"history\.json: has version 2; accepted is 1"):
        ModelHistory(tmp_path)


def test_a_current_model_that_it_does_not_have_is_damage(result, tmp_path):
    history = ModelHistory(tmp_path / "models")
    history.add(result)
    path = history.root / HISTORY
    path.write_text(json.dumps(json.loads(path.read_text()) | {"current": "0007"}))
    with pytest.raises(InputError, match="current model '0007'"):
        history.current()


class Killed(BaseException):
    """As if the process ended here."""


def test_a_kill_leaves_the_old_history(result, tmp_path, monkeypatch):
    history = ModelHistory(tmp_path / "models")
    history.add(result)

    def killed(*_, **__):
        raise Killed

    for target, name in ((model_history.shutil, "copytree"), (Path, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(target, name, killed)
            with pytest.raises(Killed):
                history.add(result)
        assert history.current().name == "0001"
    # The second one left a whole folder that nothing names; its number is not given again.
    assert history.add(result).name == "0003"
    assert history.rollback().name == "0001"


def test_a_place_that_cannot_be_written_is_named(result, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="models: cannot be written: Not a directory"):
        ModelHistory(tmp_path / "file" / "models").add(result)


def test_it_knows_what_was_added(result, tmp_path):
    history = ModelHistory(tmp_path / "models")
    assert not history.holds(result)
    history.add(result)
    other = shutil.copytree(result, tmp_path / "other")
    assert history.holds(result) and history.holds(other)
    document = json.loads((other / DOCUMENT).read_text())
    (other / DOCUMENT).write_text(json.dumps(document | {"name": "other"}))
    assert not history.holds(other)
