"""An untrusted result folder cannot name files outside of it."""

import pytest
import trimesh
from samples import URDF, result

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.live_model import LiveModel

OUTSIDE = ["../secret.obj", "/etc/hostname", "file:///etc/hostname", "package://x/a.obj"]
OUTSIDE += ["http://localhost/a.obj", "meshes/../../secret.obj"]


@pytest.fixture
def folder(tmp_path):
    trimesh.creation.box().export(tmp_path / "secret.obj")
    result(tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_mesh_outside_is_refused(folder, name):
    (folder / "robot.urdf").write_text(URDF.replace("meshes/a.obj", name))
    with pytest.raises(InputError, match=r"out: names the file .* which is not in it"):
        LiveModel(folder)


def test_a_link_that_leads_outside_is_refused(folder):
    (folder / "meshes" / "a.obj").unlink()
    (folder / "meshes" / "a.obj").symlink_to(folder.parent / "secret.obj")
    with pytest.raises(InputError, match=r"out: names the file meshes/a\.obj, which is not in it"):
        LiveModel(folder)


def test_materials_and_textures_stay_within(folder):
    mesh = folder / "meshes" / "a.obj"
    mesh.write_text("mtllib ../../secret.mtl\n" + mesh.read_text())
    with pytest.raises(InputError, match=r"names the file \.\./\.\./secret\.mtl"):
        LiveModel(folder)
    mesh.write_text(mesh.read_text().replace("../../secret.mtl", "a.mtl"))
    (folder / "meshes" / "a.mtl").write_text("newmtl m\nmap_Kd /etc/hostname\n")
    with pytest.raises(InputError, match="names the file /etc/hostname"):
        LiveModel(folder)
