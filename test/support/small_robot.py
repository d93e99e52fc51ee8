"""A small robot with meshes, right in every respect, that tests then corrupt."""

import numpy as np
import trimesh

URDF = """<?xml version="1.0"?>
<robot name="small">
  <link name="base_link">
    <visual><geometry><mesh filename="meshes/base.stl"/></geometry></visual>
    <collision><geometry><mesh filename="meshes/base.stl"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial>
      <origin xyz="0.2 0 0"/><mass value="2"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>
    </inertial>
    <visual>
      <origin xyz="0.2 0 0"/><geometry><mesh filename="meshes/arm.stl"/></geometry>
    </visual>
    <collision><origin xyz="0.2 0 0"/><geometry><box size="0.3 0.05 0.05"/></geometry></collision>
  </link>
  <link name="slider">
    <inertial>
      <mass value="0.5"/>
      <inertia ixx="0.0004" ixy="0" ixz="0" iyy="0.0004" iyz="0" izz="0.0004"/>
    </inertial>
    <visual><geometry><box size="0.06 0.06 0.06"/></geometry></visual>
    <collision><geometry><box size="0.06 0.06 0.06"/></geometry></collision>
  </link>
  <joint name="lift" type="revolute">
    <parent link="base_link"/><child link="arm"/>
    <origin xyz="0.1 0 0.2"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="50" velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="slider"/>
    <origin xyz="0.4 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="100" velocity="0.1"/>
  </joint>
  <mujoco><compiler strippath="false" discardvisual="false"/></mujoco>
</robot>
"""


def write_robot(folder, *edits):
    """The URDF in `folder`, with every (old, new) text of `edits` replaced; returns its path."""
    (folder / "meshes").mkdir(parents=True, exist_ok=True)
    trimesh.creation.box((0.2, 0.2, 0.2)).export(folder / "meshes" / "base.stl")
    trimesh.creation.box((0.3, 0.05, 0.05)).export(folder / "meshes" / "arm.stl")
    text = URDF
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "robot.urdf"
    path.write_text(text)
    return path


def document(values, **reference):
    """Return the entries of reconstruction.json for lift and slide. values: (F, 2)."""
    values = np.asarray(values, float)
    return {
        "format": "autourdf_ros/reconstruction",
        "version": 1,
        "reference_configuration": {"lift": 0.0, "slide": 0.0} | reference,
        "joints": [{"name": "lift"}, {"name": "slide"}],
        "sequences": [{"joint_values": values.tolist(), "used": [True] * len(values)}],
    }
