"""USD is written where the converter is installed, and refused in time where it is not."""

import pytest
from synthetic_robot import arm_model

from autourdf_ros.errors import InputError
from autourdf_ros.export.formats import usd
from autourdf_ros.export.formats.urdf import write_urdf


@pytest.mark.slow
def test_the_stage_has_the_links_and_joints(tmp_path):
    pytest.importorskip("urdf_usd_converter")
    from pxr import Usd, UsdPhysics

    write_urdf(arm_model(count=200), tmp_path, name="arm")
    path = usd.write_usd(tmp_path)
    assert path == tmp_path / "usd" / "arm.usda"
    stage = Usd.Stage.Open(str(path))
    prims = list(stage.Traverse())
    joints = {prim.GetName() for prim in prims if prim.IsA(UsdPhysics.RevoluteJoint)}
    assert joints == {"shoulder_pan", "arm_lift", "spin"}
    bodies = {prim.GetName() for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    assert {f"link_{index}" for index in range(1, 5)} <= bodies


def test_without_the_converter_it_is_refused(monkeypatch):
    monkeypatch.setattr(usd, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"--usd.*urdf-usd-converter"):
        usd.check_usd()
