"""An arm of three joints with true masses, and efforts of it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autourdf_ros.benchmark.links.simulated_efforts import (
    SimulationOptions,
    drawn_parameters,
    random_motion,
    simulated_efforts,
    stated_parameters,
)
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.inertia.links.link_identification import LinkShapes
from autourdf_ros.estimation.inertia.links.torque_model import TorqueModel
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.workflows.link_inertia import link_shapes

LINK = """
  <link name="{name}">
    <inertial><origin xyz="{x} 0.02 0.01"/><mass value="{mass}"/>
      <inertia ixx="0.004" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.021"/></inertial>
    <visual><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.08 0.08"/></geometry></visual>
  </link>"""
JOINT = """
  <joint name="{name}" type="revolute">
    <parent link="{parent}"/><child link="{child}"/><origin xyz="{x} 0 0"/><axis xyz="{axis}"/>
    <limit lower="-2" upper="2" velocity="3" effort="200"/>
  </joint>"""
ARM = (
    '<robot name="arm"><link name="base"/>'
    + LINK.format(name="upper", x=0.17, mass=3.1)
    + LINK.format(name="fore", x=0.12, mass=1.4)
    + LINK.format(name="hand", x=0.1, mass=0.9)
    + LINK.format(name="tool", x=0.1, mass=0.4)
    + JOINT.format(name="yaw", parent="base", child="upper", x=0, axis="0 0 1")
    + JOINT.format(name="pitch", parent="upper", child="fore", x=0.3, axis="0 1 0")
    + JOINT.format(name="roll", parent="fore", child="hand", x=0.3, axis="1 0 0")
    + '<joint name="grip" type="fixed"><parent link="hand"/><child link="tool"/>'
    '<origin xyz="0.3 0 0" rpy="0 0.4 0"/></joint></robot>'
)
SHORT = SimulationOptions(duration=12.0, rate=100.0)


@dataclass(frozen=True)
class SimulatedArm:
    """urdf: of the arm. model: of it. truth: (p,). noise: (J,) of the efforts."""

    urdf: Path
    model: TorqueModel
    shapes: LinkShapes
    truth: np.ndarray
    recording: EffortRecording
    noise: np.ndarray


def simulated_arm(folder, options=SHORT, seed=1):
    urdf = folder / "arm.urdf"
    urdf.write_text(ARM)
    robot = read_description(urdf)
    shapes = link_shapes(robot, None, 1000.0)
    model = TorqueModel(urdf, ("yaw", "pitch", "roll"), shapes.solids)
    truth = drawn_parameters(model, stated_parameters(robot, model.links), options, 0)
    motion = random_motion(model, options, seed)
    made = simulated_efforts(model, truth, motion, options, seed)
    return SimulatedArm(urdf, model, shapes, truth, made.recording, made.noise)
