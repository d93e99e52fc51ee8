"""What the monitor reports: one change of the robot, of a camera, or near them."""

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
    "sag",
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
    """One change: the simplest that explains the observations.

    Attributes:
        kind: joint_zero and joint_sign (of the motor `subject`); joint_axis (of the joint);
            link_shape: everything beyond a place of the link `subject` is displaced (the link is
            bent, has another length or is mounted differently); camera_pose; camera_latency: the
            camera's clouds are older or younger than their stamps; base_pose; sag: the joints yield
            to a load on the link `subject`; attachment: something new moves with the link
            `subject`; object: a foreign object near the robot does not move with it (`subject` is
            empty).
        subject: Name of the motor, joint, link or camera.
        quantities: Measured sizes of the change, in the frame that `summary` names.
        gain: Log odds of this change against no change.
        summary: A sentence of what shows it.
        alternatives: (kind, subject) of the causes that explain the observations about as well.
        unsteady: Of a camera's pose: it is not the same at all times, as where the camera is loose.
    """

    kind: ChangeKind
    subject: str
    quantities: tuple[Quantity, ...]
    gain: float
    summary: str
    alternatives: tuple[tuple[ChangeKind, str], ...] = ()
    unsteady: bool = False
