"""What MoveIt plans with, and what it sees: planners, cameras, and the SRDF of its package.

Keys are those of MoveIt 2.12 and later (Jazzy, Kilted): planning_pipeline, ompl_interface,
pilz_industrial_motion_planner, occupancy_map_monitor and pointcloud_octomap_updater.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from autourdf_ros.export.formats.end_frames import EndFrame
from autourdf_ros.export.formats.semantics import Semantics
from autourdf_ros.export.formats.srdf import WORLD
from autourdf_ros.export.formats.urdf import BASE_LINK

VIRTUAL_JOINT = "virtual_joint"
"""By which a base that stands hangs on the frame `WORLD`."""

RESOLUTION = 0.02
"""Edge (m) of the cells of what the cameras see."""
REACH = 3.0
"""Distance (m) from a camera up to which its points count."""
PADDING = 0.03
"""Distance (m) from a link's shape up to which points are the robot's own: its shape is estimated,
and the poses of cameras are known to about a centimetre."""
SEGMENT = 0.005
"""Share of the extent of the joints' space between two checked states of a motion."""

_REQUESTS = [
    "default_planning_request_adapters/ResolveConstraintFrames",
    "default_planning_request_adapters/ValidateWorkspaceBounds",
    "default_planning_request_adapters/CheckStartStateBounds",
    "default_planning_request_adapters/CheckStartStateCollision",
]
_RESPONSES = [
    "default_planning_response_adapters/ValidateSolution",
    "default_planning_response_adapters/DisplayMotionPath",
]
_PLANNERS = {
    "RRTConnect": {"type": "geometric::RRTConnect", "range": 0.0},
    "RRTstar": {"type": "geometric::RRTstar", "range": 0.0},
    "PRM": {"type": "geometric::PRM", "max_nearest_neighbors": 10},
    "BKPIECE": {"type": "geometric::BKPIECE", "range": 0.0},
}
"""range 0: found from the extent of the joints' space."""


def sensors(cameras: Sequence[str]) -> dict[str, Any]:
    """Return the cameras from which move_group builds its map of obstacles."""
    if not cameras:
        return {"sensors": []}
    updaters = {_identifier(topic): _updater(topic) for topic in cameras}
    return {
        "octomap_frame": BASE_LINK,
        "octomap_resolution": RESOLUTION,
        "sensors": list(updaters),
        **updaters,
    }


def sampling_planner(semantics: Semantics) -> dict[str, Any]:
    """Return OMPL's pipeline, with planners for every group that has a joint of its own."""
    groups = {
        group.name: {
            "default_planner_config": next(iter(_PLANNERS)),
            "planner_configs": list(_PLANNERS),
            "projection_evaluator": f"joints({','.join(_projected(driven))})",
            "longest_valid_segment_fraction": SEGMENT,
        }
        for group in semantics.groups
        if (driven := [joint.name for joint in semantics.of(group)])
    }
    return {
        "planning_plugins": ["ompl_interface/OMPLPlanner"],
        "request_adapters": list(_REQUESTS),
        "response_adapters": [
            "default_planning_response_adapters/AddTimeOptimalParameterization",
            *_RESPONSES,
        ],
        "planner_configs": {name: dict(entry) for name, entry in _PLANNERS.items()},
        **groups,
    }


INDUSTRIAL_PLANNER: Mapping[str, Any] = {
    "planning_plugins": ["pilz_industrial_motion_planner/CommandPlanner"],
    "default_planner_config": "PTP",
    "request_adapters": _REQUESTS,
    "response_adapters": _RESPONSES,
    "capabilities": "pilz_industrial_motion_planner/MoveGroupSequenceAction "
    "pilz_industrial_motion_planner/MoveGroupSequenceService",
}
"""Straight, circular and point-to-point motions, within pilz_cartesian_limits.yaml."""


def planning_srdf(srdf: Path, frames: Sequence[EndFrame], floating: bool) -> etree._Element:
    """Return an SRDF for a package whose URDF has the frames of tools.

    Chains end at their tool frame, and a base that does not float stands in the frame `WORLD`.
    """
    robot = etree.parse(srdf, etree.XMLParser(remove_blank_text=True)).getroot()
    for frame in frames:
        for chain in robot.iterfind(f"group[@name='{frame.group}']/chain"):
            chain.set("tip_link", frame.tool)
    if not floating:
        place = {"parent_frame": WORLD, "child_link": BASE_LINK}
        etree.SubElement(robot, "virtual_joint", name=VIRTUAL_JOINT, type="fixed", **place)
    return robot


def _updater(topic: str) -> dict[str, Any]:
    return {
        "sensor_plugin": "occupancy_map_monitor/PointCloudOctomapUpdater",
        "point_cloud_topic": topic,
        "max_range": REACH,
        "point_subsample": 1,
        "padding_offset": PADDING,
        "padding_scale": 1.0,
        "max_update_rate": 1.0,
        "filtered_cloud_topic": f"{_identifier(topic)}/filtered",
    }


def _identifier(topic: str) -> str:
    """Return a name for a topic that is legal among parameters."""
    return re.sub(r"\W+", "_", topic).strip("_") or "camera"


def _projected(joints: Sequence[str]) -> Sequence[str]:
    """Return the joints in whose space OMPL separates explored states: the first two."""
    return joints[:2]
