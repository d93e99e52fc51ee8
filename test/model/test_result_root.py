"""Folders named from outside, below one root only."""

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_root import result_below


def test_names_and_paths_below_the_root(tmp_path):
    root = tmp_path / "results"
    (root / "a" / "b").mkdir(parents=True)
    (root / "newest").symlink_to(root / "a")
    assert result_below(root, "a/b") == root / "a" / "b"
    assert result_below(root, str(root / "a")) == root / "a"
    assert result_below(root, "newest/b") == root / "a" / "b"
    assert result_below(root, "a/../a") == root / "a"


@pytest.mark.parametrize(
    "given", ["..", "../beside", "a/../../beside", "/etc", "~", "link", "results_too/../../beside"]
)
def test_nothing_else(tmp_path, given):
    root = tmp_path / "results"
    root.mkdir()
    (tmp_path / "beside").mkdir()
    (tmp_path / "results_too").mkdir()
    (root / "link").symlink_to(tmp_path / "beside")
    with pytest.raises(InputError, match="accepted are result folders below") as caught:
        result_below(root, given)
    assert given in str(caught.value) and str(root) in str(caught.value)


def test_a_folder_whose_name_begins_like_the_root_is_not_below_it(tmp_path):
    (tmp_path / "results_too").mkdir()
    with pytest.raises(InputError):
        result_below(tmp_path / "results", str(tmp_path / "results_too"))
