"""URDFs and MJCFs of boxes, to erase the joints of."""

from __future__ import annotations

CHAIN = """<robot name="chain">
  <link name="world"/>
  <link name="base"><visual><origin xyz="0 0 0.5"/><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="arm"><visual><origin xyz="0 0 0.5"/><geometry><box size=".2 .2 1"/></geometry>
  </visual></link>
  <link name="tool"><visual><geometry><box size=".3 .3 .1"/></geometry></visual></link>
  <link name="slider"><visual><geometry><box size=".1 .1 .1"/></geometry></visual></link>
  <link name="sensor"/>
  <joint name="fix" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0.25 1" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/></joint>
  <joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="slider"/>
    <origin xyz="0.1 0 0.5"/><axis xyz="0 0 1"/>
    <limit lower="-0.1" upper="0.3" effort="1" velocity="1"/></joint>
  <joint name="see" type="revolute"><parent link="slider"/><child link="sensor"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""

BALL = """<robot name="ball">
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="middle"/>
  <link name="arm"><visual><geometry><box size=".2 .2 1"/></geometry></visual></link>
  <link name="hand"><visual><geometry><box size=".1 .1 .1"/></geometry></visual></link>
  <joint name="first" type="continuous"><parent link="base"/><child link="middle"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="second" type="continuous"><parent link="middle"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="third" type="continuous"><parent link="arm"/><child link="hand"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""

SCENE = """<mujoco model="scene">
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="robot" pos="9 0 0"><geom type="box" size=".1 .1 .1"/></body>
    <body name="cabinet">
      <geom type="box" size=".5 .5 .5" contype="0" conaffinity="0" group="1"/>
      <geom type="box" size="3 3 3" group="4"/>
      <body name="door" pos="-.5 -.5 0">
        <joint name="hinge" type="hinge" axis="0 0 1" range="0 90" limited="true"/>
        <geom type="box" size=".5 .02 .5" pos=".5 0 0"/>
        <body name="knob" pos=".9 -.05 0"><geom type="sphere" size=".05"/></body>
      </body>
      <body name="light">
        <joint name="switch" type="slide" axis="0 0 1"/>
        <geom type="box" size=".1 .1 .1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
