"""How well a candidate explains a recording: the likelihood by which changes of it are decided.

Costs of points (`point_costs`) are counted both ways: of the reference's points where the candidate
moves them in every frame, and of every frame's points on the candidate as it moved. Points that a
frame lacks, and points that no link explains, so count alike. Neighbouring points err together,
by how their normals were fitted and by what their camera is off: their costs are divided by the
design effect (Kish, "Survey Sampling", 1965), the variance of patches' mean residuals over what it
would be if points erred by themselves. It is measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.joint_likelihood import LINES
from autourdf_ros.estimation.common.surface_matching import warped_surface
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.point_costs import distance_costs
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to
from autourdf_ros.estimation.motion.structure.relabelling import relabelled
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.parallel import on_all_cores

ROUNDS = 2  # of adjusting a changed candidate and of labelling its points anew
PATCHES = 200  # over whose residuals the design effect is measured
FREEDOM = {"still": 0, "shifts": 3, "turns": 6}  # coordinates of a root that moves so
LEAST_IN_PATCH = 5  # points, for its mean to count
LACKING = 1.0  # nats a frame that a motor costs which moved and turns nothing
OUTLIER = 5.0  # noises, beyond which a residual is none of the noise


@dataclass(frozen=True)
class PosedState:
    """A candidate, as it moved in F frames.

    Attributes:
        candidate: its own states are those that it was found in.
        states: of the F frames.
    """

    candidate: CandidateModel
    states: States

    @property
    def structure(self) -> tuple[bytes, ...]:
        """Its joints' parents, types and axes, and the links of the points."""
        model = self.candidate.model
        joints = (model.parents, model.revolute, model.twists, self.candidate.labels)
        return tuple(each.tobytes() for each in joints)

    @property
    def poses(self) -> Array:
        """(F, B, 4, 4) of the links."""
        return body_poses(self.candidate.model, self.states.values, self.states.base)


@dataclass(frozen=True)
class RecordingLikelihood:
    """The likelihood of some frames.

    Attributes:
        frames: the reference and F frames.
        readings: (F, M) of the motors in them, if there are any.
        metre: one metre in robot sizes, in which prismatic joints slide.
        design: design effect of the points' errors.
    """

    frames: FrameSet
    readings: Array | None
    metre: float
    design: float = 1.0

    def score(self, state: PosedState) -> float:
        """Return the penalised log-likelihood (nats).

        Each parameter costs half the logarithm of the number of independent points that make it
        known (Schwarz, 1978): those of all frames for a joint's line, those of one frame for its
        value there, unless a motor's readings state it, and for each coordinate of a root that
        moves. A motor that moved and turns nothing is charged for the line of the joint that the
        candidate lacks, and `LACKING` a frame. A ratio between a motor and its joint is a
        parameter, unless it is one to one in the unit of the joint's type: what slides hardly turns
        by as many rad as its motor reads metres.
        """
        candidate, count = state.candidate, len(self.frames.frames)
        lines = sum(
            LINES["revolute" if revolute else "prismatic"] for revolute in candidate.model.revolute
        )
        latent, lacking = len(candidate.model.parents), 0
        latent += FREEDOM[candidate.segmentation.root_motion]
        if self.readings is not None:
            lacking = len(candidate.unmatched_motors(self.readings.shape[1]))
            latent -= int(candidate.follow_motors.sum())
            lines += lacking * LINES["revolute"] + int(candidate.geared(self.metre).sum())
        fit = sum(on_all_cores(self._cost_in, range(count), [state] * count)) / self.design
        values = count * (latent * self.value + lacking * LACKING)
        return -float(fit + values + lines * self.parameter)

    @property
    def parameter(self) -> float:
        """What a parameter that all frames have in common costs (nats)."""
        return self._charge(len(self.frames.frames))

    @property
    def value(self) -> float:
        """What a value in one frame costs (nats)."""
        return self._charge(1)

    def _charge(self, frames: int) -> float:
        """Half the logarithm of the number of independent points of some frames."""
        count = frames * len(self.frames.reference.points)
        return float(np.log(max(count / self.design, 2.0))) / 2

    def _cost_in(self, number: int, state: PosedState) -> float:
        """Mean of the costs both ways, summed over the points of a frame."""
        reference, frame, noise = (
            self.frames.reference,
            self.frames.frames[number],
            self.frames.noise,
        )
        model, labels = state.candidate.model, state.candidate.labels
        one = slice(number, number + 1)
        poses = body_poses(model, state.states.values[one], state.states.base[one])[0]
        known = labels >= 0
        points, normals = reference.points[known], reference.normals[known]
        moved, turned = warped_surface(poses, labels[known], points, normals)
        there = distance_costs(frame, moved, turned, noise)
        grid = build_grid(moved, reference.spacing)
        posed = Cloud(moved, turned, reference.flatness[known], grid, reference.spacing)
        back = distance_costs(posed, frame.points, frame.normals, noise)
        return float(there.sum() + back.sum()) / 2

    def nats(self, squares: Array) -> Array:
        """Return the log-likelihood that squared errors (m^2) of points cost."""
        return squares / self.frames.noise**2 / (2 * self.design)

    def settled(self, state: PosedState) -> PosedState:
        """Return a changed state, adjusted to the frames and with its points labelled anew."""
        frames = self.frames
        for _ in range(ROUNDS):
            adjusted = adjusted_to(
                frames.frames, state.candidate, state.states, self.readings, frames.noise
            )
            state = PosedState(relabelled(frames, state.candidate, adjusted), adjusted.states)
        return state


def design_effect(frames: FrameSet, state: PosedState) -> float:
    """Return by how much more the mean residuals of patches vary than those of independent points.

    Args:
        frames: the reference and F frames.
        state: a candidate in these frames.
    """
    reference, labels = frames.reference, state.candidate.labels
    count = min(PATCHES, len(reference.points))
    seeds = reference.points[farthest_point_indices(reference.points, count)]
    nearest = cKDTree(seeds).query(reference.points)[1]
    patches = np.unique(np.stack([nearest, labels]), axis=1, return_inverse=True)[1].ravel()
    known = labels >= 0
    means, singles = [], []
    for frame, poses in zip(frames.frames, state.poses, strict=True):
        moved, turned = warped_surface(
            poses, labels[known], reference.points[known], reference.normals[known]
        )
        residuals, seen = _plane_residuals(frame, moved, turned, OUTLIER * frames.noise)
        own = patches[known][seen]
        sizes = np.bincount(own)
        sums = np.bincount(own, residuals)
        large = sizes >= LEAST_IN_PATCH
        means.append(sums[large] ** 2 / sizes[large])
        singles.append(residuals**2)
    single = float(np.concatenate(singles).mean()) if singles else 0.0
    if single <= 0 or not sum(map(len, means)):
        return 1.0
    return max(float(np.concatenate(means).mean()) / single, 1.0)


def _plane_residuals(
    frame: Cloud, moved: Array, turned: Array, most: float
) -> tuple[Array, NDArray[np.int64]]:
    """Distances along the points' own normals to a frame's planes, and which points have one."""
    nearest = frame.grid.query(moved, most + frame.spacing)[1]
    seen = np.flatnonzero(nearest < len(frame.points))
    near = nearest[seen]
    planes = frame.normals[near]
    planes = planes * np.sign(np.einsum("ni,ni->n", planes, turned[seen]))[:, None]
    residuals = np.einsum("ni,ni->n", planes, frame.points[near] - moved[seen])
    inliers = np.abs(residuals) < most
    return residuals[inliers], seen[inliers]
