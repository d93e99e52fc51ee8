"""Meshes are found where their names lead, and nowhere else."""

import pytest

from autourdf_ros.model.urdf.mesh_location import MeshError, locate


@pytest.fixture
def urdf(tmp_path):
    folder = tmp_path / "share" / "my_robot" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "share" / "my_robot" / "meshes").mkdir()
    (tmp_path / "share" / "my_robot" / "meshes" / "a b.stl").touch()
    return folder / "robot.urdf"


def test_paths_uris_and_packages_above(urdf):
    mesh = urdf.parent.parent / "meshes" / "a b.stl"
    uri = mesh.as_uri()
    assert "%20" in uri
    for name in (
        "../meshes/a b.stl",
        str(mesh),
        uri,
        "package://my_robot/meshes/a b.stl",
        "package:///my_robot/meshes/a b.stl",
    ):
        assert locate(name, urdf).resolve() == mesh


@pytest.mark.parametrize(
    ("variable", "below"), [("ROS_PACKAGE_PATH", "share"), ("AMENT_PREFIX_PATH", "")]
)
def test_packages_of_the_environment(urdf, tmp_path, monkeypatch, variable, below):
    monkeypatch.setenv(variable, str(tmp_path / below))
    elsewhere = tmp_path / "elsewhere" / "robot.urdf"
    assert locate("package://my_robot/meshes/a b.stl", elsewhere).is_file()
    monkeypatch.delenv(variable)
    with pytest.raises(MeshError, match=r"package 'my_robot' is looked for in .* ROS_PACKAGE_PATH"):
        locate("package://my_robot/meshes/a b.stl", elsewhere)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("package://my_robot/../../secret", "leads out of its package"),
        ("http://example.org/a.stl", "is not fetched"),
        ("missing.stl", "does not exist"),
        ("../meshes", "does not exist"),
    ],
)
def test_what_leads_nowhere_is_refused(urdf, name, message):
    with pytest.raises(MeshError, match=message):
        locate(name, urdf)
