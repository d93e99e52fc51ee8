"""The slider node as a process, seen over DDS."""

from pathlib import Path

import pytest
import yaml
from live import LATCHED, call, node_process, observer
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.parameter import Parameter
from sample_results import write_small_arm
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from autourdf_ros.ros.common.conversions import transform_matrix
from autourdf_ros.ros.slider import slider_node

URDF = """<robot name="r"><link name="a"/>
<joint name="turn" type="revolute"><limit lower="0.2" upper="2.5" effort="1" velocity="1"/></joint>
<joint name="follower" type="revolute"><mimic joint="turn"/><limit lower="0" upper="1"/></joint>
<joint name="slide" type="prismatic"><limit lower="0" upper="0.1"/></joint>
</robot>"""

TOPIC = {"joint_states_topic": "/inspected"}


class Inspection:
    """Publishes descriptions and hears the sliders' joint states."""

    def __init__(self, watching):
        self.watching, self.heard = watching, []
        self.described = watching.node.create_publisher(String, "/robot_description", LATCHED)
        watching.node.create_subscription(JointState, "/inspected", self._hear, 10)

    def _hear(self, message):
        self.heard.append(dict(zip(message.name, message.position, strict=True)))

    def shows(self, **values):
        self.heard.clear()
        self.watching.until(lambda: self.heard and self.heard[-1] == pytest.approx(values))

    def call(self, kind, name, request):
        client = self.watching.node.create_client(kind, f"/sliders/{name}")
        return call(client, request, self.watching.until)

    def set(self, name, value):
        request = SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()]
        )
        (result,) = self.call(SetParameters, "set_parameters", request).results
        return result.successful


def test_every_joint_is_a_parameter(tmp_path):
    file = tmp_path / "start.yaml"
    start = {"joints": {"slide": 0.03, "turn": 9.0}}
    file.write_text(yaml.safe_dump({"/**": {"ros__parameters": start}}))
    arguments = ("--ros-args", "--params-file", str(file))
    with (
        node_process("slider_node", *arguments, parameters=TOPIC),
        observer() as watching,
    ):
        inspection = Inspection(watching)
        watching.status("sliders", "no robot_description with joints yet")
        inspection.described.publish(String(data=URDF))
        watching.status("sliders", "parameter joints.turn: Invalid parameter value (9.0)")
        inspection.shows(turn=0.2, slide=0.03)

        request = DescribeParameters.Request(names=["joints.turn"])
        (descriptor,) = inspection.call(
            DescribeParameters, "describe_parameters", request
        ).descriptors
        (interval,) = descriptor.floating_point_range
        assert (interval.from_value, interval.to_value) == (0.2, 2.5)
        assert "turn" in descriptor.description
        assert inspection.set("joints.turn", 1.5)
        inspection.shows(turn=1.5, slide=0.03)
        assert not inspection.set("joints.turn", 3.0)

        # A new model keeps the values of the joints that stay, as far as it lets them.
        changed = URDF.replace('name="slide"', 'name="rail"').replace('upper="2.5"', 'upper="1"')
        inspection.described.publish(String(data=changed))
        inspection.shows(turn=1.0, rail=0.0)
        inspection.described.publish(String(data="no URDF"))
        watching.status("sliders", "is no XML")
        inspection.shows(turn=1.0, rail=0.0)


def test_a_sweep_moves_one_joint_after_the_other_through_its_range():
    parameters = TOPIC | {"sweep": True, "sweep_time": 1.0}
    with node_process("slider_node", parameters=parameters), observer() as watching:
        inspection = Inspection(watching)
        inspection.described.publish(String(data=URDF))

        def swept():
            return len(inspection.heard) > 75

        watching.until(swept)
        watching.status("sliders", "sweeping")
        turns = [values["turn"] for values in inspection.heard]
        slides = [values["slide"] for values in inspection.heard]
        assert max(turns) > 2.2 and min(turns) >= 0.2 and max(slides) > 0.08
        # One at a time: the other one stands where its parameter is.
        both = zip(turns, slides, strict=True)
        assert all(turn == pytest.approx(0.2) or slide == 0.0 for turn, slide in both)


def test_it_never_mixes_with_another_source():
    with node_process("slider_node", parameters=TOPIC) as process, observer() as watching:
        inspection = Inspection(watching)
        inspection.described.publish(String(data=URDF))
        inspection.shows(turn=0.2, slide=0.0)
        other = watching.node.create_publisher(JointState, "/inspected", 10)
        watching.status("sliders", "others publish on /inspected: silent")
        inspection.heard.clear()
        # It does not come back by itself when the other one is gone.
        watching.node.destroy_publisher(other)
        watching.until(lambda: watching.node.count_publishers("/inspected") == 1)
        for _ in range(2):
            watching.status("sliders", "others publish on /inspected: silent")
        assert not inspection.heard and process.poll() is None


def test_it_does_not_begin_where_others_publish():
    with observer() as watching:
        inspection = Inspection(watching)
        watching.node.create_publisher(JointState, "/inspected", 10)
        inspection.described.publish(String(data=URDF))
        with node_process("slider_node", parameters=TOPIC):
            watching.status("sliders", "others publish on /inspected: silent")
            watching.status("sliders", "others publish on /inspected: silent")
            assert not inspection.heard


def test_every_parameter_stands_in_the_yaml():
    (content,) = yaml.safe_load(Path("config/slider.yaml").read_text()).values()
    with observer():
        node = slider_node.SliderNode()
        declared = {
            name: node.get_parameter(name).value
            for name in node._parameters
            if name not in ("use_sim_time", "start_type_description_service")
        }
        assert declared == content["ros__parameters"]
        assert all(node.describe_parameter(name).description for name in declared)
        node.destroy_node()


def test_sliders_move_the_published_model(tmp_path):
    result = write_small_arm(tmp_path / "arm")
    parameters = TOPIC | {"result": result}
    with (
        node_process("publisher_node", parameters=parameters),
        node_process("slider_node", parameters=TOPIC),
        observer() as watching,
    ):
        inspection = Inspection(watching)

        def turned(angle):
            """Whether joint arm_lift, whose motor is called arm/lift, stands at an angle."""
            if "link_2" not in watching.transforms:
                return False
            rotation = transform_matrix(watching.transforms["link_2"].transform)[:3, :3]
            found = Rotation.from_matrix(rotation).magnitude()
            return found == pytest.approx(angle, abs=1e-6)

        # Not at its reference, -0.4, any more.
        watching.until(lambda: turned(0.0))
        assert inspection.set("joints.arm_lift", 0.6)
        watching.until(lambda: turned(0.6))
        values = {v.key: v.value for v in watching.status("publisher", "").values}
        assert values["joints at reference, without a joint state"] == ""
        assert values["joint states that the model does not know"] == ""
