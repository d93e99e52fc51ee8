"""A reconstruction with the search and the adjustment that it came from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.completion import unmatched_count
from autourdf_ros.estimation.motion.structure.problem import Problem


@dataclass(frozen=True)
class Found:
    """A reconstruction, and what it came from.

    Attributes:
        reconstruction: the result.
        problem: the recording and what is known of it.
        motion: of the model in all frames, before the adjustment.
        final: the adjusted model.
    """

    reconstruction: Reconstruction
    problem: Problem
    motion: Motion
    final: FinalModel

    @property
    def adjusted(self) -> tuple[CandidateModel, Motion]:
        """The adjusted candidate, and its motion in all frames."""
        return self.final.candidate, replace(self.motion, states=self.final.states(self.motion))

    @property
    def unmatched(self) -> int:
        """How many motors and joints do not match (`unmatched_count`)."""
        return unmatched_count(self.problem, *self.adjusted)

    def with_notes(self, notes: tuple[str, ...]) -> Found:
        """Return it with more notes to the reconstruction."""
        known = self.reconstruction
        return replace(self, reconstruction=replace(known, notes=(*known.notes, *notes)))
