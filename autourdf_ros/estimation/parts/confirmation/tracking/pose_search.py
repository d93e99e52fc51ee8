"""Search the poses of all parts in a frame, from the root to the leaves.

Each part follows its parent by one of the alternatives of its joint. Several poses of the assembly
are kept (beam search), since a part that is round about its joint does not show its angle, which
only the parts behind it do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import ObservedFrame
from autourdf_ros.estimation.parts.confirmation.tracking.pose_scoring import (
    agreement,
    moved,
    refined,
)
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import PartSamples
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

SMALL_MOTION = 0.01
"""Agreement that the largest motion of a joint costs: of equal poses the nearest is taken."""
ALIKE = 0.5
"""Distance of two poses that count as one, in widths of the search."""
WEIGHT = 2.0
"""Of the frame's points that are explained, beside the samples that the frame shows."""
BACKWARD_POINTS = 1500
"""Points of a frame that the parts must explain, in the comparison of beams; a resource bound."""


@dataclass(frozen=True)
class Searched:
    """What the search knows of the assembly.

    Attributes:
        samples: Of every part: points and normals that the first frame shows.
        surfaces: Of every part: more points, all over it.
        areas: (P,) of the parts, in samples that the first frame shows.
        branches: Joints of each branch that hangs on the root, parents before children.
        root: Number of the root part.
        sizes: (P,) of the parts (m).
        size: Of the assembly (m).
        options: Constants.
    """

    samples: tuple[tuple[Array, Array], ...]
    surfaces: tuple[Array, ...]
    areas: Array
    branches: tuple[tuple[EdgeJoint, ...], ...]
    root: int
    sizes: Array
    size: float
    options: ConfirmationOptions


def searched(
    samples: PartSamples,
    joints: Sequence[EdgeJoint],
    root: int,
    size: float,
    options: ConfirmationOptions,
) -> Searched:
    """Return what the search needs; joints in any order."""
    own = tuple(samples.chosen(p, options.search_samples) for p in range(samples.count))
    surfaces = tuple(samples.points[samples.owners == p] for p in range(samples.count))
    areas = np.bincount(samples.owners[samples.seen], minlength=samples.count).astype(float)
    return Searched(
        own, surfaces, areas, _branches(joints, root), root, samples.sizes, size, options
    )


def search_poses(frame: ObservedFrame, task: Searched, root_pose: Array) -> Array:
    """Return the poses (P, 4, 4) of all parts that agree best with a frame.

    Args:
        frame: In the frame of the assembly.
        task: What is known.
        root_pose: (4, 4) from which the root's pose is refined.
    """
    widths = task.options.coarse * task.size, task.options.coarse * task.size / 4
    own = task.samples[task.root]
    poses = np.tile(refined(frame, root_pose[None], own, widths)[0], (len(task.samples), 1, 1))
    for branch in task.branches:
        beams, totals = poses[None], np.zeros(1)
        for joint in branch:
            beams, totals = _extended(frame, task, joint, beams, totals)
        # Of poses that agree alike, the parts explain most of what other parts leave.
        seen = sum(len(task.samples[joint.child][0]) for joint in branch)
        moving = [task.root, *(joint.child for joint in branch)]
        explained = np.array([explained_share(frame, task, one, moving) for one in beams])
        poses = beams[int((totals / max(seen, 1) + WEIGHT * explained).argmax())]
    return np.asarray(poses)


def pose_score(frame: ObservedFrame, task: Searched, poses: Array) -> float:
    """Return how well the poses (P, 4, 4) of all parts agree with a frame; more is better."""
    width = task.options.coarse * task.size / 4
    counts = np.array([len(points) for points, _ in task.samples])
    shown = [
        agreement(frame, pose[None], own, width)[0]
        for pose, own in zip(poses, task.samples, strict=True)
    ]
    share = float(counts @ np.array(shown)) / max(int(counts.sum()), 1)
    return share + WEIGHT * explained_share(frame, task, poses, range(len(poses)))


def twist_of(candidate: JointCandidate) -> Array:
    """Return the unit twist (6,) of a joint; zero for a fixed one."""
    if candidate.type == "fixed":
        return np.zeros(6)
    if candidate.type == "revolute":
        return revolute_twist(candidate.axis, candidate.point)
    return np.concatenate([np.zeros(3), candidate.axis])


def _branches(joints: Sequence[EdgeJoint], root: int) -> tuple[tuple[EdgeJoint, ...], ...]:
    """Joints from the root on, branch by branch, each depth first."""

    def below(part: int) -> list[EdgeJoint]:
        own = [joint for joint in joints if joint.parent == part]
        return [one for joint in own for one in (joint, *below(joint.child))]

    return tuple((joint, *below(joint.child)) for joint in joints if joint.parent == root)


def _extended(
    frame: ObservedFrame, task: Searched, joint: EdgeJoint, beams: Array, totals: Array
) -> tuple[Array, Array]:
    """The beams with the child of a joint placed, and what they explain so far."""
    options, own = task.options, task.samples[joint.child]
    if not len(own[0]):  # nothing is seen of it: it stays on its parent
        beams = beams.copy()
        beams[:, joint.child] = beams[:, joint.parent]
        return beams, totals
    width = options.coarse * task.size
    motions, costs = _motions(joint, task.sizes[joint.child], options)
    tried = beams[:, joint.parent][:, None] @ motions
    scores = agreement(frame, tried.reshape(-1, 4, 4), own, width).reshape(tried.shape[:2]) - costs
    number, step = _best(scores, tried, own, options.optima, ALIKE * width)
    poses = refined(frame, tried[number, step], own, (width, width / 4))
    reached = agreement(frame, poses, own, width / 4) - costs[step]
    new = totals[number] + len(own[0]) * reached
    extended = beams[number].copy()
    extended[:, joint.child] = poses
    kept = _different(new, extended, task, options.beams)
    return extended[kept], new[kept]


def _motions(joint: EdgeJoint, size: float, options: ConfirmationOptions) -> tuple[Array, Array]:
    """Motions (M, 4, 4) of the child by all alternatives, and what each costs."""
    twists, costs = [np.zeros((1, 6))], [np.zeros(1)]
    shares = np.linspace(-1, 1, options.steps + 1)
    for candidate in joint.alternatives:
        reach = {"revolute": np.pi, "prismatic": size, "fixed": 0.0}[candidate.type]
        if reach > 0:
            twists.append(shares[:, None] * reach * twist_of(candidate))
            costs.append(SMALL_MOTION * np.abs(shares))
    return exp_se3(np.vstack(twists)), np.concatenate(costs)


def _best(
    scores: Array, tried: Array, own: tuple[Array, Array], count: int, apart: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of beams and motions: of every beam the `count` best, some distance apart."""
    spread = own[0][:: max(len(own[0]) // 8, 1)]
    peaks = _peaks(scores)
    beams, steps = [], []
    for number, row in enumerate(scores):
        chosen: list[int] = []
        order = np.flatnonzero(peaks[number])
        order = order[np.argsort(-row[order])][: 8 * count]
        places = moved(tried[number, order], spread)
        for rank, step in enumerate(order):
            others = [int(np.flatnonzero(order == one)[0]) for one in chosen]
            if all(_apart(places[rank], places[other]) > apart for other in others):
                chosen.append(int(step))
            if len(chosen) == count:
                break
        beams += [number] * len(chosen)
        steps += chosen
    return np.array(beams), np.array(steps)


def _peaks(scores: Array) -> NDArray[np.bool_]:
    """Whether scores (B, M) exceed those of both neighbours: the flanks of a peak lead to it."""
    around = np.pad(scores, ((0, 0), (1, 1)), constant_values=-np.inf)
    return np.asarray((scores >= around[:, :-2]) & (scores >= around[:, 2:]))


def _apart(first: Array, second: Array) -> float:
    return float(np.linalg.norm(first - second, axis=-1).mean())


def _different(totals: Array, beams: Array, task: Searched, count: int) -> list[int]:
    """The best beams, none of which places all parts as a better one does."""
    kept: list[int] = []
    limit = ALIKE * task.options.coarse * task.size
    corners = np.vstack([np.eye(3), -np.eye(3)]) * task.size / 4
    for number in np.argsort(-totals):
        places = moved(beams[number], corners)
        if all(np.abs(places - moved(beams[k], corners)).max() > limit for k in kept):
            kept.append(int(number))
        if len(kept) == count:
            break
    return kept


def explained_share(
    frame: ObservedFrame, task: Searched, poses: Array, moving: Sequence[int]
) -> float:
    """Return the share of a frame's points that lie on some parts at their poses (P, 4, 4)."""
    placed = np.vstack([moved(poses[[p]], task.surfaces[p])[0] for p in moving])
    points = frame.cloud.points
    points = points[:: max(len(points) // BACKWARD_POINTS, 1)]
    distances = cKDTree(placed).query(points)[0]
    width = task.options.coarse * task.size
    return float(((1 + (distances / width) ** 2) ** -2).mean())
