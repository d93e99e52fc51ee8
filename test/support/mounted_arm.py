"""A small arm with masses, whose flange may be mounted on a force-torque sensor."""

# Joints pan, lift, elbow and roll; the flange is fixed to the wrist, the massless tool to it.
_LINK = """
  <link name="{name}">
    <visual><origin xyz="{half} 0 0"/><geometry><box size="{length} 0.04 0.05"/></geometry></visual>
    <inertial>
      <origin xyz="{half} 0.01 0" rpy="0.2 0.1 0.3"/><mass value="{mass}"/>
      <inertia ixx="0.004" iyy="0.012" izz="0.013" ixy="0.0005" ixz="-0.0003" iyz="0.0002"/>
    </inertial>
  </link>"""
_FLANGE = """
  <link name="flange">
    <visual><geometry><box size="0.03 0.06 0.06"/></geometry></visual>
    <inertial>
      <origin xyz="0 0 0.02"/><mass value="0.3"/>
      <inertia ixx="0.0002" iyy="0.0002" izz="0.0003" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>"""
_JOINT = """
  <joint name="{name}" type="revolute">
    <parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{place}" rpy="{turn}"/><axis xyz="{axis}"/>
    <limit lower="-2.5" upper="2.5" velocity="2" effort="100"/>
  </joint>"""


def arm_file(folder):
    """Write the URDF; return its file."""
    links = "".join(
        _LINK.format(name=name, length=length, half=length / 2, mass=mass)
        for name, length, mass in (
            ("column", 0.1, 3.0),
            ("upper", 0.3, 2.0),
            ("fore", 0.25, 1.0),
            ("wrist", 0.05, 0.5),
        )
    )
    joints = "".join(
        _JOINT.format(name=name, parent=parent, child=child, place=place, turn=turn, axis=axis)
        for name, parent, child, place, turn, axis in (
            ("pan", "base", "column", "0 0 0.6", "0 0 0", "0 0 1"),
            ("lift", "column", "upper", "0.05 0 0.05", "0.1 0 0", "0 1 0"),
            ("elbow", "upper", "fore", "0.3 0 0", "0 0.1 0", "0 1 0.2"),
            ("roll", "fore", "wrist", "0.25 0 0", "0 0 0.2", "1 0 0"),
        )
    )
    mount = """
  <joint name="mount" type="fixed">
    <parent link="wrist"/><child link="flange"/><origin xyz="0.05 0 0" rpy="0.4 -0.3 0.2"/>
  </joint>
  <link name="tool"/>
  <joint name="tip" type="fixed">
    <parent link="flange"/><child link="tool"/><origin xyz="0 0 0.03" rpy="0 0.5 0"/>
  </joint>"""
    base = """
  <link name="base">
    <visual><origin xyz="0 0 0.3"/><geometry><box size="0.1 0.1 0.5"/></geometry></visual>
  </link>"""
    path = folder / "arm.urdf"
    parts = f"{base}{links}{_FLANGE}{joints}{mount}"
    path.write_text(f'<?xml version="1.0"?>\n<robot name="arm">{parts}\n</robot>\n')
    return path
