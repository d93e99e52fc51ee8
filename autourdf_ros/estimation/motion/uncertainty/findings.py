"""What is known of a reconstructed model, by which it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.reconstruction import (
    LinkCost,
    Loop,
    UnexplainedPatch,
    WeakDirection,
)
from autourdf_ros.estimation.motion.uncertainty.foreign_points import ForeignPoints
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.self_model import Joint


@dataclass(frozen=True)
class FrameFindings:
    """What the frames of a recording show.

    Attributes:
        names: (F,) of the frames.
        used: (F,) bool, the inlier frames.
        noise: standard deviation of a point along its normal, in robot sizes.
        foreign: points far from all links; None where there are no more than in right models.
        places: numbers of the moving links, by where they stand apart.
    """

    names: Sequence[str]
    used: NDArray[np.bool_]
    noise: float
    foreign: ForeignPoints | None
    places: Sequence[Sequence[int]]


@dataclass(frozen=True)
class JointFindings:
    """What is known of the J joints of a model.

    Attributes:
        joints: the joints.
        travels: (J,) range of each joint's values in the inlier frames (rad or m).
        margins: (J,) ratio by which the next best parent of each is worse.
        weak: changes of their axes that the frames hardly show.
        loops: of the tree; that a joint of one may hang elsewhere is no doubt.
        leaps: (J,) how far each turns at most from one frame to the next (rad), where it leaps;
            else 0. Empty where that is not known.
    """

    joints: Sequence[Joint]
    travels: Array
    margins: Array
    weak: Sequence[WeakDirection] = ()
    loops: Sequence[Loop] = ()
    leaps: Sequence[float] = ()


@dataclass(frozen=True)
class LinkFindings:
    """How well the links explain their points.

    Attributes:
        costs: of every link, the root first.
        patches: points that no link explains.
        suspected: in words, which ends of links may be links, by some of the frames.
        hidden: ends that may be links, and of which no frame would show it: names of their links,
            and how many points they have.
    """

    costs: Sequence[LinkCost]
    patches: Sequence[UnexplainedPatch] = ()
    suspected: Sequence[str] = ()
    hidden: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True)
class MotorFindings:
    """How motors and joints match.

    Attributes:
        matched: whether any motor turns a joint of the model.
        unmatched: names of the motors that moved but turn no joint.
    """

    matched: bool
    unmatched: Sequence[str] = ()
