"""Statuses that an aggregator can use."""

from __future__ import annotations

import math
import platform
import re
from pathlib import Path
from types import SimpleNamespace

import yaml
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from autourdf_ros.ros.common.conversions import diagnostic
from autourdf_ros.ros.common.diagnostics import Diagnostics

ROOT = Path(__file__).resolve().parents[3]


class Node:
    """In place of a node: keeps what is published."""

    def __init__(self, namespace: str) -> None:
        self.sent: list = []
        self.get_namespace = lambda: namespace
        now = SimpleNamespace(to_msg=Time)
        self.get_clock = lambda: SimpleNamespace(now=lambda: now)

    def create_publisher(self, *_: object) -> SimpleNamespace:
        return SimpleNamespace(publish=self.sent.append)


def test_a_number_that_is_none_is_unknown_and_the_hardware_is_named() -> None:
    values = {"latency": f"{math.nan:.3f}", "age": math.inf, "left": 3}
    status = diagnostic("capture", DiagnosticStatus.OK, "idle", values)
    assert {pair.key: pair.value for pair in status.values} == {
        "latency": "unknown",
        "age": "unknown",
        "left": "3",
    }
    assert status.hardware_id == platform.node()
    assert diagnostic("a", DiagnosticStatus.OK, "", {}, "my_arm").hardware_id == "my_arm"


def test_a_status_is_named_within_the_namespace_of_its_node() -> None:
    for namespace, name in (("/", "capture"), ("/cell_1", "cell_1/capture")):
        node = Node(namespace)
        Diagnostics(node, "my_arm").publish("capture", DiagnosticStatus.OK, "idle", {})
        (status,) = node.sent[0].status
        assert (status.name, status.hardware_id) == (name, "my_arm")


def test_every_node_that_reports_is_in_a_group_of_the_aggregator() -> None:
    given = yaml.safe_load((ROOT / "config" / "diagnostics.yaml").read_text())
    groups = given["/**"]["ros__parameters"]
    parts = [
        part for group in groups.values() if isinstance(group, dict) for part in group["contains"]
    ]
    for file in (ROOT / "autourdf_ros" / "ros").rglob("*_node.py"):
        text = file.read_text()
        if "Diagnostics(self" in text:
            (name,) = re.findall(r'super\(\).__init__\("(\w+)"', text)
            assert sum(part in name for part in parts) == 1, name
