"""The publisher node as a process, seen over DDS."""

import math
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import rclpy
import urchin
import yaml
from live import LATCHED, node_process, observer
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from synthetic_robot import MOTORS, arm_model, arm_reconstruction, arm_recording
from tf2_msgs.msg import TFMessage

from autourdf_ros.errors import InputError
from autourdf_ros.model.forward_kinematics import configuration, link_poses
from autourdf_ros.ros.common.conversions import transform_matrix
from autourdf_ros.ros.publisher import publisher_node
from autourdf_ros.workflows.reconstruct import write_reconstruction

MODEL = arm_model(count=30)
LINKS = [f"link_{i}" for i in range(5)]


def written(folder, name="arm", **options):
    reconstruction = arm_reconstruction(count=30, **options)
    return write_reconstruction(
        reconstruction, folder, name=name, recording=arm_recording(reconstruction)
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results with a space")
    return {
        "arm": written(folder / "arm"),
        "plain": written(folder / "plain", "plain", readings=False),
        "failed": written(folder / "failed", "failed", verdict="failed"),
    }


def poses(watching, prefix=""):
    """Pose of every link in base_link, chained from the transforms heard; None where missing."""
    heard = watching.static | watching.transforms
    found = []
    for name in LINKS:
        pose, frame = np.eye(4), prefix + name
        while frame != f"{prefix}base_link":
            if frame not in heard:
                return None
            pose = transform_matrix(heard[frame].transform) @ pose
            frame = heard[frame].header.frame_id
        found.append(pose)
    return np.array(found)


def stands(watching, values, prefix=""):
    expected = link_poses(MODEL.tree, configuration(MODEL.tree, values))

    def check():
        found = poses(watching, prefix)
        return found is not None and np.allclose(found, expected, atol=1e-6)

    return check


def values(status):
    return {item.key: item.value for item in status.values}


def test_publisher_follows_results_and_joint_states(results, tmp_path):
    with node_process("publisher_node") as process, observer() as watching:
        watching.status("publisher", "no model yet")
        assert watching.node.count_subscribers("/joint_states") == 0  # each state takes its time
        completed = watching.node.create_publisher(String, "/reconstruction/completed", LATCHED)

        completed.publish(String(data=str(results["arm"])))
        watching.until(lambda: watching.descriptions)
        heard = tmp_path / "heard.urdf"
        heard.write_text(watching.descriptions[-1])
        robot = urchin.URDF.load(str(heard), lazy_load_meshes=True)
        assert robot.name == "arm"
        mesh = robot.link_map["link_1"].visuals[0].geometry.mesh.filename
        assert mesh.startswith("file:///") and "%20" in mesh

        # Before any joint state the whole robot stands at reference, and says so.
        watching.until(stands(watching, {}))
        assert not watching.static  # it would outlive the model in every listener
        named = values(watching.status("publisher", "without a joint state"))
        assert named["joints at reference, without a joint state"] == ", ".join(sorted(MOTORS))

        message = JointState(
            name=["shoulder-pan", "slide", "spin", "gripper"], position=[0.8, 0.05, math.nan, 0.1]
        )
        message.header.stamp.sec = 7

        def moved():
            watching.joint_states.publish(message)
            return stands(watching, {"shoulder-pan": 0.8, "slide": 0.05})()

        watching.until(moved)
        assert watching.transforms["link_1"].header.stamp.sec == 7
        named = values(watching.status("publisher", "not finite"))
        assert named["joints at reference, without a joint state"] == "arm/lift, spin"
        assert named["joint states that the model does not know"] == "gripper"
        assert named["joint states that are not finite"] == "spin"
        watching.status("publisher", "joint states are silent")

        before = len(watching.descriptions)
        completed.publish(String(data=str(results["failed"])))
        watching.status("publisher", "its verdict is failed")
        completed.publish(String(data=str(results["arm"].parent)))
        watching.status("publisher", "is no result folder")
        assert len(watching.descriptions) == before and process.poll() is None

        completed.publish(String(data=str(results["plain"])))
        watching.until(lambda: len(watching.descriptions) > before)
        assert 'name="plain"' in watching.descriptions[-1]
        assert (
            "joint_1"
            in values(watching.status("publisher", "at reference"))[
                "joints at reference, without a joint state"
            ]
        )


def test_a_model_is_first_seen_where_joint_states_say(results):
    with node_process("publisher_node"), observer() as watching:
        heard = []
        watching.node.create_subscription(TFMessage, "/tf", heard.append, 100)
        completed = watching.node.create_publisher(String, "/reconstruction/completed", LATCHED)
        message = JointState(name=["shoulder-pan", "slide"], position=[0.8, 0.05])
        watching.node.create_timer(0.05, lambda: watching.joint_states.publish(message))
        watching.status("publisher", "no model yet")
        completed.publish(String(data=str(results["arm"])))
        watching.until(stands(watching, {"shoulder-pan": 0.8, "slide": 0.05}))
        watching.until(lambda: heard)
        found = {item.child_frame_id: item for item in heard[0].transforms}
        assert found.keys() == watching.transforms.keys()
        for name, item in found.items():
            assert item.transform == watching.transforms[name].transform


def test_it_runs_beside_the_robots_own_description(results, tmp_path):
    text = Path("config/publisher.yaml").read_text()
    file = tmp_path / "publisher.yaml"
    file.write_text(text.replace('frame_prefix: ""', "frame_prefix: self/"))
    arguments = ("--ros-args", "-r", "__ns:=/self", "--params-file", str(file))
    parameters = {
        "result": results["failed"],
        "publish_failed": True,
        "parent_frame": "world",
        "mesh_prefix": "package://my_arm/",
    }
    with (
        node_process("publisher_node", *arguments, parameters=parameters),
        observer(description="/self/robot_description") as watching,
    ):
        watching.until(lambda: watching.descriptions)
        assert 'filename="package://my_arm/meshes/visual/' in watching.descriptions[-1]
        watching.until(stands(watching, {}, "self/"))
        watching.until(lambda: "self/base_link" in watching.static)
        assert watching.static["self/base_link"].header.frame_id == "world"
        assert set(watching.static) == {"self/base_link"}
        frames = watching.static | watching.transforms
        assert [frame for frame in frames if not frame.startswith("self/")] == []
        assert watching.node.count_publishers("/robot_description") == 0


def test_a_first_result_that_cannot_be_used_ends_it_with_one_line(capfd, monkeypatch):
    monkeypatch.setattr("sys.argv", ["node", "--ros-args", "-p", "result:=/nowhere/at/all"])
    assert publisher_node.main() == 2
    written = capfd.readouterr().err
    assert written.startswith("publisher: /nowhere/at/all: is no result folder")
    assert written.count("\n") == 1


@contextmanager
def node(**values):
    rclpy.init()
    try:
        given = [Parameter(name, value=value) for name, value in values.items()]
        made = publisher_node.PublisherNode(parameter_overrides=given)
        yield made
        made.destroy_node()
    finally:
        rclpy.try_shutdown()


def test_a_parameter_that_cannot_be_used_is_named():
    with (
        pytest.raises(InputError, match="parameter publish_frequency is 'fast'; accepted is a num"),
        node(publish_frequency="fast"),
    ):
        pass


def test_every_parameter_stands_in_the_yaml():
    (content,) = yaml.safe_load(Path("config/publisher.yaml").read_text()).values()
    with node() as made:
        declared = {
            name: made.get_parameter(name).value
            for name in made._parameters
            if name not in ("use_sim_time", "start_type_description_service")
        }
        assert declared == content["ros__parameters"]
        assert all(made.describe_parameter(name).description for name in declared)
