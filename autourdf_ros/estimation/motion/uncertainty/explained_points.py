"""Compute how well the final model explains the reference points: by links, and by patches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.reconstruction import LinkCost, UnexplainedPatch
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import GATE
from autourdf_ros.estimation.motion.registration.point_costs import own_costs
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import LEAST_POINTS
from autourdf_ros.estimation.motion.structure.candidates.unexplained_patches import (
    unexplained_patches,
)
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.geometry.arrays import Array

TYPICAL = 3.0  # mean cost of a patch that happens in right models
LARGEST_EXCESS = 0.02
"""Cost of a patch beyond the typical one, per point of the robot, from which it is reported. Twelve
right models had at most 0.003, one with spurious links 0.05; less is not reported."""
FREED = 0.7
"""Share of its cost that a patch which moves otherwise is left with at most once it may; where
normals are chance, it fits as badly anywhere."""
JUDGES = 10  # frames in which it may (resource bound)


def explain(
    problem: Problem, final: FinalModel, states: States, names: Sequence[str]
) -> tuple[tuple[LinkCost, ...], tuple[UnexplainedPatch, ...]]:
    """Compute costs of every link, and find the large patches that move otherwise.

    Args:
        problem: the recording and what is known of it.
        final: the adjusted model.
        states: of all frames.
        names: of the links.

    Returns:
        The costs, whose fitted frames include the reference, and the patches.
    """
    labels, reference = final.candidate.labels, problem.reference
    frames = np.concatenate([[0], final.fitted.frames])
    fitted = _own_costs(problem, final, states, frames)
    others = np.full(len(labels), np.nan)
    if final.held_out is not None:
        others = _own_costs(problem, final, states, final.held_out.frames)
    own = [labels == link for link in range(len(names))]
    costs = tuple(
        LinkCost(float(fitted[o].mean()), float(others[o].mean()))
        if o.any()
        else LinkCost(np.nan, np.nan)
        for o in own
    )
    patches = large_patches(fitted, neighbour_graph(reference.points, reference.spacing))
    if patches:
        by_flatness = _own_costs(problem, final, states, frames, by_flatness=True)
        patches = [
            patch
            for patch in patches
            if _is_large(by_flatness, patch)
            or left_when_free(problem, final, states, patch) < FREED
        ]
    return costs, tuple(_named(patch, fitted, labels, names) for patch in patches)


def large_patches(costs: Array, neighbours: csr_matrix) -> list[NDArray[np.int64]]:
    """Return the patches of points that are too large for noise.

    Args:
        costs: (N,) of the points.
        neighbours: (N, N) sparse distances between neighbouring points.
    """
    patches = unexplained_patches(costs, neighbours, TYPICAL)
    return [patch for patch in patches if len(patch) >= LEAST_POINTS and _is_large(costs, patch)]


def _is_large(costs: Array, patch: NDArray[np.int64]) -> bool:
    return bool(np.sum(costs[patch] - TYPICAL) >= LARGEST_EXCESS * len(costs))


def _named(
    patch: NDArray[np.int64], costs: Array, labels: NDArray[np.int64], names: Sequence[str]
) -> UnexplainedPatch:
    known = labels[patch][labels[patch] >= 0]
    link = names[int(np.bincount(known).argmax())] if len(known) else names[0]
    return UnexplainedPatch(link, len(patch), float(costs[patch].mean()))


def left_when_free(
    problem: Problem, final: FinalModel, states: States, patch: NDArray[np.int64]
) -> float:
    """Return the share of its cost that a patch keeps when it may move by itself in every frame.

    Args:
        problem: the recording and what is known of it.
        final: the adjusted model.
        states: of all frames.
        patch: numbers of its points.
    """
    known = final.candidate.labels[patch]
    link = int(np.bincount(known[known >= 0], minlength=1).argmax())
    frames = final.fitted.frames
    frames = frames[np.unique(np.linspace(0, len(frames) - 1, JUDGES).astype(int))]
    model, reference = final.fitted.adjustment.model, problem.reference
    start = body_poses(model, states.values[frames], states.base[frames])[:, [link]]
    labels = np.full(len(reference.points), -1)
    labels[patch] = 0
    clouds, gate = problem.clouds(frames), GATE * reference.spacing
    free = refit_bodies(reference, labels, clouds, start, gate=gate).poses
    held, freed = (
        own_costs(reference, labels, clouds, poses, noise=problem.noise)[patch].mean()
        for poses in (start, free)
    )
    return float(freed / held)


def _own_costs(
    problem: Problem,
    final: FinalModel,
    states: States,
    frames: NDArray[np.int64],
    *,
    by_flatness: bool = False,
) -> Array:
    """Mean cost (N,) of every point on its own link over some frames (`own_costs`)."""
    model, labels = final.fitted.adjustment.model, final.candidate.labels
    poses = body_poses(model, states.values[frames], states.base[frames])
    clouds, noise = problem.clouds(frames), problem.noise
    return own_costs(problem.reference, labels, clouds, poses, noise=noise, by_flatness=by_flatness)
