"""What a capture session is asked to do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from autourdf_ros.commanding.targets.excitation import ExcitationName


@dataclass(frozen=True)
class SessionSettings:
    """What a session does.

    sequences, frames: number of sequences, and of frames in each. first: number of the first
    sequence, those before being recorded already; it moves the robot otherwise than they did.
    speed: in (0, 1], share of the velocity limits. step_min, step_max: step of a joint between
    frames (rad). excitation: which joints move (`RandomTargets`, `OneJointTargets`,
    `InformativeTargets`); target_axis_std (rad), target_line_std (m): informative ones end the
    session once all lines are known so well; move_share: of the joints that move in a random step.
    still_velocity: below it a joint stands still (rad/s or
    m/s), over still_window (s); it must within still_timeout (s) after a move. view_timeout:
    longest wait for the clouds of a still robot (s). retakes: of a frame that was rejected, before
    giving up. tolerance, lag: see `FollowingMonitor`. max_refusals: refused targets in a row before
    giving up.
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
    still_timeout: float = 5.0
    view_timeout: float = 5.0
    retakes: int = 3
    tolerance: float = 0.05
    lag: float = 0.5
    max_refusals: int = 5
    seed: int = 0
    target_axis_std: float = math.radians(0.5)
    target_line_std: float = 0.001
