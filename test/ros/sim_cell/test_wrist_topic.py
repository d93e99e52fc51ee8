"""Wrenches and efforts of the simulated cell as messages, and the payload by a bag of them."""

import json
import signal
import time

import numpy as np
import pytest
import rclpy
import trimesh
from geometry_msgs.msg import WrenchStamped
from live import Observer, node_process
from mounted_arm import arm_file
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import StoragePlugin, Writer
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from tf2_msgs.msg import TFMessage

from autourdf_ros.cli.main import main
from autourdf_ros.data.bags.topics import typestore
from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.ros.common.conversions import transform_matrix
from autourdf_ros.ros.sim_cell.sim_cell_parameters import declare_parameters
from autourdf_ros.simulation.live.driven_dynamics import DrivenDynamics
from autourdf_ros.simulation.live.held_object import homogeneous_object

DENSITY, SIDES = 2700.0, (0.12, 0.06, 0.04)
PLACE = np.array([0.01, 0.0, 0.05])
BIAS = [0.5, -0.3, 0.8, 0.02, 0.01, -0.03]
TURNS = ([0, 0, 0, 0], [0.3, -0.8, 0, 0], [0.3, -0.8, 0, 1.5], [0, -0.5, 1, -1.5], [0, 0, 0, 2.4])
"""Positions of the joints at which the arm stops."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrist")
    arm_file(folder)
    trimesh.creation.box(SIDES).export(folder / "box.stl")
    return folder


@pytest.fixture(scope="module")
def heard(folder):
    """Messages of a cell that stops in several orientations: (topic, message, time in ns)."""
    parameters = {
        "robot": folder / "arm.urdf",
        "truth_file": folder / "truth.json",
        "start": "neutral",
        "cameras": 1,
        "width": 32,
        "height": 24,
        "acceleration": 2.0,
        "velocity_scale": 0.5,
        "wrench.link": "tool",
        "wrench.topic": "/ft/wrench",
        "wrench.bias": BIAS,
        "object.mesh": folder / "box.stl",
        "object.density": DENSITY,
        "object.pose": [*PLACE.tolist(), 0.0, 0.0, 0.0],
    }
    rclpy.init()
    with node_process("sim_cell_node", parameters=parameters) as process:
        client, messages = Observer("client"), []
        for topic, kind in (
            ("/ft/wrench", WrenchStamped),
            ("/tf", TFMessage),
            ("/joint_states", JointState),
        ):
            client.node.create_subscription(
                kind, topic, lambda m, t=topic: messages.append((t, m, time.time_ns())), 200
            )
        command = client.node.create_publisher(
            Float64MultiArray, "/forward_position_controller/commands", 10
        )
        client.until(lambda: messages and command.get_subscription_count(), 60)
        for goal in TURNS:
            command.publish(Float64MultiArray(data=[float(value) for value in goal]))
            client.until(lambda goal=goal: _stands(messages, goal))
            end = time.monotonic() + 0.8
            client.until(lambda end=end: time.monotonic() > end)
        client.close()
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=40)
        assert process.returncode == 0 and "Traceback" not in output
    rclpy.try_shutdown()
    return messages


def _stands(messages, goal):
    states = [message for topic, message, _ in messages[-20:] if topic == "/joint_states"]
    return bool(states) and np.abs(np.array(states[-1].position) - goal).max() < 2e-3


def _of(messages, wanted):
    return [message for topic, message, _ in messages if topic == wanted]


def test_wrenches_name_their_frame_and_are_the_weight_at_rest(folder, heard):
    wrench, transform = _of(heard, "/ft/wrench")[-20:], _of(heard, "/tf")[-1].transforms[0]
    assert {one.header.frame_id for one in wrench} == {"tool"}
    assert (transform.header.frame_id, transform.child_frame_id) == ("base_link", "tool")
    down = transform_matrix(transform.transform)[:3, :3].T @ [0, 0, -9.81]
    forces = np.array([[w.wrench.force.x, w.wrench.force.y, w.wrench.force.z] for w in wrench])
    weight = DENSITY * np.prod(SIDES) * down
    np.testing.assert_allclose(forces.mean(axis=0), weight + BIAS[:3], atol=0.08)
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["wrench"]["link"] == "tool" and truth["wrench"]["bias"] == BIAS


def test_joint_states_have_the_efforts_of_arm_and_object(folder, heard):
    states = _of(heard, "/joint_states")[-40:]
    pose = np.eye(4)
    pose[:3, 3] = PLACE
    held = homogeneous_object(folder / "box.stl", DENSITY, "tool", pose)
    dynamics = DrivenDynamics(SimulatedRobot(folder / "arm.urdf"), held)
    expected, _ = dynamics.forces(np.array(states[-1].position, float), *np.zeros((2, 4)))
    noise = np.array(json.loads((folder / "truth.json").read_text())["efforts"]["noise"])
    found = np.mean([state.effort for state in states], axis=0)
    assert (np.abs(found - expected) < 4 * noise / np.sqrt(len(states)) + 1e-3).all()


def test_a_bag_of_the_cell_shows_the_payload(folder, heard, tmp_path):
    """`autourdf payload MESH BAG`: mass, centre of mass and bias."""
    kinds = {"/ft/wrench": "geometry_msgs/msg/WrenchStamped", "/tf": "tf2_msgs/msg/TFMessage"}
    with Writer(tmp_path / "bag", version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        open_ones = {
            topic: writer.add_connection(topic, kind, typestore=typestore())
            for topic, kind in kinds.items()
        }
        for topic, message, received in heard:
            if topic in open_ones:
                writer.write(open_ones[topic], received, serialize_message(message))
    arguments = [str(folder / "box.stl"), str(tmp_path / "bag"), "-o", str(tmp_path / "out")]
    code = main(["payload", *arguments, "--pose", *map(str, PLACE), "0", "0", "0"])
    found = json.loads((tmp_path / "out" / "payload.json").read_text())
    assert code == 0
    truth = np.array(json.loads((folder / "truth.json").read_text())["held_object"]["parameters"])
    mass, centre, _ = mass_centre_inertia(truth)
    assert found["set_payload"]["mass"] == pytest.approx(mass, rel=0.02)
    np.testing.assert_allclose(found["set_payload"]["center_of_gravity"], centre, atol=2e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"wrench.force_noise": -1.0}, "wrench.force_noise is -1"),
        ({"wrench.bias": [1.0, 2.0]}, "wrench.bias is"),
        ({"object.mesh": "box.stl"}, "object.link is empty"),
        ({"object.mesh": "/no/box.stl", "object.link": "tool"}, "mesh /no/box.stl: is no file"),
        ({"object.inertial": [1.0] * 9, "object.link": "tool"}, "accepted is 10 numbers"),
        ({"efforts.coulomb": "much"}, "efforts.coulomb is 'much'"),
    ],
)
def test_unusable_parameters_of_sensors_are_named(given, message):
    context = Context()
    rclpy.init(context=context)
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    node = Node("sim_cell", context=context, parameter_overrides=overrides)
    try:
        with pytest.raises(InputError, match=message):
            declare_parameters(node)
    finally:
        node.destroy_node()
        context.try_shutdown()
