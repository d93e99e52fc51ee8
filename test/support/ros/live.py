"""Nodes as processes of their own, and a test node that talks with them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
STATIC = QoSProfile(depth=50, durability=DurabilityPolicy.TRANSIENT_LOCAL)

RESEND = 1.0  # s; a robot that a test moves slowly is still on its first way then


def call(client, request, until, sent=None):
    """Call a service, again when no answer comes; its answer.

    A server drops the answer to a client whose reader it discovers later than 0.1 s after the
    request. until: waits for a condition. sent: takes the futures of all requests.
    """
    futures, due = [] if sent is None else sent, 0.0

    def answered():
        nonlocal due
        if time.monotonic() > due and client.service_is_ready():
            futures.append(client.call_async(request))
            due = time.monotonic() + RESEND
        return any(future.done() for future in futures)

    until(answered)
    return next(future.result() for future in futures if future.done())


def trigger(client, until, repeated):
    """`call` a Trigger service.

    repeated: begins the message that refuses a call which has been obeyed before.
    """
    futures = []
    response = call(client, Trigger.Request(), until, futures)
    if len(futures) > 1 and response.message.startswith(repeated):
        response.success = True
    return response


@contextmanager
def node_process(module, *arguments, parameters=None, **environment):
    """Run a node module, such as sim_cell_node; kill it at the end."""
    folder = module.removesuffix("_node")
    command = [sys.executable, "-m", f"autourdf_ros.ros.{folder}.{module}", *arguments]
    if "--ros-args" not in arguments:
        command.append("--ros-args")
    for name, value in (parameters or {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        command += ["-p", f"{name}:={text}"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            process.send_signal(number)
            try:
                process.wait(10)
                break
            except subprocess.TimeoutExpired:
                continue


class Observer:
    """Hears descriptions, TF, diagnostics and completions, and publishes what a test wants."""

    def __init__(self, name, description="/robot_description"):
        self.node = rclpy.create_node(name)
        self.descriptions, self.diagnostics, self.completed = [], [], []
        self.transforms, self.static = {}, {}
        node = self.node
        node.create_subscription(String, description, self._hear(self.descriptions), LATCHED)
        node.create_subscription(
            String, "/reconstruction/completed", self._hear(self.completed), LATCHED
        )
        node.create_subscription(TFMessage, "/tf", self._keep(self.transforms), 100)
        node.create_subscription(TFMessage, "/tf_static", self._keep(self.static), STATIC)
        node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda m: self.diagnostics.extend(m.status), 50
        )
        self.joint_states = node.create_publisher(JointState, "/joint_states", 10)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(node)

    @staticmethod
    def _hear(store):
        return lambda message: store.append(message.data)

    @staticmethod
    def _keep(store):
        def keep(message):
            for transform in message.transforms:
                store[transform.child_frame_id] = transform

        return keep

    def until(self, condition, timeout=45.0):
        """Spin until the condition holds; its value. Fails when it never does."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            self.executor.spin_once(timeout_sec=0.02)
        raise AssertionError(f"never came true in {timeout} s: {condition}")

    def status(self, name, text, timeout=45.0):
        """The next diagnostic status of that name whose message holds the text."""
        self.diagnostics.clear()
        return self.until(
            lambda: next(
                (s for s in self.diagnostics if s.name == name and text in s.message), None
            ),
            timeout,
        )

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()


@contextmanager
def observer(name="observer", **options):
    """An observer, with rclpy up around it."""
    rclpy.init()
    watching = Observer(name, **options)
    try:
        yield watching
    finally:
        watching.close()
        rclpy.try_shutdown()
