"""Propose candidates with a joint on another link, or of the other type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.structure.structure_moves import Proposal
from autourdf_ros.estimation.motion.structure.scoring.link_pairs import link_pairs
from autourdf_ros.estimation.motion.structure.scoring.rearranging import (
    JointChange,
    with_joint,
    without_empty_ends,
)
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)

PLAUSIBLE = 40.0  # nats a frame that a change may cost before the rest is adjusted to it


@dataclass(frozen=True)
class JointRehanging:
    """A generator: every joint between its link and all that touch this, revolute and prismatic.

    A link without points on which nothing hangs any more goes, too.

    Attributes:
        likelihood: of the frames that a state is of.
    """

    likelihood: RecordingLikelihood

    def __call__(self, state: PosedState, /) -> Iterator[Proposal[PosedState]]:
        """Yield the candidates with another joint that the relative motions do not rule out."""
        model, frames = state.candidate.model, self.likelihood.frames
        pairs = link_pairs(state, self.likelihood)
        names = [own[0] for own in state.candidate.pieces]
        kinds = (("revolute", pairs.turning), ("prismatic", pairs.sliding))
        costs = {kind: self.likelihood.nats(fits.costs) for kind, fits in kinds}
        for joint, (parent, revolute) in enumerate(zip(model.parents, model.revolute, strict=True)):
            own = pairs.below == joint + 1
            now = float(
                costs["revolute" if revolute else "prismatic"][own & (pairs.above == parent)][0]
            )
            for pair in np.flatnonzero(own & ~model.ancestors[pairs.above, joint]):
                above = int(pairs.above[pair])
                for kind, fits in kinds:
                    promise = now - float(costs[kind][pair])
                    same = above == parent and (kind == "revolute") == revolute
                    if same or promise < -PLAUSIBLE * len(frames.frames):
                        continue
                    change = JointChange(
                        joint, above, kind == "revolute", fits.twists[pair], fits.values[:, pair]
                    )
                    changed = with_joint(frames.reference, state, change, self.likelihood.readings)
                    yield Proposal(
                        f"{{{names[joint + 1]}}} hangs on {{{names[above]}}} by a {kind} joint",
                        without_empty_ends(frames.reference, changed),
                        promise,
                    )
