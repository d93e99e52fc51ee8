"""The coefficients of a cart-pole from a self-model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.predictive.cart_pole import CartPole
from autourdf_ros.errors import InputError
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.dynamics import JointDynamics
from autourdf_ros.model.layers.inertia import LinkInertia
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint

Array = NDArray[np.float64]

_UP = np.array([0.0, 0.0, 1.0])
_ASKEW = np.radians(5)
"""Greatest angle (rad) of the rail from level, and of the hinge from level and from across it."""


def cart_pole_of_model(model: SelfModel) -> CartPole:
    """Return the coefficients of the cart-pole that a model describes, gravity along -z.

    Raises:
        InputError: it has no masses, or its moving joints are not a level rail and a level hinge
            across it on what slides, or the pole weighs nothing.
    """
    rail, hinge = _joints(model.tree)
    if model.inertia is None:
        raise InputError(f"{model.name}: has no inertia layer; accepted is a model with masses")
    across = np.cross(hinge.axis, _UP)
    level = max(abs(float(rail.axis @ _UP)), abs(float(hinge.axis @ _UP)))
    if level > np.sin(_ASKEW) or abs(float(across @ rail.axis)) < np.cos(_ASKEW):
        raise InputError(
            f"{model.name}: {rail.name} runs along {_text(rail.axis)} and {hinge.name} along "
            f"{_text(hinge.axis)}; accepted are a level rail and a level hinge across it, "
            f"within {np.degrees(_ASKEW):g} degrees"
        )
    frames = dict(zip(model.tree.links, link_frames(model.tree), strict=True))
    masses = model.inertia.links
    cart = [name for name in model.tree.subtree(rail.child) if name in masses]
    pole = [name for name in model.tree.subtree(hinge.child) if name in masses]
    first, inertia = _about(hinge, [(frames[name], masses[name]) for name in pole])
    moment = float(np.linalg.norm(np.cross(hinge.axis, first)))
    if not moment > 0:
        raise InputError(f"{model.name}: what turns about {hinge.name} has no weight off it")
    known = {} if model.dynamics is None else model.dynamics.joints
    sliding, turning = (known.get(one.name, JointDynamics()) for one in (rail, hinge))
    return CartPole(
        mass=sum(masses[name].mass for name in cart) + sliding.armature,
        moment=moment,
        inertia=inertia + turning.armature,
        rail_damping=sliding.damping,
        hinge_damping=turning.damping,
        rail_friction=sliding.friction,
        hinge_friction=turning.friction,
    )


def _joints(tree: KinematicTree) -> tuple[TreeJoint, TreeJoint]:
    """The rail and the hinge.

    Raises InputError where there are other moving joints, or one of them lacks.
    """
    moving = [joint for joint in tree.joints if joint.type != "fixed"]
    rails = [joint for joint in moving if joint.type == "prismatic"]
    hinges = [joint for joint in moving if joint.type in ("revolute", "continuous")]
    if len(moving) != 2 or len(rails) != 1 or hinges[0].child not in tree.subtree(rails[0].child):
        found = ", ".join(f"{joint.name} ({joint.type})" for joint in moving) or "none"
        raise InputError(
            f"cart-pole: moving joints are {found}; accepted are a prismatic one, and a revolute "
            "one on what it moves"
        )
    return rails[0], hinges[0]


def _about(joint: TreeJoint, links: list[tuple[Array, LinkInertia]]) -> tuple[Array, float]:
    """First moment (3,) about a hinge's point (kg m) and inertia about its axis (kg m²)."""
    first, inertia = np.zeros(3), 0.0
    for frame, own in links:
        centre = frame[:3, :3] @ own.centre + frame[:3, 3] - joint.point
        first += own.mass * centre
        axis = frame[:3, :3].T @ joint.axis
        away = np.cross(joint.axis, centre)
        inertia += float(axis @ own.inertia @ axis + own.mass * away @ away)
    return first, inertia


def _text(axis: Array) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in axis) + ")"
