"""The identification node as a process, an arm as another, and a client of its action here."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yaml
from action_msgs.msg import GoalStatus
from autourdf_msgs.action import Identify
from geometry_msgs.msg import InertiaStamped, Point, Pose, Quaternion, TransformStamped
from live import LATCHED, node_process, observer, trigger
from lxml import etree
from rclpy.action import ActionClient
from sample_results import write_small_arm
from scipy.spatial.transform import Rotation
from std_srvs.srv import Trigger
from tf2_ros import StaticTransformBroadcaster
from trajectory_msgs.msg import JointTrajectory
from weighed_tools import POSE, true_parameters
from weighing_arm import JOINTS, URDF

from autourdf_ros.data.efforts.effort_reading import read_efforts
from autourdf_ros.data.wrenches.wrench_table import read_wrench_table
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia

pytestmark = pytest.mark.timeout(400)
SUPPORT = Path(__file__).parents[2] / "support"
LIMITS = {"lower": -2.5, "upper": 2.5, "velocity": 2.0, "acceleration": 8.0}
PARAMETERS = {
    "allow_motion": True,
    "joints": list(JOINTS),
    **dict.fromkeys(JOINTS, LIMITS),
    "wrench_topic": "/wrench",
    "speed": 0.7,
    "poses": 5,
    "dwell": 0.4,
    "motion_reach": 1.5,
    "joint_state_timeout": 3.0,
    "wrench_timeout": 3.0,
    "still_timeout": 30.0,
}
# So that it is on its way for long enough to fail; all these tests share one node.
SLOW = {"speed": 0.1, "stop_force": 100.0, "wrench_timeout": 0.6, "joint_state_timeout": 0.6}


class Arm:
    """The arm, a process that serves all tests of this file."""

    def __init__(self):
        self.heard = []
        self.process = subprocess.Popen(
            [sys.executable, str(SUPPORT / "ros" / "weighing_arm.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(),
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _listen(self):
        for line in self.process.stdout:
            self.heard.append(line.strip())

    def end(self):
        self.process.terminate()
        self.process.wait(30)


class Client:
    """Asks the node for one goal at a time."""

    def __init__(self, watching):
        self.watching, self.feedback, self.payloads = watching, [], []
        node = watching.node
        self.client = ActionClient(node, Identify, "/identification/identify")
        self.stop = node.create_client(Trigger, "/identification/stop")
        node.create_subscription(
            InertiaStamped, "/identification/payload", self.payloads.append, LATCHED
        )

    def send(self, **fields):
        self.feedback.clear()
        self.watching.until(self.client.server_is_ready, 150.0)
        future = self.client.send_goal_async(
            Identify.Goal(**fields), feedback_callback=lambda m: self.feedback.append(m.feedback)
        )
        self.watching.until(future.done)
        return future.result()

    def result(self, handle, timeout=120.0):
        future = handle.get_result_async()
        self.watching.until(future.done, timeout)
        return future.result().status, future.result().result

    def until_stage(self, stage):
        self.watching.until(lambda: any(one.stage == stage for one in self.feedback), 150.0)

    def begin(self, arm, shape):
        """Send a goal, and wait until the arm moves."""
        handle = self.send(**goal(shape))
        ended = handle.get_result_async()
        self.watching.until(lambda: "command" in arm.heard or ended.done(), 150.0)
        assert not ended.done(), ended.result().result.message
        return handle


def environment():
    paths = [str(Path(__file__).parents[3]), str(SUPPORT), str(SUPPORT / "ros")]
    paths += filter(None, [os.environ.get("PYTHONPATH")])
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture(scope="module")
def arm_process():
    arm = Arm()
    yield arm
    arm.end()


@pytest.fixture
def arm(arm_process):
    arm_process.do("reset")
    arm_process.heard.clear()
    return arm_process


@pytest.fixture(scope="module")
def watching():
    with observer() as found:
        yield found


@pytest.fixture(scope="module")
def slow_node(arm_process, watching, tmp_path_factory):
    """A client of a node that moves the arm slowly; tests with a node of their own come before."""
    with node(tmp_path_factory.mktemp("slow"), **SLOW):
        yield Client(watching)


@pytest.fixture
def mallet(tmp_path):
    """The mesh of the held object."""
    handle = trimesh.creation.box((0.18, 0.024, 0.024))
    handle.apply_translation((-0.03, 0, 0))
    head = trimesh.creation.box((0.048, 0.096, 0.048))
    head.apply_translation((0.084, 0, 0))
    path = tmp_path / "mallet.ply"
    trimesh.boolean.union([handle, head], engine="manifold").export(path)
    return path


def written(folder, **changes):
    """Parameters in a file, with a model beside it."""
    (folder / "arm.urdf").write_text(URDF)
    parameters = PARAMETERS | {"model": str(folder / "arm.urdf"), "payloads": str(folder / "done")}
    file = folder / "parameters.yaml"
    text = json.dumps({"identification": {"ros__parameters": parameters | changes}})
    file.write_text(text)
    return file


def node(folder, **changes):
    return node_process(
        "identification_node", "--ros-args", "--params-file", str(written(folder, **changes))
    )


def goal(shape):
    x, y, z, w = Rotation.from_matrix(POSE[:3, :3]).as_quat()
    place = dict(zip("xyz", POSE[:3, 3].tolist(), strict=True))
    pose = Pose(position=Point(**place), orientation=Quaternion(x=x, y=y, z=z, w=w))
    return {"shape": str(shape), "pose": pose}


def test_what_the_arm_holds_is_weighed_and_written(arm, watching, mallet, tmp_path):
    model, client = write_small_arm(tmp_path / "out"), Client(watching)
    mount = TransformStamped(child_frame_id="self_model/link_2")
    mount.header.frame_id, mount.transform.translation.x = "ft_sensor", 0.03
    broadcaster = StaticTransformBroadcaster(watching.node)
    broadcaster.sendTransform(mount)
    attach = {"result_folder": str(model), "link": "link_2"}
    with node(tmp_path, speed=0.4):
        status, result = client.result(client.send(**goal(mallet), **attach), 300.0)
    assert status == GoalStatus.STATUS_SUCCEEDED, result.message
    mass, centre, inertia = mass_centre_inertia(true_parameters())
    found = result.center_of_gravity
    assert result.mass == pytest.approx(mass, rel=0.02)
    np.testing.assert_allclose([found.x, found.y, found.z], centre, atol=0.003)
    order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    wanted = [inertia[place] for place in order]
    off = np.abs(np.subtract(result.inertia_matrix, wanted)) / result.inertia_matrix_std
    assert off.max() < 4.0
    assert 0 < result.mass_std < 0.02 * mass and result.frame == "ft_sensor"
    plain = yaml.safe_load((Path(result.folder) / "payload.yaml").read_text())
    assert plain["set_payload"]["mass"] == pytest.approx(result.mass)
    stages = list(dict.fromkeys(one.stage for one in client.feedback))
    assert stages[0] == "planning" and {"moving", "recording", "estimating"} <= set(stages)
    assert client.feedback[-1].poses == 5
    shares = [one.progress for one in client.feedback]
    assert shares == sorted(shares)
    watching.until(lambda: client.payloads)
    assert client.payloads[-1].inertia.m == result.mass
    assert len(read_wrench_table(Path(result.records)).times) > 200
    link = etree.parse(model / "robot.urdf").find("link[@name='link_2']/inertial")
    assert float(link.find("mass").get("value")) == pytest.approx(result.mass, rel=1e-6)
    placed = [float(one) for one in link.find("origin").get("xyz").split()]
    np.testing.assert_allclose(placed, [found.x - 0.03, found.y, found.z], atol=1e-6)


def test_efforts_are_recorded_without_a_sensor_and_without_a_shape(arm, watching, tmp_path):
    client = Client(watching)
    arm.do("mute_wrench")
    with node(tmp_path, source="efforts", sensor_link="ft_sensor"):
        status, result = client.result(client.send(method="record"), 300.0)
    assert status == GoalStatus.STATUS_SUCCEEDED, result.message
    found = read_efforts(Path(result.records))
    assert found.joints == JOINTS and len(found.times) > 200
    assert np.ptp(found.positions[:, JOINTS.index("twist")]) > 0.2
    assert np.abs(found.efforts[:, JOINTS.index("lift")]).max() > 10.0
    assert not result.folder and not result.frame


def test_without_allow_motion_a_goal_shows_its_plan_and_fails(arm, watching, mallet, tmp_path):
    client, plans = Client(watching), []
    watching.node.create_subscription(
        JointTrajectory, "/identification/plan", plans.append, LATCHED
    )
    with node(tmp_path, allow_motion=False):
        status, result = client.result(client.send(**goal(mallet)))
        assert status == GoalStatus.STATUS_ABORTED and not result.success
        assert result.message.startswith("allow_motion is false, nothing moves: ~/plan shows 5 ")
        watching.until(lambda: plans)
        status, result = client.result(client.send(**goal(mallet), dry_run=True))
        assert status == GoalStatus.STATUS_SUCCEEDED and result.success, result.message
        assert result.message.startswith("dry_run, nothing moves")
    assert tuple(plans[-1].joint_names) == JOINTS
    assert "command" not in arm.heard and not (tmp_path / "done").exists()


def test_a_controller_that_aborts_stops_the_weighing(arm, watching, mallet, tmp_path):
    client = Client(watching)
    with node(tmp_path, command_interface="follow_joint_trajectory", speed=0.2):
        handle = client.begin(arm, mallet)
        arm.do("abort")
        status, result = client.result(handle)
    assert status == GoalStatus.STATUS_ABORTED
    assert "the controller broke off a motion" in result.message and "0.3 rad off" in result.message


def test_a_cancelled_goal_stops_the_arm_and_keeps_what_was_recorded(arm, slow_node, mallet):
    watching, handle = slow_node.watching, slow_node.begin(arm, mallet)
    watching.until(handle.cancel_goal_async().done)
    status, result = slow_node.result(handle)
    assert status == GoalStatus.STATUS_CANCELED
    assert result.message == "the goal was cancelled"
    watching.until(lambda: arm.heard.count("command") == 2 and arm.heard[-1] == "stands")
    assert not result.folder and len(read_wrench_table(Path(result.records)).times) > 10
    watching.status("identification", "stopped: the goal was cancelled")


def test_a_call_of_stop_stops_the_arm_and_a_second_goal_is_refused_meanwhile(
    arm, slow_node, mallet
):
    watching, handle = slow_node.watching, slow_node.begin(arm, mallet)
    assert not slow_node.send(**goal(mallet)).accepted
    assert trigger(slow_node.stop, watching.until, "nothing to stop").success
    status, result = slow_node.result(handle)
    watching.until(lambda: arm.heard.count("command") == 2)
    assert status == GoalStatus.STATUS_ABORTED and result.message == "~/stop was called"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("mute_wrench", "/wrench is silent: no wrench for"),
        ("mute_transforms", "no transform from 'ft_sensor' to 'base_link' at the wrenches' times"),
        ("mute_joint_states", "/joint_states is stale: no reading of"),
        ("other_frame", "/wrench changes its frame from 'ft_sensor' to 'hand'"),
        ("not_finite", "/wrench has numbers that are not finite"),
        ("hit", "on /wrench is above stop_force, 100 N"),
    ],
)
def test_a_fault_of_a_sensor_stops_the_arm_and_is_named(arm, slow_node, mallet, fault, message):
    handle = slow_node.begin(arm, mallet)
    arm.do(fault)
    status, result = slow_node.result(handle)
    slow_node.watching.until(lambda: arm.heard.count("command") == 2)
    assert status == GoalStatus.STATUS_ABORTED and message in result.message
    assert not result.folder and Path(result.records).is_file()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"method": "guess"}, "goal: method is 'guess'; accepted are field, hps, ols, geo, record"),
        ({"shape": "no.ply"}, "no.ply: does not exist; accepted is a cloud, a mesh"),
        ({}, "goal: shape is empty, and so are parameter shape and link"),
        ({"link": "hand"}, "goal: result_folder and link: accepted are both or neither"),
    ],
)
def test_a_goal_that_cannot_be_met_moves_nothing(arm, slow_node, fields, message):
    status, result = slow_node.result(slow_node.send(**fields))
    assert status == GoalStatus.STATUS_ABORTED and message in result.message
    assert "command" not in arm.heard and not result.records
