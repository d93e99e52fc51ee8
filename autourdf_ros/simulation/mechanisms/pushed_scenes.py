"""Scenes that a robot's finger moves: links on a table, a drawer and a door."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.data.video.primitive_shapes import PrimitiveShape
from autourdf_ros.simulation.mechanisms.finger_drives import HookedFinger, PushingFinger
from autourdf_ros.simulation.mechanisms.mechanism_scene import (
    MechanismJoint,
    MechanismScene,
    SceneView,
)
from autourdf_ros.simulation.mechanisms.mechanism_shapes import (
    AMBER,
    BLUE,
    GREEN,
    RED,
    box,
    finger,
    hollow,
    joined,
    primitive_body,
    rod,
    room,
    solid_body,
)

_Y, _Z = np.eye(3)[1], np.eye(3)[2]
_FINGER = PrimitiveShape("capsule", (0.015, 0.1))
_WALL = 0.02  # thickness of the sides of cabinet and drawer (m)


def three_links() -> MechanismScene:
    """Return three links on a table, the first one free to slide and turn, pushed by a finger."""
    thick = 0.03
    sizes = {"base": (0.22, 0.07), "middle": (0.2, 0.05), "tip": (0.16, 0.04)}
    places = {"base": (-0.18, 0.0), "middle": (0.0, 1.0), "tip": (0.15, 0.0)}
    colors = {"base": BLUE, "middle": AMBER, "tip": RED}
    masses = {"base": 0.5, "middle": 0.3, "tip": 0.2}
    bodies = tuple(
        primitive_body(
            name,
            PrimitiveShape("box", (*sizes[name], thick)),
            (places[name][0], 0, (places[name][1] + 0.5) * thick),
            masses[name],
            colors[name],
        )
        for name in sizes
    )
    pivots = np.array([[-0.085, 0, 0.0], [0.085, 0, 0.0]])
    radius, length = _FINGER.size
    height = radius + length / 2 + 0.003
    pushing = PushingFinger(
        tuple(sizes), np.array(list(sizes.values())) / 2, radius=radius, height=height
    )
    return MechanismScene(
        "three_links",
        (*bodies, finger(_FINGER, (0, 0, height + pushing.lift))),
        (
            MechanismJoint(
                "plane",
                "planar",
                None,
                "base",
                _Z,
                bodies[0].home[:3, 3],
                damping=1.0,
                friction=0.3,
                lever=0.08,
            ),
            MechanismJoint("first", "revolute", "base", "middle", _Z, pivots[0], 0.005, 0.01),
            MechanismJoint("second", "revolute", "middle", "tip", _Z, pivots[1], 0.005, 0.01),
        ),
        (
            ("mass", "base"),
            ("mass", "middle"),
            ("mass", "tip"),
            ("damping", "plane"),
            ("friction", "plane"),
            ("friction", "first"),
            ("friction", "second"),
        ),
        SceneView(np.array([0.15, -0.7, 0.75]), np.array([0.0, 0.0, 0.0]), 46.0),
        pushing,
        room(0.0, half=1.0),
        start_range={
            "plane.x": (-0.05, 0.05),
            "plane.y": (-0.05, 0.05),
            "plane.turn": (-0.4, 0.4),
            "first": (-0.5, 0.5),
            "second": (-0.5, 0.5),
        },
    )


def drawer() -> MechanismScene:
    """Return a cabinet with a drawer that a finger pulls out and pushes in by its handle."""
    width, depth, height = 0.4, 0.32, 0.2
    inner = (width - 2 * _WALL, depth, height - 2 * _WALL)
    cabinet = hollow(box((width, depth, height), (0, 0, 0)), box(inner, (0, -_WALL, 0)))
    outside = np.array([inner[0] - 0.01, depth - 2 * _WALL, inner[2] - 0.01])
    cavity = outside - [2 * _WALL, 2 * _WALL, 0]
    tray = hollow(box(outside, (0, 0, 0)), box(cavity, (0, 0, _WALL)))
    front = -depth / 2  # of the cabinet, in whose frame the drawer's frame is
    knob = np.array([0.0, front - 0.04, 0.0])
    post = rod(0.012, (0, front, 0), knob)
    body = solid_body("drawer", joined(tray, post), (0, 0, 0.3), 1.5, RED)
    home = np.array([0, 0, 0.3])
    hook = HookedFinger("drawer", knob, -_Y, None, home + knob, (0.02, 0.24), offset=_before(0.03))
    return MechanismScene(
        "drawer",
        (
            solid_body("cabinet", cabinet, home.tolist(), 8.0, GREEN),
            body,
            finger(_FINGER, home + knob + _before(0.03)),
        ),
        (
            MechanismJoint("standing", "fixed", None, "cabinet", _Z, np.zeros(3)),
            MechanismJoint("slide", "prismatic", "cabinet", "drawer", -_Y, home, 2.0, 1.5),
        ),
        (("mass", "drawer"), ("damping", "slide"), ("friction", "slide")),
        SceneView(np.array([0.35, -1.0, 0.8]), np.array([0.0, -0.15, 0.28]), 38.0),
        hook,
        room(0.0, 0.5),
        start={"slide": 0.1},
        start_range={"slide": (0.04, 0.15)},
    )


def door() -> MechanismScene:
    """Return a cabinet with a door that a finger opens and closes by its handle."""
    width, depth, height = 0.36, 0.25, 0.44
    inner = (width - 2 * _WALL, depth, height - 2 * _WALL)
    cabinet = hollow(box((width, depth, height), (0, 0, 0)), box(inner, (0, -_WALL, 0)))
    home = np.array([0.0, 0.0, 0.3])
    plate = box((width, _WALL, height), (0, 0, 0))
    middle = home - np.array([0, (depth + _WALL) / 2 + 0.004, 0])
    knob = np.array([width / 2 - 0.04, -0.05, 0.0])
    leaf = joined(plate, rod(0.012, knob * [1, 0, 1], knob))
    hinge = middle - np.array([width / 2, 0, 0])
    hook = HookedFinger("door", knob, -_Z, hinge, middle + knob, (0.1, 1.3), offset=_before(0.03))
    return MechanismScene(
        "door",
        (
            solid_body("cabinet", cabinet, home.tolist(), 8.0, GREEN),
            solid_body("door", leaf, middle.tolist(), 1.2, RED),
            finger(_FINGER, middle + knob + _before(0.03)),
        ),
        (
            MechanismJoint("standing", "fixed", None, "cabinet", _Z, np.zeros(3)),
            MechanismJoint("hinge", "revolute", "cabinet", "door", -_Z, hinge, 0.1, 0.15),
        ),
        (("density", "door"), ("damping", "hinge"), ("friction", "hinge")),
        SceneView(np.array([0.4, -1.15, 0.7]), np.array([-0.03, -0.15, 0.28]), 40.0),
        replace(hook, durations=(0.8, 1.5)),
        room(0.0, 0.5),
        start={"hinge": 0.5},
        start_range={"hinge": (0.2, 0.8)},
    )


def _before(distance: float) -> np.ndarray:
    """Return (3,) towards the camera (m)."""
    return -distance * _Y
