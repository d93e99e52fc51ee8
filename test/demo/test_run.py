import pytest

from autourdf_ros.demo.run import new_folder
from autourdf_ros.errors import InputError


def test_an_earlier_result_is_kept(tmp_path):
    first = new_folder(tmp_path / "out" / "panda")
    (first / "robot.urdf").write_text("")
    second = new_folder(tmp_path / "out" / "panda")
    assert first.name == "panda"
    assert second.name == "panda_2"
    assert new_folder(tmp_path / "out" / "panda") == second  # still empty


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file/panda: cannot be made"):
        new_folder(tmp_path / "file" / "panda")
