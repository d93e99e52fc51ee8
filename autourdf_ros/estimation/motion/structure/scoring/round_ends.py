"""Propose candidates whose last links end in a link more, which turns about its own axis.

A flange looks nearly the same however it turns, and is taken for the end of the link that it hangs
on. No small step from there shows that it turned: a little of it, as holes, edges or a plug, was
elsewhere in every frame. So all turns about the axes of the surface itself are tried, in each frame
by itself. The best of so many turns saves something by chance, too, but less than a value costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_likelihood import LINES
from autourdf_ros.estimation.common.structure.structure_moves import Proposal
from autourdf_ros.estimation.motion.structure.candidates.extending import with_links
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import frame_costs
from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import round_axes
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import (
    CandidateLink,
    with_link,
)
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import LEAST_POINTS
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

TURNS_BY_ITSELF = "turns by itself"  # the last words of such a change
TURNS = 24  # of a whole one, that are tried in a frame (resource bound)
CUTS = 30  # across an axis, that are tried from either end (resource bound)
GLANCES = 4  # frames in which all axes are tried; the best in the rest, too (resource bound)
LINES_TRIED = 3  # axes of a link that are tried in all frames (resource bound)
APART = np.radians(6.0)  # between axes that are not one, where they also pass each other closely


@dataclass(frozen=True)
class RoundEnds:
    """A generator: the end of every last link as a link of its own, about an axis of its surface.

    Attributes:
        likelihood: of the frames that a state is of.
    """

    likelihood: RecordingLikelihood

    def __call__(self, state: PosedState, /) -> Iterator[Proposal[PosedState]]:
        """Yield the candidates with such a link that saves more than its joint costs."""
        pieces = state.candidate.pieces
        parents = set(state.candidate.model.parents.tolist())
        for parent in range(1, len(pieces)):
            own = np.flatnonzero(state.candidate.labels == parent)
            if parent in parents or len(own) < 2 * LEAST_POINTS:
                continue
            name = pieces[parent][0]
            for link, gain in self._ends_of(state, parent, own):
                if gain > 0:
                    yield Proposal(
                        f"the end of {{{name}}} ({len(link.members)} points) {TURNS_BY_ITSELF}",
                        self._with(state, link),
                        gain,
                    )

    def _ends_of(
        self, state: PosedState, parent: int, own: NDArray[np.int64]
    ) -> Iterator[tuple[CandidateLink, float]]:
        """Ends that save most, and what each gains at most (nats)."""
        likelihood, reference = self.likelihood, self.likelihood.frames.reference
        points, normals = reference.points[own], reference.normals[own]
        count = len(self.likelihood.frames.frames)
        glances = np.unique(np.linspace(0, count - 1, min(GLANCES, count)).astype(int))
        axes = _distinct(*round_axes(points, normals, reference.spacing), points, reference.spacing)
        ends = [self._turned(state, parent, own, axis, glances) for axis in axes]
        order = sorted(range(len(axes)), key=lambda number: -ends[number].saved)[:LINES_TRIED]
        for number in order:
            end = self._turned(state, parent, own, axes[number], np.arange(count))
            charge = LINES["revolute"] * likelihood.parameter + count * likelihood.value
            gain = end.saved / likelihood.design - charge
            twist = revolute_twist(*axes[number])
            yield CandidateLink(parent, own[end.beyond], twist, True, end.angles, 0.0, 0.0), gain

    def _turned(
        self,
        state: PosedState,
        parent: int,
        own: NDArray[np.int64],
        axis: tuple[Array, Array],
        numbers: NDArray[np.int64],
    ) -> _End:
        """The end about an axis (its direction, a point on it) that saves most in some frames."""
        frames = self.likelihood.frames
        some = replace(frames, frames=[frames.frames[number] for number in numbers])
        poses, twist = state.poses[numbers, parent], revolute_twist(*axis)
        turns = np.arange(TURNS) * 2 * np.pi / TURNS
        costs = np.array([frame_costs(some, poses @ exp_se3(twist * turn), own) for turn in turns])
        along = (frames.reference.points[own] - axis[1]) @ axis[0]
        counts = np.unique(np.linspace(LEAST_POINTS, len(own) - LEAST_POINTS, CUTS).astype(int))
        best = _End(np.zeros(0, dtype=np.int64), np.zeros(len(numbers)), 0.0)
        for order in (np.argsort(along), np.argsort(-along)):
            sums = np.cumsum(costs[:, :, order], axis=2)[:, :, counts - 1]
            saved = (sums[0] - sums.min(axis=0)).sum(axis=0)
            cut = int(saved.argmax())
            if saved[cut] > best.saved:
                angles = turns[sums[:, :, cut].argmin(axis=0)]
                angles = np.where(angles > np.pi, angles - 2 * np.pi, angles)
                best = _End(order[: counts[cut]], angles, float(saved[cut]))
        return best

    def _with(self, state: PosedState, link: CandidateLink) -> PosedState:
        """The state with a link more."""
        pieces = state.candidate.pieces
        larger = with_links(
            self.likelihood.frames,
            state.candidate,
            state.states,
            lambda frames, posed: with_link(frames, posed, link),
            readings=self.likelihood.readings,
        )
        fresh = 1 + max(number for own in pieces for number in own)
        return PosedState(replace(larger, pieces=(*pieces, (fresh,))), larger.states)


@dataclass(frozen=True)
class _End:
    """What lies beyond a cut across an axis.

    Attributes:
        beyond: numbers of its points among the link's.
        angles: (F,) by which it turned (rad).
        saved: cost that its turning saves its points, summed over F frames.
    """

    beyond: NDArray[np.int64]
    angles: Array
    saved: float


def _distinct(
    directions: Array, places: Array, points: Array, spacing: float
) -> list[tuple[Array, Array]]:
    """Axes without those that are nearly one: unit directions, and places next to the points."""
    middle, found = points.mean(axis=0), list[tuple[Array, Array]]()
    for direction, place in zip(directions, places, strict=True):
        near = place + ((middle - place) @ direction) * direction
        if not any(
            abs(direction @ other) > np.cos(APART)
            and np.linalg.norm(np.cross(near - there, direction)) < spacing
            for other, there in found
        ):
            found.append((direction, near))
    return found
