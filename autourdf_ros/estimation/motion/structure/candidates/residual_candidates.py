"""Links that were taken for part of another, found by what the known links leave unexplained.

Links of a good model explain their points to the noise. Points beside each other that none explains
are followed by themselves through every sequence, from where a link near them carries them, and a
joint is fitted to how they move on it. It is kept where it saves them much of their cost in all
frames, in each of which it has but one unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.joint_fit import JointFit, fit_prismatic, fit_revolute, on_axes
from autourdf_ros.estimation.common.surface_matching import VISIBLE, visible_share
from autourdf_ros.estimation.motion.fitting.adjustment import adjust
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import BasePrior, States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.registration.point_labels import (
    COST_CAP,
    REACH,
    distance_costs,
    point_costs,
    refit_bodies,
    smooth_labels,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform
from autourdf_ros.parallel import on_all_cores

UNEXPLAINED = (1.5, 3.0, 4.5)
"""Mean costs of a point and its neighbours; those of good links are at 0.2 to 0.5. Where cameras
see little, patches run into each other at the first, and what is lost stands out at the last."""
LEAST_PATCH = 10
OWNER = 0.1  # share of a patch's points that a link has that may be its parent
EQUAL = 0.95  # share of the most gain from which the parent nearest to the root is taken
LEAST_POINTS = 20  # of a link
LEAST_GAIN = 40.0  # mean cost per frame that a link saves its points together
LEAST_SAVING = 0.4  # the same of each point
PROMISING = 0.4  # share of the least gain that a patch must save by itself, by any motion
SMALLER = 0.5  # share of the points of a patch's lower level up to which it is looked at by itself
TRIED = 0.9  # share of a patch's points that were in others when it is not looked at again
ROUNDS = 3  # of finding patches: a link may hide another
STEPS = 6  # of following a patch into the next frame
GATE = 4.0  # point spacings, within which a followed patch is matched
WIDTHS = (1.0, 0.35)  # point spacings, of the kernel that a joint is adjusted with
SURE = 5.0  # cost per frame that a parent saves over the next best one to be three times as likely
TURN_BONUS = 1.1  # a joint that turns must save more than one that slides: it has more unknowns


@dataclass(frozen=True)
class MovedModel:
    """An articulation as it moved in F frames, and the points of the reference on its links.

    Not a model but a fit: arrays for the solver with what every frame showed of them.

    values: (F, J). base: (F, 4, 4). labels: (N,), -1 none. costs, margins: (J,) of the joints, as
    of `CandidateTree`, but costs per frame.
    """

    model: Articulation
    values: Array
    base: Array
    labels: NDArray[np.int64]
    costs: Array
    margins: Array

    @property
    def poses(self) -> Array:
        """(F, B, 4, 4) of the links."""
        return body_poses(self.model, self.values, self.base)


@dataclass(frozen=True)
class Scene:
    """What is looked at.

    frames: F clouds, none of them the reference. sequences: numbers of the frames of each sequence
    that has any, in order. neighbours: of the reference's points. noise: of a point along its
    normal.
    """

    reference: Cloud
    frames: Sequence[Cloud]
    sequences: Sequence[NDArray[np.int64]]
    neighbours: csr_matrix
    noise: float


@dataclass(frozen=True)
class CandidateLink:
    """A link that moves on link `parent`, by a joint as of `Articulation`.

    members: (K,) its points. values: (F,). misfit: chi-square per frame of the joint's fit to how
    the points move by themselves. gain: cost per frame that it saves them. margin: how much more
    that is than on the next best parent, as one of `CandidateTree`.
    """

    parent: int
    members: NDArray[np.int64]
    twist: Array
    revolute: bool
    values: Array
    cost: float
    gain: float
    margin: float = np.inf


def with_residual_links(scene: Scene, model: MovedModel) -> MovedModel:
    """The model with the links that it lacks, and without those that these make needless.

    model: in the scene's frames. The same one comes back where nothing is found.
    """
    tried = {level: np.zeros(len(scene.reference.points), dtype=bool) for level in UNEXPLAINED}
    for _ in range(ROUNDS):
        costs = _costs(scene, model).min(axis=1)
        found: list[CandidateLink] = []
        for level, patch in nested_patches(costs, scene.neighbours):
            members = [link.members for link in found]
            if members and np.isin(patch, np.concatenate(members)).any():
                continue
            if tried[level][patch].mean() > TRIED:
                continue
            tried[level][patch] = True
            link = _link_of(scene, model, costs, patch)
            if link is not None:
                found.append(link)
        if not found:
            break
        for link in found:
            model = extended(scene, model, link)
        model = _without_needless(scene, model)
    return model


def _costs(scene: Scene, model: MovedModel) -> Array:
    """Mean costs (N, B) of every point under every link (`point_costs`), capped."""
    costs = point_costs(
        scene.reference, model.labels, list(scene.frames), model.poses, noise=scene.noise
    )
    return np.minimum(costs, COST_CAP)


def unexplained_patches(
    costs: Array, neighbours: csr_matrix, level: float
) -> list[NDArray[np.int64]]:
    """Points beside each other that no link explains, the largest patch first.

    costs: (N,) mean cost of every point (`point_costs`). neighbours: of the points. level: mean
    cost of a point and its neighbours beyond which it is not explained.
    """
    around = (neighbours > 0).astype(float)
    sums = around @ costs + costs
    mean = sums / (1 + np.asarray(around.sum(axis=1)).ravel())
    hot = np.flatnonzero(mean > level)
    count, owners = connected_components(neighbours[hot][:, hot], directed=False)
    patches = [hot[owners == number] for number in range(count)]
    return sorted((patch for patch in patches if len(patch) >= LEAST_PATCH), key=len, reverse=True)


def nested_patches(
    costs: Array, neighbours: csr_matrix
) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """Patches of every level of `UNEXPLAINED`, but those that hardly differ from a lower one's."""
    lower: list[NDArray[np.int64]] = []
    for level in UNEXPLAINED:
        patches = unexplained_patches(costs, neighbours, level)
        for patch in patches:
            within = (whole for whole in lower if np.isin(patch[0], whole))
            if len(patch) <= SMALLER * len(next(within, np.tile(patch, 2))):
                yield level, patch
        lower = patches


def _link_of(
    scene: Scene, model: MovedModel, costs: Array, patch: NDArray[np.int64]
) -> CandidateLink | None:
    """The link that a patch is of, on the parent near it that explains it best; None if none."""
    reference = scene.reference
    near = cKDTree(reference.points[patch]).query(
        reference.points, distance_upper_bound=REACH * reference.spacing
    )[0]
    within = np.isfinite(near)
    owners = model.labels[patch]
    parents, counts = np.unique(owners[owners >= 0], return_counts=True)
    owners = parents[counts > OWNER * len(patch)]
    # Where a link is there already, but moves wrongly, the right one hangs beside it.
    parents = np.unique([*owners, *model.model.parents[owners[owners > 0] - 1]])
    carried = [frame_costs(scene, model.poses[:, parent], patch) for parent in parents]

    def hung(parent: int) -> CandidateLink | None:
        poses = model.poses[:, parent]
        if not _promising(scene, poses, patch, carried):
            return None
        link = _fitted(scene, poses, parent, costs, patch)
        members = taken(scene, poses, costs, within, link)
        if len(members) < LEAST_POINTS:
            return link
        return adjusted_link(scene, poses, costs, replace(link, members=members))

    links = [link for parent in parents.tolist() if (link := hung(parent)) is not None]
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
    scene: Scene, poses: Array, patch: NDArray[np.int64], carried: Sequence[Array]
) -> bool:
    """Whether a motion of its own explains the patch better where it is explained worst.

    Which is one of the sequences. carried: (F, K) costs of its points under each link.
    """
    means = np.array(
        [[costs[numbers].mean(axis=0) for numbers in scene.sequences] for costs in carried]
    ).min(axis=0)
    worst = int(means.sum(axis=1).argmax())
    numbers = scene.sequences[worst]
    motion, _ = _followed(scene, patch, numbers, poses[numbers])
    part = replace(scene, frames=[scene.frames[i] for i in numbers])
    left = _costs_at(part, poses[numbers] @ motion, patch)
    return bool((means[worst] - left).sum() >= PROMISING * LEAST_GAIN)


def _fitted(
    scene: Scene, poses: Array, parent: int, costs: Array, patch: NDArray[np.int64]
) -> CandidateLink:
    """The joint of a patch on a parent at poses (F, 4, 4), of the likelier type."""

    def followed(numbers: NDArray[np.int64]) -> tuple[Array, Array]:
        return _followed(scene, patch, numbers, poses[numbers])

    motion = np.tile(np.eye(4), (len(poses), 1, 1))
    metric = np.zeros((len(poses), 6, 6))
    each = on_all_cores(followed, scene.sequences)
    for numbers, found in zip(scene.sequences, each, strict=True):
        motion[numbers], metric[numbers] = found
    links = []
    for fit in (fit_revolute, fit_prismatic):
        joint: JointFit = fit(motion[:, None], metric[:, None])
        link = CandidateLink(
            parent,
            patch,
            joint.twists[0],
            joint.type == "revolute",
            joint.values[:, 0],
            float(joint.costs[0]) / scene.noise**2 / len(poses),
            0.0,
        )
        links.append(adjusted_link(scene, poses, costs, link))
    turning, sliding = links
    return turning if turning.gain > TURN_BONUS * sliding.gain else sliding


def _followed(
    scene: Scene, patch: NDArray[np.int64], numbers: NDArray[np.int64], poses: Array
) -> tuple[Array, Array]:
    """Motions (F, 4, 4) of a patch relative to its parent in one sequence, and their metrics.

    numbers: of the sequence's F frames. poses: (F, 4, 4) of the parent. Each frame starts from the
    one before it, at its speed and at none.
    """
    reference = scene.reference
    points, normals = reference.points[patch], reference.normals[patch]
    labels = np.full(len(reference.points), -1)
    labels[patch] = 0
    motion, step = np.eye(4), np.eye(4)
    motions, metrics = [], []
    for number, pose in zip(numbers, poses, strict=True):
        frame, fits = scene.frames[number], []
        for start in (motion @ step, motion):
            fitted = refit_bodies(
                reference,
                labels,
                [frame],
                (pose @ start)[None, None],
                gate=GATE * reference.spacing,
                iterations=STEPS,
            )
            moved = fitted.poses[0, 0]
            costs = distance_costs(
                frame, transform(moved, points), normals @ moved[:3, :3].T, scene.noise
            )
            fits.append((costs.sum(), moved, fitted.information[0, 0]))
        _, moved, metric = min(fits, key=lambda fit: fit[0])
        before, motion = motion, inverse(pose) @ moved
        # Anew from its twist: a product of products doubles what rounding did to its rotation in
        # every frame, which after forty frames is all that is left of it.
        step = exp_se3(log_se3(inverse(before) @ motion))
        motions.append(motion)
        metrics.append(metric)
    return np.array(motions), np.array(metrics)


def adjusted_link(
    scene: Scene, poses: Array, costs: Array, link: CandidateLink, expected: Array | None = None
) -> CandidateLink:
    """The link with its joint adjusted to its points in all frames, and what it gains them.

    poses: (F, 4, 4) of its parent. costs: (N,) of every point of the reference without the link.
    expected: (F,) values by a motor's readings, if it is known which.
    """
    reference, members = scene.reference, link.members
    points = reference.points[members]
    twist, revolute = link.twist[None], np.array([link.revolute])
    joint = Articulation(
        np.zeros(1, dtype=np.int64),
        twist,
        revolute,
        on_axes(twist, points.mean(axis=0)[None], revolute),
    )
    surface = LabelledSurface(
        points,
        reference.normals[members],
        reference.flatness[members],
        np.ones(len(members), dtype=np.int64),
        np.ones(len(members)),
    )
    start, end = np.array(WIDTHS) * reference.spacing
    adjusted = adjust(
        joint,
        surface,
        list(scene.frames),
        States(link.values[:, None], poses),
        gate=3 * reference.spacing,
        kernels=np.concatenate([np.geomspace(start, end, 4), np.full(4, end)]),
        prior=BasePrior(0.0, 0.0),
        noise=scene.noise,
        expected=None if expected is None else expected[:, None],
        directions="forward",
    )
    better = replace(
        link, twist=adjusted.model.twists[0], values=adjusted.states.values[:, 0], gain=0.0
    )
    left = _costs_at(scene, poses @ _steps(better), members)
    return replace(better, gain=float((costs[members] - left).sum()))


def _steps(link: CandidateLink) -> Array:
    """Motions (F, 4, 4) of the link on its parent."""
    return exp_se3(link.twist * link.values[:, None])


def _costs_at(scene: Scene, poses: Array, members: NDArray[np.int64]) -> Array:
    """Mean costs (K,) of points of the reference if they were moved by poses (F, 4, 4)."""
    return np.asarray(frame_costs(scene, poses, members).mean(axis=0))


def frame_costs(scene: Scene, poses: Array, members: NDArray[np.int64]) -> Array:
    """Costs (F, K) of points of the reference if they were moved by poses (F, 4, 4)."""
    points, normals = scene.reference.points[members], scene.reference.normals[members]

    def costs(frame: Cloud, pose: Array) -> Array:
        return distance_costs(frame, transform(pose, points), normals @ pose[:3, :3].T, scene.noise)

    return np.array(on_all_cores(costs, scene.frames, poses))


def taken(
    scene: Scene, poses: Array, costs: Array, within: NDArray[np.bool_], link: CandidateLink
) -> NDArray[np.int64]:
    """Points within reach (N,) that the link explains better than what they belong to."""
    near = np.flatnonzero(within)
    choices = np.full((len(costs), 2), np.inf)
    choices[:, 0] = costs
    choices[near, 1] = _costs_at(scene, poses @ _steps(link), near)
    return np.flatnonzero(smooth_labels(choices, scene.neighbours) == 1)


def extended(scene: Scene, model: MovedModel, link: CandidateLink) -> MovedModel:
    """The model with one link more."""
    old, twist = model.model, link.twist[None]
    revolute = np.array([link.revolute])
    middle = scene.reference.points[link.members].mean(axis=0)
    labels = model.labels.copy()
    labels[link.members] = len(old.parents) + 1
    return replace(
        model,
        model=Articulation(
            np.append(old.parents, link.parent),
            np.concatenate([old.twists, twist]),
            np.append(old.revolute, revolute),
            np.concatenate([old.anchors, on_axes(twist, middle[None], revolute)]),
        ),
        values=np.concatenate([model.values, link.values[:, None]], axis=1),
        labels=labels,
        costs=np.append(model.costs, link.cost),
        margins=np.append(model.margins, link.margin),
    )


def _without_needless(scene: Scene, model: MovedModel) -> MovedModel:
    """The model without last links that save their points next to nothing any more."""
    while True:
        costs = _costs(scene, model)
        gains = np.full(costs.shape[1], np.inf)
        for link in set(range(1, len(gains))) - set(model.model.parents.tolist()):
            own = costs[model.labels == link]
            others = np.delete(own, link, axis=1).min(axis=1, initial=COST_CAP)
            gains[link] = np.sum(others - own[:, link])
        weakest = int(gains.argmin())
        if gains[weakest] >= LEAST_GAIN:
            return model
        costs[:, weakest] = np.inf
        labels = np.where(model.labels == weakest, costs.argmin(axis=1), model.labels)
        kept = np.delete(np.arange(len(gains) - 1), weakest - 1)
        old = model.model
        parents = old.parents[kept]
        model = replace(
            model,
            model=Articulation(
                parents - (parents > weakest),
                old.twists[kept],
                old.revolute[kept],
                old.anchors[kept],
            ),
            values=model.values[:, kept],
            labels=labels - (labels > weakest),
            costs=model.costs[kept],
            margins=model.margins[kept],
        )
