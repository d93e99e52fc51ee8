import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.link_inertias import parameters_below

GRIPPER = """<robot name="gripper">
  <link name="arm"><inertial><mass value="9"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0 0 0.05"/><mass value="0.5"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="finger"><inertial><mass value="{mass}"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/>
    <origin xyz="0 0 0.1"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path):
    file = tmp_path / "gripper.urdf"
    file.write_text(GRIPPER.format(mass=0.1))
    return file


def test_a_link_and_all_that_hangs_on_it_are_summed_in_its_frame(urdf):
    found = parameters_below(urdf, "hand")
    np.testing.assert_allclose(found[:4], [0.6, 0, 0, 0.5 * 0.05 + 0.1 * 0.1])
    opened = parameters_below(urdf, "hand", {"grip": 0.08})
    np.testing.assert_allclose(opened[:4], [0.6, 0.1 * 0.08, 0, 0.035], atol=1e-12)


def test_what_is_not_there_is_named(urdf):
    with pytest.raises(InputError, match="no link 'claw'"):
        parameters_below(urdf, "claw")
    with pytest.raises(InputError, match="no moving joint named knee"):
        parameters_below(urdf, "hand", {"knee": 1.0})


@pytest.mark.parametrize("mass", ["-1", "nan"])
def test_an_inertial_that_is_no_bodys_is_named(urdf, mass):
    urdf.write_text(GRIPPER.format(mass=mass))
    with pytest.raises(InputError, match="finger"):
        parameters_below(urdf, "hand")
