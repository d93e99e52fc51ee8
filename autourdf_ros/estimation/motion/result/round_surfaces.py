"""Surfaces that are round about a joint's axis: no motion shows which of its links they are of.

Two of them, on either side of a link, both may be of that link. So where they lie beside each other
they are given to it: then they never move against each other, as nothing ever showed them to, and
no collision check takes the one for an obstacle of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.model.tree_joint import joint_motion
from autourdf_ros.shape.visual.closed_mesh import point_spacing

_BESIDE = 14.0  # point spacings: meshes and hulls do not keep nearer ones apart, seen in part
_RESIDUAL = 1.5  # noises by which a round surface, turned, is off itself at most
_REACH = 3.0  # point spacings in which a turned point finds the surface; less shows no turn
_STEPS = 8  # in the half of a joint's observed range that is farthest from its reference: any
# surface stays on itself when it hardly moves
_TURNS = 36  # places on the way round an axis
_LEAST_KEPT = 0.25  # of a link's points; one that is round all over stays a link


def with_round_surfaces_between(
    model: SelfModel, ranges: NDArray[np.float64], noise: float
) -> SelfModel:
    """Return the model with round surfaces given to the link between them.

    A point is round where its link's and the neighbour's points, put to other values of the joint,
    stay on the surface that they make. Two surfaces of the neighbours of one link lie beside each
    other where this is so anywhere on their ways round. A point that would lie beside another one
    as well if it were given away goes where that is farther. A link keeps a quarter of its points:
    of more, those that come nearest to another one are given.

    Args:
        ranges: (J, 2) values of the joints that were seen, NaN where none.
        noise: Standard deviation of a point along its normal (m).
    """
    surfaces = {link.name: link.surface for link in model.links if len(link.surface.points) > 1}
    if not surfaces:
        return model
    spacing = float(np.median([point_spacing(own.points) for own in surfaces.values()]))
    sides: dict[str, list[_Side]] = {link.name: [] for link in model.links}
    for joint, seen in zip(model.joints, ranges, strict=True):
        if (
            joint.type != "fixed"
            and seen[1] > seen[0]
            and {joint.parent, joint.child} <= set(surfaces)
        ):
            for between, beyond in ((joint.parent, joint.child), (joint.child, joint.parent)):
                both = _joined([surfaces[beyond], surfaces[between]])
                sides[between].append(
                    _side(joint, beyond, surfaces[beyond], both, seen, spacing, _RESIDUAL * noise)
                )
    reach = _BESIDE * spacing
    given: dict[str, list[_Gift]] = {name: [] for name in surfaces}
    for between, around in sides.items():
        for side in around:
            kept = side.gaps([other for other in around if other.link != side.link], reach)
            gone = side.gaps([own for own in sides[side.link] if own.link != between], reach)
            nearer = kept < gone
            given[side.link].append(_Gift(between, side.indices[nearer], kept[nearer]))
    return _regiven(model, given)


@dataclass(frozen=True, eq=False)
class _Side:
    """The round points of a link about the joint that joins it to another.

    Attributes:
        indices: (K,) of the link's points.
        ways: (K, S, 3) places of each on its way round.
    """

    link: str
    indices: NDArray[np.int64]
    ways: NDArray[np.float64]

    def gaps(self, others: Sequence[_Side], reach: float) -> NDArray[np.float64]:
        """Return (K,) how near a point's way comes to those of others; infinite beyond `reach`."""
        gaps = np.full(len(self.indices), np.inf)
        for other in others:
            if len(self.indices) and len(other.indices):
                places, tree = self.ways.reshape(-1, 3), other._tree
                low, high = tree.mins - reach, tree.maxes + reach
                near = np.flatnonzero(((places > low) & (places < high)).all(axis=1))
                found = tree.query(places[near], distance_upper_bound=reach, workers=-1)[0]
                np.minimum.at(gaps, near // self.ways.shape[1], found)
        return gaps

    @cached_property
    def _tree(self) -> cKDTree:
        """Of all places; not balanced, which takes longer than it saves here."""
        return cKDTree(self.ways.reshape(-1, 3), balanced_tree=False, compact_nodes=False)


@dataclass(frozen=True, eq=False)
class _Gift:
    """Points that a link could give to another.

    Attributes:
        to: name of the other link.
        indices: (K,) of the link's points.
        gaps: (K,) how near each comes to a point that it lies beside (m).
    """

    to: str
    indices: NDArray[np.int64]
    gaps: NDArray[np.float64]


def _side(
    joint: Joint,
    link: str,
    own: Surface,
    both: Surface,
    seen: NDArray[np.float64],
    spacing: float,
    cost: float,
) -> _Side:
    tree = cKDTree(both.points)
    values = np.linspace(seen[0], seen[1], 2 * _STEPS)
    farthest = np.argsort(-np.abs(values - joint.reference), kind="stable")[:_STEPS]
    gaps, moved = [], []
    for motion in joint_motion(joint, values[farthest]):
        turned = transform(motion, own.points)
        moved.append(np.linalg.norm(turned - own.points, axis=1))
        distances, nearest = tree.query(turned, distance_upper_bound=_REACH * spacing, workers=-1)
        found = np.isfinite(distances)
        off = np.full(len(turned), np.inf)
        there = nearest[found]
        off[found] = np.abs(
            np.einsum("ij,ij->i", turned[found] - both.points[there], both.normals[there])
        )
        gaps.append(off)
    moves = bool(np.median(moved) > _REACH * spacing)  # else any surface stays on itself
    indices = np.flatnonzero((np.median(gaps, axis=0) < cost) & moves)
    if joint.type == "prismatic":
        steps = np.linspace(seen[0], seen[1], _TURNS)
    else:
        steps = joint.reference + np.linspace(0, 2 * np.pi, _TURNS, endpoint=False)
    ways = transform(joint_motion(joint, steps)[:, None], own.points[indices])
    return _Side(link, indices, ways.swapaxes(0, 1))


def _regiven(model: SelfModel, given: dict[str, list[_Gift]]) -> SelfModel:
    """The model with points given from each link to others; each to the one it is nearest for."""
    parts = {link.name: [link.surface] for link in model.links}
    for name, gifts in given.items():
        surface = parts[name][0]
        gaps = np.full((len(gifts) + 1, len(surface.points)), np.inf)
        for row, gift in zip(gaps, gifts, strict=False):
            row[gift.indices] = gift.gaps
        owner, nearest = np.argmin(gaps, axis=0), np.min(gaps, axis=0)
        most = len(nearest) - int(np.ceil(_LEAST_KEPT * len(nearest)))
        owner[np.argsort(nearest, kind="stable")[most:]] = len(gifts)
        owner[np.isinf(nearest)] = len(gifts)
        for number, gift in enumerate(gifts):
            parts[gift.to].append(_chosen(surface, owner == number))
        parts[name][0] = _chosen(surface, owner == len(gifts))
    return model.with_parts(
        replace(link, surface=_joined(parts[link.name])) for link in model.links
    )


def _chosen(surface: Surface, kept: NDArray[np.bool_]) -> Surface:
    colors = None if surface.colors is None else surface.colors[kept]
    return Surface(surface.points[kept], surface.normals[kept], colors)


def _joined(surfaces: Sequence[Surface]) -> Surface:
    """All together; coloured where all are that have points."""
    full = [own for own in surfaces if len(own.points)] or list(surfaces[:1])
    colors = [own.colors for own in full if own.colors is not None]
    return Surface(
        np.concatenate([own.points for own in full]),
        np.concatenate([own.normals for own in full]),
        np.concatenate(colors) if len(colors) == len(full) else None,
    )
