"""A model that replaces another: in tf2 buffers, on latched topics and by ~/load."""

import time
from dataclasses import replace

import pytest
import rclpy
from live import LATCHED, call, node_process, observer, trigger
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.time import Time
from sample_results import write_small_arm
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from synthetic_robot import MOTORS, arm_reconstruction, arm_recording
from tf2_ros import Buffer, ExtrapolationException, LookupException, TransformListener
from visualization_msgs.msg import Marker, MarkerArray

from autourdf_ros.model.result_files import SRDF
from autourdf_ros.ros.publisher.publisher_node import PublisherNode
from autourdf_ros.workflows.reconstruct import write_reconstruction

OLD = [f"link_{i}" for i in range(5)]
NEW = [f"part_{i}" for i in range(5)]


def renamed(made):
    """The same arm with other names for its links."""
    names = dict(zip(OLD, NEW, strict=True))
    model = made.model
    links = tuple(replace(link, name=names[link.name]) for link in model.links)
    joints = tuple(
        replace(joint, parent=names[joint.parent], child=names[joint.child])
        for joint in model.joints
    )
    return replace(made, model=model.with_parts(links, joints), loops=(), patches=())


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Results old, new (without an SRDF) and failed, and one beside their root."""
    root = tmp_path_factory.mktemp("cell") / "results"
    old, failed = arm_reconstruction(count=30), arm_reconstruction(count=30, verdict="failed")
    for name in ("old", "../out"):
        write_small_arm(root / name)
    for name, made in (("new", renamed(old)), ("failed", failed)):
        write_reconstruction(made, root / name, name="arm", recording=arm_recording(made))
    (root / "old" / SRDF).write_text('<robot name="arm"/>')
    (root / "new" / SRDF).unlink()
    return root


class Listener:
    """A tf2 buffer, filled while joint states of all motors are sent."""

    def __init__(self, watching):
        self.watching, self.buffer = watching, Buffer()
        self._listener = TransformListener(self.buffer, watching.node)
        self._due = 0.0

    def send(self):
        now = time.monotonic()
        if now > self._due:
            self._due = now + 0.05
            stamp = self.watching.node.get_clock().now()
            message = JointState(name=list(MOTORS), position=[0.1] * len(MOTORS))
            message.header.stamp = stamp.to_msg()
            self.watching.joint_states.publish(message)

    def lookup(self, link, stamp):
        return self.buffer.lookup_transform("base_link", link, stamp)

    def knows(self, links, since):
        """Whether all links can be looked up at one time after `since`."""

        def check():
            self.send()
            try:
                stamps = [self.lookup(link, Time()).header.stamp for link in links]
                newest = min(map(Time.from_msg, stamps), key=lambda stamp: stamp.nanoseconds)
                for link in links:
                    self.lookup(link, newest)
            except (LookupException, ExtrapolationException):
                return None
            return newest if newest > since else None

        return check


def test_links_that_are_gone_leave_the_tree(root):
    with (
        node_process("publisher_node", parameters={"result": root / "old"}),
        observer() as watching,
    ):
        listener = Listener(watching)
        before = watching.until(listener.knows(OLD, watching.node.get_clock().now()))
        completed = watching.node.create_publisher(String, "/reconstruction/completed", LATCHED)
        completed.publish(String(data=str(root / "new")))
        watching.until(listener.knows(NEW, before))
        # Half a second later nothing of the old model can be looked up for that moment.
        updated = watching.node.get_clock().now()
        later = watching.until(listener.knows(NEW, updated))
        for link in OLD:
            with pytest.raises(ExtrapolationException):
                listener.lookup(link, later)
        for link in NEW:
            listener.lookup(link, later)
    with observer() as late:
        # And nothing stays latched for those who come later.
        assert not late.static


def test_latched_topics_follow_the_model(root):
    with (
        node_process("publisher_node", parameters={"result": root / "old"}),
        observer() as watching,
    ):
        drawn, semantic = [], []
        node = watching.node
        node.create_subscription(MarkerArray, "/publisher/markers", drawn.append, LATCHED)
        node.create_subscription(String, "/robot_description_semantic", semantic.append, LATCHED)
        watching.until(lambda: drawn and semantic and watching.descriptions)
        assert semantic[0].data == '<robot name="arm"/>'

        first, *others = drawn[0].markers
        assert first.action == Marker.DELETEALL
        by_kind = {}
        for marker in others:
            assert marker.action == Marker.ADD and marker.frame_locked
            by_kind.setdefault(marker.ns, []).append(marker)
        assert {kind: len(found) for kind, found in by_kind.items()} == {
            "axes": 4,
            "directions": 4,
            "positions": 3,  # a prismatic joint has none
            "names": 4,
            "parts": 5,
        }
        assert [marker.header.frame_id for marker in by_kind["axes"]] == OLD[1:]
        assert by_kind["names"][1].text.startswith("arm_lift\n0.22°, 0.14 mm")
        assert all(m.mesh_resource.startswith("file:///") for m in by_kind["parts"])
        assert len({(marker.ns, marker.id) for marker in others}) == len(others)

        completed = node.create_publisher(String, "/reconstruction/completed", LATCHED)
        completed.publish(String(data=str(root / "new")))
        watching.until(lambda: len(drawn) > 1)
        assert drawn[1].markers[0].action == Marker.DELETEALL
        frames = {marker.header.frame_id for marker in drawn[1].markers[1:]}
        assert frames == set(NEW)
        # A model without an SRDF leaves none behind for late joiners.
        watching.until(lambda: node.count_publishers("/robot_description_semantic") == 0)
        late = []
        node.create_subscription(String, "/robot_description_semantic", late.append, LATCHED)
        watching.status("publisher", "")
        assert len(semantic) == 1 and not late


def set_result(watching, value):
    """Set parameter `result` of the node, again when no answer comes; why it was refused, or ''."""
    client = watching.node.create_client(SetParameters, "/publisher/set_parameters")
    request = SetParameters.Request(
        parameters=[Parameter("result", value=value).to_parameter_msg()]
    )
    (result,) = call(client, request, watching.until).results
    assert result.successful == (result.reason == "")
    return result.reason


def test_load_takes_any_result_below_the_root(root, tmp_path):
    (root / "link").symlink_to(root.parent / "out")
    with (
        node_process("publisher_node", parameters={"results_root": root}) as process,
        observer() as watching,
    ):
        client = watching.node.create_client(Trigger, "/publisher/load")

        def load():
            return trigger(client, watching.until, "never")

        assert load().message == "parameter result is ''; accepted is a result folder"
        assert set_result(watching, "old") == ""
        answer = load()
        assert answer.success and answer.message == f"publishing {root / 'old'}"
        watching.until(lambda: watching.descriptions)
        for outside in (str(root.parent / "out"), "../out", "link"):
            reason = set_result(watching, outside)
            assert outside in reason and f"accepted are result folders below {root}" in reason
        assert "result is 5" in set_result(watching, 5)

        # What is refused leaves the loaded one alone.
        assert set_result(watching, "failed") == ""
        answer = load()
        assert not answer.success and "its verdict is failed" in answer.message
        assert set_result(watching, "nowhere") == ""
        answer = load()
        assert not answer.success and "is no result folder" in answer.message
        status = watching.status("publisher", "at reference")
        assert {v.key: v.value for v in status.values}["result"] == str(root / "old")

        # Neither does a topic lead out of the root.
        completed = watching.node.create_publisher(String, "/reconstruction/completed", LATCHED)
        completed.publish(String(data=str(root.parent / "out")))
        watching.status("publisher", "accepted are result folders below")
        assert set_result(watching, str(root / "new")) == ""
        assert load().success
        status = watching.status("publisher", "at reference")
        assert {v.key: v.value for v in status.values}["result"] == str(root / "new")
        assert process.poll() is None


def test_without_a_root_nothing_is_loaded_from_outside(root):
    rclpy.init()
    node = PublisherNode(parameter_overrides=[Parameter("result", value=str(root / "old"))])
    try:
        (result,) = node.set_parameters([Parameter("result", value=str(root / "new"))])
        assert not result.successful and "results_root is empty" in result.reason
        answer = node._on_load(Trigger.Request(), Trigger.Response())
        assert not answer.success and "results_root is empty" in answer.message
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def test_tf_left_to_others_is_not_sent_at_all(root):
    parameters = {"result": root / "old", "publish_tf": False, "parent_frame": "world"}
    with node_process("publisher_node", parameters=parameters), observer() as watching:
        watching.until(lambda: watching.descriptions)
        state = JointState(name=list(MOTORS), position=[0.1] * len(MOTORS))
        for _ in range(3):
            watching.joint_states.publish(state)
            watching.status("publisher", "")
        assert not watching.transforms and not watching.static
        assert watching.node.count_publishers("/tf") == 0
        assert watching.node.count_publishers("/tf_static") == 0
