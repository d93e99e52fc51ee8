"""The settings of a capture session."""

from __future__ import annotations

import math
from dataclasses import dataclass

from autourdf_ros.commanding.targets.excitation import ExcitationName


@dataclass(frozen=True)
class SessionSettings:
    """What a session does.

    Attributes:
        sequences: number of sequences.
        frames: number of frames of a sequence.
        first: number of the first sequence. The sequences before it are recorded already, and their
            motions are not repeated.
        speed: in (0, 1], share of the velocity limits.
        step_min: smallest step of a joint between frames (rad).
        step_max: largest step of a joint between frames (rad).
        excitation: which joints move (`RandomTargets`, `OneJointTargets`, `InformativeTargets`).
        move_share: share of the joints that move in a random step.
        still_velocity: velocity below which a joint stands still (rad/s or m/s).
        still_window: time over which the velocity is measured (s).
        still_timeout: time after a move within which the robot must stand still (s).
        view_timeout: longest wait for the clouds of a still robot (s).
        retakes: number of times that a rejected frame is taken again before the session stops.
        tolerance: see `FollowingMonitor` (rad or m).
        lag: see `FollowingMonitor` (s).
        max_refusals: refused targets in a row after which the session stops.
        seed: of the random targets.
        target_axis_std: informative targets end the session once the directions of all axes are
            known to this standard deviation (rad), and
        target_line_std: all axes to this standard deviation across themselves (m).
    """

    sequences: int = 2
    frames: int = 10
    first: int = 0
    speed: float = 0.25
    step_min: float = math.radians(7)
    step_max: float = math.radians(14)
    excitation: ExcitationName = "random"
    move_share: float = 0.5
    still_velocity: float = 0.02
    still_window: float = 0.25
    still_timeout: float = 10.0
    view_timeout: float = 30.0
    retakes: int = 3
    tolerance: float = 0.05
    lag: float = 0.5
    max_refusals: int = 5
    seed: int = 0
    target_axis_std: float = math.radians(0.5)
    target_line_std: float = 0.001
