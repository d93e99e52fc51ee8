"""Propose candidates with a link less: its points go to others, and so does what hangs on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.structure.structure_moves import Proposal
from autourdf_ros.estimation.motion.registration.point_costs import COST_CAP
from autourdf_ros.estimation.motion.structure.scoring.link_pairs import link_pairs
from autourdf_ros.estimation.motion.structure.scoring.rearranging import rearranged
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)
from autourdf_ros.geometry.arrays import Labels

PLAUSIBLE = 500.0  # nats a frame that a change may cost before the rest is adjusted to it


@dataclass(frozen=True)
class LinkUniting:
    """A generator: every link united with the one that it moves with most, and with several.

    Several, where its points go each to the link that explains it next best: a piece at a joint may
    be of both links. Where both hang the same joints on the same link, the search takes the first.

    Attributes:
        likelihood: of the frames that a state is of.
    """

    likelihood: RecordingLikelihood

    def __call__(self, state: PosedState, /) -> Iterator[Proposal[PosedState]]:
        """Yield the candidates with a link less, but none without joints."""
        if len(state.candidate.model.parents) < 2:
            return
        least = -PLAUSIBLE * len(self.likelihood.frames.frames)
        for proposal in (*self._with_one(state), *self._with_several(state)):
            if proposal.promise > least:
                yield proposal

    def _with_one(self, state: PosedState) -> Iterator[Proposal[PosedState]]:
        model, labels = state.candidate.model, state.candidate.labels
        pairs = link_pairs(state, self.likelihood)
        for gone in range(1, len(model.parents) + 1):
            beside = (pairs.below == gone) & ~model.ancestors[pairs.above, gone - 1]
            best = int(np.flatnonzero(beside)[pairs.fixed[beside].argmin()])
            kept = int(pairs.above[best])
            moved = np.where(labels == gone, kept, labels)
            heir = "{" + str(state.candidate.pieces[kept][0]) + "}"
            yield self._without(state, gone, kept, moved, float(pairs.fixed[best]), heir)

    def _with_several(self, state: PosedState) -> Iterator[Proposal[PosedState]]:
        model, labels = state.candidate.model, state.candidate.labels
        frames = self.likelihood.frames
        costs = np.minimum(frames.point_costs(labels, state.poses, model.parents), COST_CAP)
        for gone in range(1, len(model.parents) + 1):
            own = labels == gone
            others = costs.copy()
            others[:, gone] = np.inf
            moved = np.where(own, others.argmin(axis=1), labels)
            heirs = np.bincount(moved[own], minlength=len(model.parents) + 1)
            heirs[model.ancestors[:, gone - 1]] = 0
            kept = int(heirs.argmax()) if heirs.any() else int(model.parents[gone - 1])
            rise = (costs[own, moved[own]] - costs[own, gone]).sum() * len(frames.frames)
            rise = float(rise) / self.likelihood.design
            yield self._without(state, gone, kept, moved, rise, "the links around it")

    def _without(
        self, state: PosedState, gone: int, kept: int, labels: Labels, cost: float, heirs: str
    ) -> Proposal[PosedState]:
        """The state without a link, whose joints go to another one; cost: nats, estimated."""
        model, frames = state.candidate.model, self.likelihood.frames
        joints = np.delete(np.arange(len(model.parents)), gone - 1)
        parents = np.where(model.parents == gone, kept, model.parents)[joints]
        points = int(np.sum(state.candidate.labels == gone))
        pieces = list(state.candidate.pieces)
        name, pieces[kept] = pieces[gone][0], pieces[kept] + pieces[gone]
        return Proposal(
            f"{{{name}}} ({points} points) is one with {heirs}",
            rearranged(frames.reference, state, joints, parents, labels, pieces),
            len(frames.frames) * self.likelihood.value - cost,
        )
