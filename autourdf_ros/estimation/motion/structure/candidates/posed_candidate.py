"""A candidate as it moved in some frames, and links that may be added to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import on_axes
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.geometry.arrays import Array, Labels


@dataclass(frozen=True)
class PosedCandidate:
    """A candidate's joints as they moved in F frames, and the reference points on its links.

    Not the model's `SelfModel`: it has the numeric arrays alone, in robot sizes, that the search
    for links changes in its inner loop.

    Attributes:
        model: J joints on B bodies.
        values: (F, J) of the joints.
        base: (F, 4, 4) poses of the root.
        labels: (N,) link of every reference point, -1 none.
        costs: (J,) of the joints, as of `CandidateTree`, but per frame.
        margins: (J,) of the joints, as of `CandidateTree`.
    """

    model: Articulation
    values: Array
    base: Array
    labels: Labels
    costs: Array
    margins: Array

    @property
    def poses(self) -> Array:
        """(F, B, 4, 4) of the links."""
        return body_poses(self.model, self.values, self.base)

    @property
    def last_links(self) -> list[int]:
        """Numbers of the links that no other hangs on, the root among them if it is alone."""
        return sorted(set(range(len(self.model.parents) + 1)) - set(self.model.parents.tolist()))


@dataclass(frozen=True)
class CandidateLink:
    """A link that moves on link `parent`, by one joint.

    Attributes:
        parent: number of the parent.
        members: (K,) numbers of its reference points.
        twist: (6,) unit screw axis of the joint.
        revolute: whether the joint is revolute, else prismatic.
        values: (F,) of the joint.
        cost: chi-square per frame of the joint's fit to how the points move by themselves.
        gain: cost per frame that the joint saves the points together.
        margin: ratio by which the next best parent is worse, as of `CandidateTree`.
    """

    parent: int
    members: NDArray[np.int64]
    twist: Array
    revolute: bool
    values: Array
    cost: float
    gain: float
    margin: float = np.inf


def with_link(frames: FrameSet, posed: PosedCandidate, link: CandidateLink) -> PosedCandidate:
    """Return the candidate with one link more, which takes its points."""
    old, twist = posed.model, link.twist[None]
    revolute = np.array([link.revolute])
    middle = frames.reference.points[link.members].mean(axis=0)
    labels = posed.labels.copy()
    labels[link.members] = len(old.parents) + 1
    return replace(
        posed,
        model=Articulation(
            np.append(old.parents, link.parent),
            np.concatenate([old.twists, twist]),
            np.append(old.revolute, revolute),
            np.concatenate([old.anchors, on_axes(twist, middle[None], revolute)]),
        ),
        values=np.concatenate([posed.values, link.values[:, None]], axis=1),
        labels=labels,
        costs=np.append(posed.costs, link.cost),
        margins=np.append(posed.margins, link.margin),
    )


def without_last_link(posed: PosedCandidate, link: int, labels: Labels) -> PosedCandidate:
    """Return the candidate without a link that no other hangs on.

    Args:
        posed: the candidate.
        link: number of the link.
        labels: (N,) links of the points, none of them on it.
    """
    old = posed.model
    kept = np.delete(np.arange(len(old.parents)), link - 1)
    parents = old.parents[kept]
    return replace(
        posed,
        model=Articulation(
            parents - (parents > link), old.twists[kept], old.revolute[kept], old.anchors[kept]
        ),
        values=posed.values[:, kept],
        labels=labels - (labels > link),
        costs=posed.costs[kept],
        margins=posed.margins[kept],
    )
