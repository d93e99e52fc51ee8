"""Links that were taken for part of another, found by what the known links leave unexplained.

Links of a good model explain their points to the noise. Points beside each other that none explains
are followed by themselves through every sequence, from where a link near them carries them, and a
joint is fitted to how they move on it. It is kept where it saves them much of their cost in all
frames, in each of which it has but one unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autourdf_ros.kinematics.adjustment import BasePrior, States, adjust
from autourdf_ros.kinematics.articulation import Articulation, body_poses
from autourdf_ros.kinematics.cloud import Cloud
from autourdf_ros.kinematics.joint_fit import JointFit, fit_prismatic, fit_revolute, line_point
from autourdf_ros.kinematics.labelling import (
    COST_CAP,
    REACH,
    distance_costs,
    point_costs,
    smooth_labels,
)
from autourdf_ros.kinematics.matching import (
    Array,
    match,
    normal_equations,
    point_information,
    visible_information,
)
from autourdf_ros.kinematics.merging import to_reference
from autourdf_ros.kinematics.parallel import on_all_cores
from autourdf_ros.kinematics.rigid_motion import exp_se3, from_translation, inverse, transform
from autourdf_ros.kinematics.surface import LabelledSurface

UNEXPLAINED = 1.5  # mean cost of a point and its neighbours; those of good links are at 0.2 to 0.5
LEAST_PATCH = 10
OWNER = 0.1  # share of a patch's points that a link has that may be its parent
LEAST_POINTS = 20  # of a link
LEAST_GAIN = 40.0  # mean cost per frame that a link saves its points together
LEAST_SAVING = 0.4  # the same of each point
PROMISING = 0.4  # share of the least gain that a patch must save by itself, by any motion
ROUNDS = 3  # of finding patches: a link may hide another
STEPS = 6  # of following a patch into the next frame
GATES = (1.5, 0.7)  # point spacings, start and end of the kernel's width
SLIDE = 0.05  # share of a patch's points that holds it where it was, against sliding
WIDTHS = (1.0, 0.35)  # point spacings, of the kernel that a joint is adjusted with
TURN_BONUS = 1.1  # a joint that turns must save more than one that slides: it has more unknowns


@dataclass(frozen=True)
class MovedModel:
    """An articulation as it moved in F frames, and the points of the reference on its links.

    values: (F, J). base: (F, 4, 4). labels: (N,), -1 none. costs, margins: (J,) of the joints, as
    of `KinematicTree`, but costs per frame.
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
class HiddenLink:
    """A link that moves on link `parent`, by a joint as of `Articulation`.

    members: (K,) its points. values: (F,). misfit: chi-square per frame of the joint's fit to how
    the points move by themselves. gain: cost per frame that it saves them.
    """

    parent: int
    members: NDArray[np.int64]
    twist: Array
    revolute: bool
    values: Array
    misfit: float
    gain: float


def with_hidden_links(
    reference: Cloud,
    frames: Sequence[Cloud],
    sequences: Sequence[NDArray[np.int64]],
    neighbours: csr_matrix,
    model: MovedModel,
    *,
    noise: float,
) -> MovedModel:
    """The model with the links that it lacks, and without those that these make needless.

    frames: F, none of them the reference. sequences: numbers of the frames of each, in order.
    """
    for _ in range(ROUNDS):
        costs = _least_costs(reference, frames, model, noise)
        found: list[HiddenLink] = []
        for patch in _patches(costs, neighbours):
            taken = [link.members for link in found]
            if taken and np.isin(patch, np.concatenate(taken)).any():
                continue
            link = _link_of(reference, frames, sequences, neighbours, model, costs, patch, noise)
            if link is not None:
                found.append(link)
        if not found:
            break
        for link in found:
            model = _extended(reference, model, link)
        model = _without_needless(reference, frames, model, noise)
    return model


def _least_costs(
    reference: Cloud, frames: Sequence[Cloud], model: MovedModel, noise: float
) -> Array:
    """Mean cost (N,) of every point under the link that explains it best."""
    costs = point_costs(reference, model.labels, list(frames), model.poses, noise=noise)
    return np.minimum(costs.min(axis=1), COST_CAP)


def _patches(costs: Array, neighbours: csr_matrix) -> list[NDArray[np.int64]]:
    """Points beside each other that no link explains, the largest patch first."""
    around = (neighbours > 0).astype(float)
    sums = around @ costs + costs
    mean = sums / (1 + np.asarray(around.sum(axis=1)).ravel())
    hot = np.flatnonzero(mean > UNEXPLAINED)
    count, owners = connected_components(neighbours[hot][:, hot], directed=False)
    patches = [hot[owners == number] for number in range(count)]
    return sorted((patch for patch in patches if len(patch) >= LEAST_PATCH), key=len, reverse=True)


def _link_of(
    reference: Cloud,
    frames: Sequence[Cloud],
    sequences: Sequence[NDArray[np.int64]],
    neighbours: csr_matrix,
    model: MovedModel,
    costs: Array,
    patch: NDArray[np.int64],
    noise: float,
) -> HiddenLink | None:
    """The link that a patch is of, on the parent near it that explains it best; None if none."""
    near = cKDTree(reference.points[patch]).query(
        reference.points, distance_upper_bound=REACH * reference.spacing
    )[0]
    within = np.isfinite(near)
    owners = model.labels[patch]
    parents, counts = np.unique(owners[owners >= 0], return_counts=True)
    parents = parents[counts > OWNER * len(patch)]

    def hung(parent: int) -> HiddenLink | None:
        poses = model.poses[:, parent]
        link = _fitted(reference, frames, sequences, poses, parent, costs, patch, noise)
        if link is None:
            return None
        members = _taken(reference, frames, neighbours, poses, costs, within, link, noise)
        if len(members) < LEAST_POINTS:
            return link
        again = replace(link, members=members)
        return _adjusted(reference, frames, poses, costs, again, noise)

    links = [link for parent in parents.tolist() if (link := hung(parent)) is not None]
    if not links:
        return None
    best = max(links, key=lambda link: link.gain)
    worth = best.gain > max(LEAST_GAIN, LEAST_SAVING * len(best.members))
    return best if worth and len(best.members) >= LEAST_POINTS else None


def _fitted(
    reference: Cloud,
    frames: Sequence[Cloud],
    sequences: Sequence[NDArray[np.int64]],
    poses: Array,
    parent: int,
    costs: Array,
    patch: NDArray[np.int64],
    noise: float,
) -> HiddenLink | None:
    """The joint of a patch on a parent at poses (F, 4, 4), of the likelier type.

    None where a motion of its own hardly explains the patch better.
    """
    motion = np.tile(np.eye(4), (len(frames), 1, 1))
    metric = np.zeros((len(frames), 6, 6))
    for numbers in sequences:
        motion[numbers], metric[numbers] = _followed(
            reference, patch, [frames[i] for i in numbers], poses[numbers]
        )
    left = _costs_at(reference, frames, poses @ motion, patch, noise)
    if (costs[patch] - left).sum() < PROMISING * LEAST_GAIN:
        return None
    links = []
    for fit in (fit_revolute, fit_prismatic):
        joint: JointFit = fit(motion[:, None], metric[:, None])
        link = HiddenLink(
            parent,
            patch,
            joint.twists[0],
            joint.type == "revolute",
            joint.values[:, 0],
            float(joint.costs[0]) / noise**2 / len(frames),
            0.0,
        )
        links.append(_adjusted(reference, frames, poses, costs, link, noise))
    turning, sliding = links
    return turning if turning.gain > TURN_BONUS * sliding.gain else sliding


def _followed(
    reference: Cloud, patch: NDArray[np.int64], frames: Sequence[Cloud], poses: Array
) -> tuple[Array, Array]:
    """Motions (F, 4, 4) of a patch relative to its parent in one sequence, and their metrics.

    poses: (F, 4, 4) of the parent. Each frame starts from the one before it.
    """
    points, normals = reference.points[patch], reference.normals[patch]
    middle = points.mean(axis=0)
    radius2 = float(((points - middle) ** 2).sum(axis=1).mean())
    ridge = SLIDE * len(patch) * np.diag([*[radius2] * 3, 1.0, 1.0, 1.0]) + 1e-9 * np.eye(6)
    motion, motions, metrics = np.eye(4), [], []
    for frame, pose in zip(frames, poses, strict=True):
        for gate in np.geomspace(*GATES, STEPS) * reference.spacing:
            moved = pose @ motion
            matches = match(
                transform(moved, points),
                normals @ moved[:3, :3].T,
                reference.flatness[patch],
                frame,
                gate=2 * gate,
                kernel=gate,
                directions="forward",
            )
            centre = transform(moved, middle[None])
            groups = np.zeros(len(matches.source), dtype=np.int64)
            information, gradient = normal_equations(matches, groups, centre)
            twist = np.linalg.solve(information[0] + ridge, gradient[0])
            step = from_translation(centre[0]) @ exp_se3(twist) @ from_translation(-centre[0])
            motion = inverse(pose) @ step @ moved
        seen = visible_information(information, point_information(matches, groups, centre))
        about = to_reference(from_translation(-centre), seen)[0]
        motions.append(motion)
        metrics.append(to_reference(pose, about))
    return np.array(motions), np.array(metrics)


def _adjusted(
    reference: Cloud,
    frames: Sequence[Cloud],
    poses: Array,
    costs: Array,
    link: HiddenLink,
    noise: float,
) -> HiddenLink:
    """The link with its joint adjusted to its points in all frames, and what it gains them."""
    members = link.members
    points = reference.points[members]
    twist = link.twist[None]
    joint = Articulation(
        np.zeros(1, dtype=np.int64),
        twist,
        np.array([link.revolute]),
        line_point(twist) if link.revolute else points.mean(axis=0)[None],
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
        list(frames),
        States(link.values[:, None], poses),
        gate=3 * reference.spacing,
        kernels=np.concatenate([np.geomspace(start, end, 4), np.full(4, end)]),
        prior=BasePrior(0.0, 0.0),
        noise=noise,
        directions="forward",
    )
    better = replace(
        link, twist=adjusted.model.twists[0], values=adjusted.states.values[:, 0], gain=0.0
    )
    left = _costs_at(reference, frames, poses @ _steps(better), members, noise)
    return replace(better, gain=float((costs[members] - left).sum()))


def _steps(link: HiddenLink) -> Array:
    """Motions (F, 4, 4) of the link on its parent."""
    return exp_se3(link.twist * link.values[:, None])


def _costs_at(
    reference: Cloud,
    frames: Sequence[Cloud],
    poses: Array,
    members: NDArray[np.int64],
    noise: float,
) -> Array:
    """Mean costs (K,) of points of the reference if they were moved by poses (F, 4, 4)."""
    points, normals = reference.points[members], reference.normals[members]

    def costs(frame: Cloud, pose: Array) -> Array:
        return distance_costs(frame, transform(pose, points), normals @ pose[:3, :3].T, noise)

    return np.asarray(np.mean(on_all_cores(costs, frames, poses), axis=0))


def _taken(
    reference: Cloud,
    frames: Sequence[Cloud],
    neighbours: csr_matrix,
    poses: Array,
    costs: Array,
    within: NDArray[np.bool_],
    link: HiddenLink,
    noise: float,
) -> NDArray[np.int64]:
    """Points within reach (N,) that the link explains better than what they belong to."""
    near = np.flatnonzero(within)
    choices = np.full((len(costs), 2), np.inf)
    choices[:, 0] = costs
    choices[near, 1] = _costs_at(reference, frames, poses @ _steps(link), near, noise)
    return np.flatnonzero(smooth_labels(choices, neighbours) == 1)


def _extended(reference: Cloud, model: MovedModel, link: HiddenLink) -> MovedModel:
    """The model with one link more."""
    old, twist = model.model, link.twist[None]
    points = reference.points[link.members]
    anchor = line_point(twist)[0] if link.revolute else points.mean(axis=0)
    if link.revolute:
        axis = link.twist[:3]
        anchor = anchor + ((points.mean(axis=0) - anchor) @ axis) * axis
    labels = model.labels.copy()
    labels[link.members] = len(old.parents) + 1
    return replace(
        model,
        model=Articulation(
            np.append(old.parents, link.parent),
            np.concatenate([old.twists, twist]),
            np.append(old.revolute, link.revolute),
            np.concatenate([old.anchors, anchor[None]]),
        ),
        values=np.concatenate([model.values, link.values[:, None]], axis=1),
        labels=labels,
        costs=np.append(model.costs, link.misfit),
        margins=np.append(model.margins, np.inf),
    )


def _without_needless(
    reference: Cloud, frames: Sequence[Cloud], model: MovedModel, noise: float
) -> MovedModel:
    """The model without last links that save their points next to nothing any more."""
    while True:
        costs = point_costs(reference, model.labels, list(frames), model.poses, noise=noise)
        costs = np.minimum(costs, COST_CAP)
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
