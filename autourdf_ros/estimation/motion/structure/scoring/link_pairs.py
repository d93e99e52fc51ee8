"""How pairs of links move against each other, when no joint holds them.

Every link is registered to every frame by itself. The relative motions of links that touch show
which of them move as one, which joint would join them, and of which type: in the metric of what
both surfaces show (`relative_motion`), so that a tube that spun where nothing shows it costs
nothing. For a link without points, which only joins others, the next one below stands in that has
some: it touches what that touches, and a change of it shows as far as in those points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import (
    JointFit,
    fit_prismatic,
    fit_revolute,
    relative_motion,
)
from autourdf_ros.estimation.motion.structure.candidate_tree import body_gaps
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.rigid_motion import log_se3

TOUCHING = 4.0  # point spacings between links that may be one, or joined


@dataclass(frozen=True)
class LinkPairs:
    """Ordered pairs of links that touch or are joined, P of them.

    Attributes:
        above: (P,) numbers of links.
        below: (P,) numbers of the others.
        fixed: (P,) nats by which they do not move as one.
        turning: revolute joints between them.
        sliding: prismatic ones.
    """

    above: NDArray[np.int64]
    below: NDArray[np.int64]
    fixed: Array
    turning: JointFit
    sliding: JointFit


def link_pairs(state: PosedState, likelihood: RecordingLikelihood) -> LinkPairs:
    """Return how links of a state move against each other.

    Args:
        state: the state.
        likelihood: of its frames.
    """
    frames, candidate = likelihood.frames, state.candidate
    parents = candidate.model.parents
    shown, joined = _stand_ins(parents, candidate.labels), np.arange(1, len(parents) + 1)
    near = _near(state, TOUCHING * frames.reference.spacing, likelihood)[np.ix_(shown, shown)]
    near[parents, joined] = near[joined, parents] = True
    np.fill_diagonal(near, val=False)
    above, below = np.nonzero(near)
    bodies = frames.refit(candidate.labels, state.poses)
    bodies = replace(bodies, information=bodies.information[:, shown])
    motion, metric = relative_motion(bodies, above, below)
    still = log_se3(motion)
    squares = np.einsum("fpi,fpij,fpj->p", still, metric, still)
    return LinkPairs(
        above,
        below,
        likelihood.nats(squares),
        fit_revolute(motion, metric),
        fit_prismatic(motion, metric),
    )


def _stand_ins(parents: NDArray[np.int64], labels: Labels) -> NDArray[np.int64]:
    """(B,) each link, or for one without points the next one below that has some.

    A last link without points stands for itself.
    """
    shown = np.arange(len(parents) + 1)
    seen = np.isin(shown, labels)
    for link in range(len(parents), 0, -1):
        parent = int(parents[link - 1])
        if not seen[parent]:
            shown[parent] = shown[link]
    return shown


def _near(state: PosedState, most: float, likelihood: RecordingLikelihood) -> NDArray[np.bool_]:
    """(B, B) which links touch, by their points."""
    labels = state.candidate.labels
    count = len(state.candidate.model.parents) + 1
    seen = np.flatnonzero(np.bincount(labels[labels >= 0], minlength=count))
    place = np.full(count + 1, -1)  # the last stands for no link
    place[seen] = np.arange(len(seen))
    gaps = body_gaps(likelihood.frames.reference.points, place[labels], len(seen))
    near = np.zeros((count, count), dtype=bool)
    near[np.ix_(seen, seen)] = gaps < most
    return near
