"""Joint values of a known mechanism from tracked poses of its bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.rigid_motion import log_so3
from autourdf_ros.model.kinematic_tree import KinematicTree

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ValueSearch:
    """Choices of the search.

    Attributes:
        starts: Values from which the first frame's search begins (resource bound).
        iterations: Gauss-Newton steps a frame (resource bound).
        step: Of finite differences (rad or m).
        settled: Step in standard deviations below which they end.
        reach: Values of the first frame are sought within this (rad or m) of the reference.
        seed: Of the starts.
    """

    starts: int = 20
    iterations: int = 20
    step: float = 1e-6
    settled: float = 1e-3
    reach: float = np.pi
    seed: int = 0


def joint_values_of(
    tree: KinematicTree,
    references: Array,
    track: PoseTrack,
    search: ValueSearch | None = None,
) -> tuple[Array, Array]:
    """Return values and standard deviations (T, J) that fit tracked poses best, NaN where none.

    Gauss-Newton on the poses' errors in units of their covariances, frame by frame; turns that a
    symmetry hides weigh next to nothing by these.

    Args:
        tree: Of the mechanism.
        references: (B, 4, 4) poses of the track's bodies at the tree's reference configuration.
        track: Of these bodies.
        search: Choices.
    """
    search = search or ValueSearch()
    moving = np.array([joint.type != "fixed" for joint in tree.joints])
    fit = _FrameFit(tree, references, track, np.flatnonzero(moving), search)
    values = np.full((len(track.stamps), len(tree.joints)), np.nan)
    stds = values.copy()
    last: Array | None = None
    for frame in np.flatnonzero(track.seen.any(axis=0)).tolist():
        value, std = fit.first(frame) if last is None else fit.solved(frame, last)[:2]
        values[frame], stds[frame], last = value, std, value
    values[:, ~moving] = np.where(np.isfinite(values[:, ~moving]), values[:, ~moving], 0.0)
    return values, stds


@dataclass(frozen=True)
class _FrameFit:
    tree: KinematicTree
    references: Array
    track: PoseTrack
    moving: NDArray[np.int64]
    search: ValueSearch

    def first(self, frame: int) -> tuple[Array, Array]:
        """Values and deviations of a frame, from several starts."""
        random = np.random.default_rng(self.search.seed)
        base = self.tree.reference_values
        starts = [base.copy() for _ in range(self.search.starts)]
        for start in starts[1:]:
            start[self.moving] += self.search.reach * random.uniform(-1, 1, len(self.moving))
        found = [self.solved(frame, start) for start in starts]
        value, std, _ = min(found, key=lambda one: one[2])
        return value, std

    def solved(self, frame: int, start: Array) -> tuple[Array, Array, float]:
        """Values, deviations and cost of a frame, from a start."""
        value = start.copy()
        for _ in range(self.search.iterations):
            errors, jacobian = self._linearised(frame, value)
            information = jacobian.T @ jacobian + 1e-12 * np.eye(len(self.moving))
            move = -np.linalg.solve(information, jacobian.T @ errors)
            value[self.moving] += np.clip(move, -0.5, 0.5)
            if float(move @ information @ move) < self.search.settled**2:
                break
        errors, jacobian = self._linearised(frame, value)
        covariance = np.linalg.pinv(jacobian.T @ jacobian)
        std = np.zeros(len(value))
        std[self.moving] = np.sqrt(np.diag(covariance))
        return value, std, float(errors @ errors)

    def _linearised(self, frame: int, value: Array) -> tuple[Array, Array]:
        here = self._errors(frame, value)
        columns = []
        for joint in self.moving:
            moved = value.copy()
            moved[joint] += self.search.step
            columns.append((self._errors(frame, moved) - here) / self.search.step)
        return here, np.stack(columns, axis=1)

    def _errors(self, frame: int, value: Array) -> Array:
        """Of all bodies seen, in units of the standard deviations."""
        motions = self.tree.motions(value)
        found = []
        for body, name in enumerate(self.track.bodies):
            if not self.track.seen[body, frame]:
                continue
            stated = motions[self.tree.links.index(name)] @ self.references[body]
            seen = self.track.poses[body, frame]
            turn = log_so3((seen[:3, :3] @ stated[:3, :3].T)[None])[0]
            shift = (seen - stated)[:3] @ np.append(self.track.centres[body], 1.0)
            root = np.linalg.cholesky(self.track.covariances[body, frame])
            found.append(np.linalg.solve(root, -np.concatenate([turn, shift])))
        return np.concatenate(found)
