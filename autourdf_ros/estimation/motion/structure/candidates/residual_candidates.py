"""Links that were taken for part of another, found by what the known links leave unexplained.

The links of a good model explain their points to the noise. A patch of neighbouring points that no
link explains is tracked by itself through every sequence, from where a link near it moves it, and a
joint is fitted to how it moves on that link. The joint is kept where it saves the points much of
their cost in all frames, in each of which it has only one unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.visibility import VISIBLE, visible_share
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.point_costs import COST_CAP, REACH
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import (
    ParentMotion,
    adjust_link,
    explained_points,
    fit_link,
    frame_costs,
    mean_costs,
    track_patch,
)
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import (
    CandidateLink,
    PosedCandidate,
    with_link,
    without_last_link,
)
from autourdf_ros.estimation.motion.structure.candidates.unexplained_patches import (
    UNEXPLAINED,
    nested_patches,
)
from autourdf_ros.geometry.arrays import Array

OWNER = 0.1  # share of a patch's points that a link has that may be its parent
EQUAL = 0.95  # share of the most gain from which the parent nearest to the root is taken
LEAST_POINTS = 20  # of a link
LEAST_GAIN = 40.0  # mean cost per frame that a link saves its points together
LEAST_SAVING = 0.4  # the same of each point
PROMISING = 0.4  # share of the least gain that a patch must save by itself, by any motion
TRIED = 0.9  # share of a patch's points that were in others when it is not tried again
ROUNDS = 3  # of finding patches: a link may hide another
SURE = 5.0  # cost per frame that a parent saves over the next best one to be three times as likely


def with_residual_links(frames: FrameSet, posed: PosedCandidate) -> PosedCandidate:
    """Add the links that a candidate lacks, and drop those that these make needless.

    Args:
        frames: the reference and F frames.
        posed: the candidate in these frames.

    Returns:
        The larger candidate, or the same one where it lacks no link.
    """
    count = len(frames.reference.points)
    tried = {level: np.zeros(count, dtype=bool) for level in UNEXPLAINED}
    split, taken = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    for _ in range(ROUNDS):
        costs = _costs(frames, posed).min(axis=1)
        found: list[CandidateLink] = []
        for level, patch in nested_patches(costs, frames.neighbours):
            members = [link.members for link in found]
            if members and np.isin(patch, np.concatenate(members)).any():
                continue
            if tried[level][patch].mean() > TRIED:
                continue
            # Of a patch of which a link was found, the rest is no piece of that link, but may hang
            # beside it: fingers side by side are one patch at first.
            rest = split[patch].mean() > TRIED
            barred = _found_links(posed, taken) if rest else []
            link = _link_of(frames, posed, costs, patch, barred)
            tried[level][patch] = link is None
            if link is not None:
                found.append(link)
                split[patch] = True
        if not found:
            break
        for link in found:
            posed = with_link(frames, posed, link)
            taken[link.members] = True
        posed = _without_needless(frames, posed)
    return posed


def _found_links(posed: PosedCandidate, taken: NDArray[np.bool_]) -> list[int]:
    """Links most points of which (N,) were taken from others."""
    known = posed.labels >= 0
    counts = np.bincount(posed.labels[known])
    own = np.bincount(posed.labels[known], taken[known])
    return np.flatnonzero(own > counts / 2).tolist()


def _costs(frames: FrameSet, posed: PosedCandidate) -> Array:
    """Mean costs (N, B) of every point under every link (`point_costs`), capped."""
    return np.minimum(frames.point_costs(posed.labels, posed.poses), COST_CAP)


def _link_of(
    frames: FrameSet,
    posed: PosedCandidate,
    costs: Array,
    patch: NDArray[np.int64],
    barred: Sequence[int],
) -> CandidateLink | None:
    """The link that a patch is of, on the parent near it that explains it best; None if none.

    barred: links that it may not hang on.
    """
    reference = frames.reference
    near = cKDTree(reference.points[patch]).query(
        reference.points, distance_upper_bound=REACH * reference.spacing
    )[0]
    within = np.isfinite(near)
    owners = posed.labels[patch]
    parents, counts = np.unique(owners[owners >= 0], return_counts=True)
    owners = parents[counts > OWNER * len(patch)]
    # Where a link is there already, but moves wrongly, the right one hangs beside it.
    parents = np.unique([*owners, *posed.model.parents[owners[owners > 0] - 1]])
    parents = np.setdiff1d(parents, barred)
    by_parent = [frame_costs(frames, posed.poses[:, parent], patch) for parent in parents]

    def on_parent(number: int) -> CandidateLink | None:
        parent = ParentMotion(number, posed.poses[:, number], costs)
        if not _promising(frames, parent.poses, patch, by_parent):
            return None
        link = fit_link(frames, parent, patch)
        members = explained_points(frames, parent, within, link)
        if len(members) < LEAST_POINTS:
            return link
        return adjust_link(frames, parent, replace(link, members=members))

    links = [link for parent in parents.tolist() if (link := on_parent(parent)) is not None]
    most = max((link.gain for link in links), default=0.0)
    if most < LEAST_GAIN:
        return None
    best = next(link for link in links if link.gain >= EQUAL * most)
    few = len(best.members) < LEAST_POINTS
    points, normals = reference.points[best.members], reference.normals[best.members]
    unseen = visible_share(points, normals, best.twist) < VISIBLE
    if few or unseen or best.gain < LEAST_SAVING * len(best.members):
        return None
    second = max((link.gain for link in links if link is not best), default=-np.inf)
    return replace(best, margin=1 + 2 * max(best.gain - second, 0.0) / SURE)


def _promising(
    frames: FrameSet, poses: Array, patch: NDArray[np.int64], by_parent: Sequence[Array]
) -> bool:
    """Whether a motion of its own explains a patch better in the sequence that explains it worst.

    poses: (F, 4, 4) of the parent. by_parent: (F, K) costs of the patch's points under each link.
    """
    means = np.array(
        [[costs[numbers].mean(axis=0) for numbers in frames.sequences] for costs in by_parent]
    ).min(axis=0)
    worst = int(means.sum(axis=1).argmax())
    numbers = frames.sequences[worst]
    motion, _ = track_patch(frames, patch, numbers, poses[numbers])
    part = replace(frames, frames=[frames.frames[i] for i in numbers])
    left = mean_costs(part, poses[numbers] @ motion, patch)
    return bool((means[worst] - left).sum() >= PROMISING * LEAST_GAIN)


def _without_needless(frames: FrameSet, posed: PosedCandidate) -> PosedCandidate:
    """The candidate without last links that save their points next to nothing any more."""
    while True:
        costs = _costs(frames, posed)
        gains = np.full(costs.shape[1], np.inf)
        for link in posed.last_links:
            if link == 0:
                continue
            own = costs[posed.labels == link]
            others = np.delete(own, link, axis=1).min(axis=1, initial=COST_CAP)
            gains[link] = np.sum(others - own[:, link])
        weakest = int(gains.argmin())
        if gains[weakest] >= LEAST_GAIN:
            return posed
        costs[:, weakest] = np.inf
        labels = np.where(posed.labels == weakest, costs.argmin(axis=1), posed.labels)
        posed = without_last_link(posed, weakest, labels)
