"""The parameters of the swing-up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from rclpy.node import Node

from autourdf_ros.commanding.predictive.guarded_swing_up import CartLimits
from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.parameters import Parameters

_LIMITS = {
    "lower": "least position of the cart, as the rail's joint reads (m)",
    "upper": "greatest position of the cart (m)",
    "velocity": "greatest speed of the cart, above which it stops (m/s)",
    "effort": "greatest force (N)",
    "effort_rate": "greatest change of the force (N/s)",
}


@dataclass(frozen=True)
class SwingUpParameters:
    """Values of all parameters, see config/swing_up.yaml.

    Attributes:
        model: Result folder of the cart-pole.
        limits: Of the cart.
        allow_motion: Whether anything may move.
        rail: Name of the rail's joint in joint states.
        hinge: Name of the hinge's joint.
        upright: What the hinge reads with the pole upright (rad).
        sign: 1 where the hinge's reading grows as the pole falls towards +rail, else -1.
        joint_states_topic: With positions and velocities of both.
        command_topic: Of an effort controller of the rail alone.
        timeout: Longest silence of a joint (s); 0: by its measured period.
        seed: Of the samples.
    """

    model: Path
    limits: CartLimits
    allow_motion: bool
    rail: str
    hinge: str
    upright: float
    sign: float
    joint_states_topic: str
    command_topic: str
    timeout: float
    seed: int


def declare_parameters(node: Node) -> SwingUpParameters:
    """Declare all parameters.

    Raises:
        InputError: a value is not accepted, a limit is missing, or a name is unknown.
    """
    declare = Parameters(node)
    limits = {name: declare.number(f"limits.{name}", None, text) for name, text in _LIMITS.items()}
    given = SwingUpParameters(
        model=Path(declare.text("model", "", "result folder of the cart-pole")).expanduser(),
        limits=CartLimits(**{item.name: limits[item.name] for item in fields(CartLimits)}),
        allow_motion=declare.flag("allow_motion", False, "whether anything may move"),
        rail=declare.text("rail", "rail", "name of the rail's joint in joint states"),
        hinge=declare.text("hinge", "hinge", "name of the hinge's joint in joint states"),
        upright=declare.number(
            "upright", 0.0, "what the hinge reads with the pole upright (rad)", -1e3, 1e3
        ),
        sign=1.0
        if declare.flag(
            "falls_forward",
            True,
            "whether the hinge's reading grows as the pole falls towards greater positions",
        )
        else -1.0,
        joint_states_topic=declare.text(
            "joint_states_topic", "/joint_states", "topic with positions and velocities"
        ),
        command_topic=declare.text(
            "command_topic",
            "/effort_controller/commands",
            "topic of an effort controller of the rail alone",
        ),
        timeout=declare.number(
            "joint_state_timeout",
            0.0,
            "longest silence of a joint (s); 0: derived from its measured period",
            0.0,
            10.0,
        ),
        seed=declare.integer("seed", 0, "seed of the sampled forces", 0, 2**31 - 1),
    )
    if unknown := declare.unknown():
        raise InputError(
            f"swing_up: parameter {unknown[0]} is unknown; accepted are those of "
            "config/swing_up.yaml"
        )
    return given
