"""Scenes that swing: a cart-pole, free and driven, and Rott's pendulum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.data.video.primitive_shapes import PrimitiveShape
from autourdf_ros.geometry.triangle_mesh import from_trimesh, merged
from autourdf_ros.simulation.mechanisms.mechanism_drives import JointDrive
from autourdf_ros.simulation.mechanisms.mechanism_scene import (
    MechanismJoint,
    MechanismScene,
    SceneView,
)
from autourdf_ros.simulation.mechanisms.mechanism_shapes import (
    AMBER,
    BLUE,
    RED,
    box,
    joined,
    primitive_body,
    rod,
    room,
    solid_body,
)

_X, _Y = np.eye(3)[0], np.eye(3)[1]


def cart_pole() -> MechanismScene:
    """Return a cart on a rail with a pole that swings freely; the pole stands up at 0."""
    half, gap = 0.25, -0.1  # half length of the pole; its plane before the cart's middle (m)
    cart = primitive_body("cart", PrimitiveShape("box", (0.24, 0.14, 0.1)), (0, 0, 0), 1.0, BLUE)
    pole = primitive_body(
        "pole", PrimitiveShape("capsule", (0.02, 2 * half)), (0, gap, half), 0.3, RED
    )
    rail = from_trimesh(box((1.8, 0.02, 0.03), (0, 0.1, 0)), np.array([90, 90, 95], np.uint8))
    return MechanismScene(
        "cart_pole",
        (cart, pole),
        (
            MechanismJoint("rail", "prismatic", None, "cart", _X, np.zeros(3), damping=0.4),
            MechanismJoint(
                "hinge", "revolute", "cart", "pole", _Y, np.array([0, gap, 0]), damping=0.004
            ),
        ),
        (
            ("mass", "cart"),
            ("mass", "pole"),
            ("inertia", "pole"),
            ("damping", "rail"),
            ("damping", "hinge"),
        ),
        SceneView(np.array([0.4, -1.4, 0.45]), np.array([0.0, 0.0, 0.0]), 48.0),
        background=merged([room(-0.75, 0.6), rail]),
        start={"hinge": np.radians(70)},
        start_range={"rail": (-0.1, 0.1), "hinge": (np.radians(40), np.radians(150))},
        speed_range={"hinge": (-1.0, 1.0)},
    )


def driven_cart_pole() -> MechanismScene:
    """Return the cart-pole whose cart is driven by a known force."""
    return replace(
        cart_pole(),
        name="driven_cart_pole",
        drive=JointDrive(coordinate=0, amplitude=2.0),
        start={"hinge": np.radians(150)},
        start_range={"rail": (-0.1, 0.1), "hinge": (np.radians(90), np.radians(270))},
    )


def rott_pendulum() -> MechanismScene:
    """Return Rott's pendulum: an L on a fixed pivot, and a rod on the L's horizontal arm.

    N. Rott: "A multiple pendulum for the demonstration of non-linear coupling", ZAMP 21 (1970).
    """
    radius, gap = 0.016, -0.04
    arm, leg, length = 0.2, 0.3, 0.2
    elbow = joined(rod(radius, (0, 0, 0), (arm, 0, 0)), rod(radius, (0, 0, 0), (0, 0, -leg)))
    bar = PrimitiveShape("capsule", (radius, length))
    return MechanismScene(
        "rott_pendulum",
        (
            solid_body("elbow", elbow, (0, 0, 0), 0.5, BLUE),
            primitive_body("bar", bar, (arm, gap, -length / 2), 0.2, AMBER),
        ),
        (
            MechanismJoint("pivot", "revolute", None, "elbow", _Y, np.zeros(3), damping=0.002),
            MechanismJoint(
                "coupling", "revolute", "elbow", "bar", _Y, np.array([arm, gap, 0]), damping=0.001
            ),
        ),
        (
            ("mass", "elbow"),
            ("inertia", "elbow"),
            ("mass", "bar"),
            ("inertia", "bar"),
            ("damping", "pivot"),
            ("damping", "coupling"),
        ),
        SceneView(np.array([0.3, -1.1, 0.2]), np.array([0.0, 0.0, -0.05]), 46.0),
        background=room(-0.7, 0.4),
        start={"pivot": 0.2, "coupling": 0.0},
        start_range={"pivot": (-0.2, 0.6), "coupling": (-0.8, 0.8)},
        speed_range={"pivot": (-1.0, 1.0), "coupling": (-2.0, 2.0)},
    )
