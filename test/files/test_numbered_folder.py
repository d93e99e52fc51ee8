"""Recordings are called after the robot, never after the time."""

from pathlib import Path

import pytest

from autourdf_ros.files.numbered_folder import next_folder, robot_of


def test_folders_are_numbered_after_the_largest(tmp_path: Path) -> None:
    assert next_folder(tmp_path / "none", "ur5").name == "ur5_0001"
    for name in ("ur5_0001", "ur5_0007", "ur5_gripper_0009", "ur5_old", "ur5"):
        (tmp_path / name).mkdir()
    assert next_folder(tmp_path, "ur5") == tmp_path / "ur5_0008"


@pytest.mark.parametrize(
    ("name", "folder"),
    [("my robot/2", "my_robot_2_0001"), ("../..", "robot_0001"), ("", "robot_0001")],
)
def test_a_name_leads_to_no_other_folder(name: str, folder: str, tmp_path: Path) -> None:
    assert next_folder(tmp_path, name) == tmp_path / folder


def test_the_robot_is_named_by_its_recording() -> None:
    assert robot_of(Path("recordings/ur5_gripper_0012")) == "ur5_gripper"
    assert robot_of(Path("recordings/scan_12")) == "scan_12"
