"""How fast and how hard a joint may be driven, which motion does not show."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.model.self_model import Joint


@dataclass(frozen=True)
class DriveLimits:
    """velocity: rad/s or m/s. effort: N m or N. acceleration: rad/s² or m/s²."""

    velocity: float
    effort: float
    acceleration: float


TURNING = DriveLimits(velocity=1.0, effort=100.0, acceleration=1.0)
SLIDING = DriveLimits(velocity=0.1, effort=500.0, acceleration=0.1)
"""Assumed where nothing is known: deliberately slow."""


def assumed_limits(joint: Joint) -> DriveLimits:
    """Return the drive limits that are assumed of a joint that moves."""
    return SLIDING if joint.type == "prismatic" else TURNING
