"""What the monitor tells: one change of the robot, of a camera, or beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChangeKind = Literal[
    "joint_zero",
    "joint_sign",
    "joint_axis",
    "link_shape",
    "camera_pose",
    "camera_latency",
    "base_pose",
    "attachment",
    "object",
]


@dataclass(frozen=True)
class Quantity:
    """A measured value with its standard deviation, in `unit` (SI)."""

    name: str
    value: float
    std: float
    unit: Literal["rad", "m", "s", "1"]


@dataclass(frozen=True)
class Change:
    """One change, the simplest that explains what was seen.

    kind: joint_zero, joint_sign (of the motor `subject`), joint_axis (of the joint); link_shape:
    what is beyond a place of the link `subject` is off (bent, shortened, mounted differently);
    camera_pose; camera_latency: its clouds are older than their stamps say, or younger; base_pose;
    attachment: something that moves with the link `subject` and was not there; object: something
    near the robot that does not move with it (`subject` is empty). quantities: how much, in the
    frame that `evidence` tells. gain: log odds against no change. evidence: a sentence.
    alternatives: (kind, subject) of what would explain it about as well.
    """

    kind: ChangeKind
    subject: str
    quantities: tuple[Quantity, ...]
    gain: float
    evidence: str
    alternatives: tuple[tuple[ChangeKind, str], ...] = ()
