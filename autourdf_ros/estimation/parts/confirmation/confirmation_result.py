"""What motion says of an assembly's joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate

JointStatus = Literal["confirmed", "replaced", "undecided", "contradicted", "unmoved", "unseen"]
ConfirmationVerdict = Literal["confirmed", "partly confirmed", "undecided", "doubtful"]


@dataclass(frozen=True)
class MotionJoint:
    """The joint that the tracked motion shows where no alternative fits it.

    Attributes:
        joint: Its source is `motion`; its probability is against the alternatives.
        frames: (K,) numbers of the frames that it is fitted to.
        values: (K,) of the joint in them (rad or m).
        residual: Root mean square error (m) that it leaves on the surfaces of its parts.
        angle_sigma: Standard deviation of its axis (rad).
        offset_sigma: Of its place across the axis (m); NaN for a prismatic joint.
    """

    joint: JointCandidate
    frames: NDArray[np.int64]
    values: NDArray[np.float64]
    residual: float
    angle_sigma: float
    offset_sigma: float


@dataclass(frozen=True)
class JointConfirmation:
    """What motion says of one joint.

    Attributes:
        joint: As it was given.
        status: `confirmed`: it moved as an alternative says; `replaced`: no alternative fits, and
            the joint of the motion does without doubt; `undecided`: it moved, and several
            alternatives or parents fit; `contradicted`: no alternative fits, or another parent fits
            better; `unmoved`; `unseen`: its parts could not be tracked.
        reason: A sentence that says why.
        chosen: Number of the alternative that fits best; 0 where motion says nothing.
        posterior: (A,) probability of every alternative.
        log_likelihoods: (A,) of every alternative, up to a constant.
        refined: The chosen alternative with its axis refined; the joint of the motion where that
            replaces all alternatives.
        angle_sigma: Standard deviation of its axis (rad); NaN where motion says nothing.
        offset_sigma: Standard deviation of its place across the axis (m); NaN likewise, and for
            a prismatic joint.
        values: (F,) of the joint in the frames (rad or m); NaN where its parts were not tracked.
        edge_probability: That the joint connects these two parts.
        residual: Root mean square error (m) that the joint leaves on the surfaces of its parts.
        rival: Number of the part that fits as parent next best; None without one.
        decides: Whether motion decides which alternative it is, whatever it says of the parent, or
            replaces all of them.
        proposed: The joint that the motion shows, where no alternative fits it; None else.
    """

    joint: EdgeJoint
    status: JointStatus
    reason: str
    chosen: int
    posterior: NDArray[np.float64]
    log_likelihoods: NDArray[np.float64]
    refined: JointCandidate
    angle_sigma: float
    offset_sigma: float
    values: NDArray[np.float64]
    edge_probability: float
    residual: float
    rival: int | None = None
    decides: bool = False
    proposed: MotionJoint | None = None

    @property
    def probability(self) -> float:
        """Of the joint that motion decides for, or of the most probable alternative."""
        if self.status == "replaced" and self.proposed is not None:
            return self.proposed.joint.probability
        return float(self.posterior.max())


@dataclass(frozen=True)
class Confirmation:
    """What motion says of an assembly.

    Attributes:
        joints: In the order given.
        verdict: `confirmed`: all joints are; `partly confirmed`: some are or are replaced, and
            none is contradicted; `undecided`: none is; `doubtful`: something is contradicted.
        reasons: Sentences for the verdict, each of which names a part.
        base: (4, 4) pose of the assembly's frame in the frame of the recording.
        poses: (F, P, 4, 4) of the parts, in the frame of the assembly; identity: as given.
        tracked: (F, P) whether the part was tracked in the frame.
        noise: Standard deviation of a point along its normal (m).
        explained: (F,) share of the frame's points that lie on a part.
    """

    joints: tuple[JointConfirmation, ...]
    verdict: ConfirmationVerdict
    reasons: tuple[str, ...]
    base: NDArray[np.float64]
    poses: NDArray[np.float64]
    tracked: NDArray[np.bool_]
    noise: float
    explained: NDArray[np.float64]
