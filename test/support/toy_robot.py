"""A small robot with every kind of joint, written as a URDF of primitive shapes."""

import numpy as np

# A pan joint below a lift joint, then a slide with a joint that mimics it, a link that cannot be
# seen, and a roll joint without limits that bears the hand. The pan joint is inclined.
TOY_URDF = """<?xml version="1.0"?>
<robot name="toy">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base">
    <visual><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/></geometry></visual>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <link name="column">
    <visual>
      <origin xyz="0 0 0.1"/><geometry><cylinder radius="0.04" length="0.2"/></geometry>
      <material name="red"/>
    </visual>
    <collision>
      <origin xyz="0 0 0.1"/><geometry><cylinder radius="0.04" length="0.2"/></geometry>
    </collision>
  </link>
  <link name="arm">
    <visual>
      <origin xyz="0.15 0 0"/><geometry><box size="0.3 0.05 0.06"/></geometry>
      <material name="blue"/>
    </visual>
    <collision>
      <origin xyz="0.15 0 0"/><geometry><box size="0.3 0.05 0.06"/></geometry>
    </collision>
  </link>
  <link name="finger">
    <visual><geometry><box size="0.1 0.02 0.02"/></geometry></visual>
    <collision><geometry><box size="0.1 0.02 0.02"/></geometry></collision>
  </link>
  <link name="second_finger">
    <visual><geometry><box size="0.1 0.02 0.02"/></geometry></visual>
    <collision><geometry><box size="0.1 0.02 0.02"/></geometry></collision>
  </link>
  <link name="shaft"/>
  <link name="hand">
    <visual><geometry><sphere radius="0.04"/></geometry></visual>
    <visual>
      <origin xyz="0.05 0.03 0"/><geometry><box size="0.06 0.03 0.02"/></geometry>
    </visual>
    <collision><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <link name="tool">
    <visual><origin xyz="0.02 0 0"/><geometry><box size="0.04 0.01 0.03"/></geometry></visual>
  </link>
  <joint name="pan" type="revolute">
    <parent link="base"/><child link="column"/>
    <origin xyz="0.01 0.02 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1.5" effort="1"/>
  </joint>
  <joint name="lift" type="revolute">
    <parent link="column"/><child link="arm"/>
    <origin xyz="0 0.07 0.2"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="2" effort="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="finger"/>
    <origin xyz="0.3 0 0.06"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.08" velocity="0.2" effort="1"/>
  </joint>
  <joint name="slide_coupled" type="prismatic">
    <parent link="arm"/><child link="second_finger"/>
    <origin xyz="0.3 0 -0.06"/><axis xyz="1 0 0"/>
    <mimic joint="slide" multiplier="-0.5" offset="0.04"/>
    <limit lower="0" upper="0.08" velocity="0.2" effort="1"/>
  </joint>
  <joint name="hidden" type="revolute">
    <parent link="arm"/><child link="shaft"/>
    <origin xyz="0.35 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="1"/>
  </joint>
  <joint name="roll" type="continuous">
    <parent link="shaft"/><child link="hand"/>
    <origin xyz="0.05 0 0"/><axis xyz="1 0 0"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="hand"/><child link="tool"/><origin xyz="0.05 0 0"/>
  </joint>
</robot>
"""

NAMES = ["pan", "lift", "hidden", "roll", "slide", "slide_coupled"]
DRIVEN = NAMES[:5]
FOLDED = {"pan": 0.0, "lift": 1.6}
"""Joint values at which the arm is inside the base; the others may be zero."""


def write_toy(folder):
    """The URDF file of the toy robot in this folder."""
    path = folder / "toy.urdf"
    path.write_text(TOY_URDF)
    return path


def values(robot, **given):
    """(J,) joint values by name; the others are at their neutral position."""
    chosen = [given.get(name, robot.neutral[i]) for i, name in enumerate(robot.names)]
    return robot.follow_mimics(np.array(chosen, dtype=float))
