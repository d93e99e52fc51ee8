"""Finding robots."""

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf, library_robots, package_directories


def test_library_holds_robots_by_file_name():
    robots = library_robots()
    assert {"ur5_gripper", "panda", "solo12"} <= set(robots)
    assert all(path.is_file() and path.stem == name for name, path in robots.items())


def test_finds_by_name_and_by_path(toy_urdf):
    assert find_urdf("panda") == library_robots()["panda"]
    assert find_urdf(str(toy_urdf)) == toy_urdf


def test_unknown_name_lists_near_matches():
    with pytest.raises(InputError, match=r"'ur5_griper'.*near matches: ur5_gripper"):
        find_urdf("ur5_griper")


@pytest.mark.parametrize("robot", ["missing.urdf", "some/where/robot.urdf"])
def test_missing_file_is_named(robot):
    with pytest.raises(InputError, match=rf"'{robot}': no such file"):
        find_urdf(robot)


def test_packages_are_looked_up_above_the_urdf_and_in_ros(toy_urdf, monkeypatch):
    monkeypatch.setenv("AMENT_PREFIX_PATH", "/prefix/a:/prefix/b")
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/packages")
    directories = package_directories(toy_urdf)
    assert directories[0] == str(toy_urdf.parent)
    assert directories[-3:] == ["/prefix/a/share", "/prefix/b/share", "/packages"]
