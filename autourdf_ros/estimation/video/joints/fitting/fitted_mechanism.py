"""What a mechanism is fitted to, its joints, and the order of their unknowns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS, PairType
from autourdf_ros.estimation.video.pose_track import BodySymmetry
from autourdf_ros.geometry.arrays import Array

TURN_RANGE = 1.0  # rad: what is known less well counts as not observed


@dataclass(frozen=True)
class Observations:
    """What was seen of B bodies in T frames.

    Attributes:
        root: (T, 4, 4) poses of the root in the world.
        poses: (B, T, 4, 4) in the world; the identity where not seen.
        information: (B, T, 6, 6) inverse covariances of twists about the centres; zero where not
            seen.
        centres: (B, 3) in the bodies' frames (m).
        symmetries: B symmetries.
        size: Of the mechanism (m).
    """

    root: Array
    poses: Array
    information: Array
    centres: Array
    symmetries: tuple[BodySymmetry, ...]
    size: float

    @property
    def ranges(self) -> Array:
        """(6,) standard deviations of small motions beforehand: `TURN_RANGE` and the size (m)."""
        return np.array([TURN_RANGE] * 3 + [self.size] * 3)


@dataclass(frozen=True)
class Edge:
    """A joint of a mechanism that moves.

    Attributes:
        parent: Number of a body, or -1: the root.
        child: Number of a body.
        kind: Type.
        frame: (4, 4) K, the joint's frame in the parent.
        placement: (4, 4) L, the child's frame behind the joint.
        motions: (T, 4, 4) g, of the type's subgroup.
        parallel: Whether its axis is held parallel to that of the joint that moves its parent.
    """

    parent: int
    child: int
    kind: PairType
    frame: Array
    placement: Array
    motions: Array
    parallel: bool = False


@dataclass(frozen=True)
class MechanismFit:
    """A fitted mechanism.

    Attributes:
        edges: Parents first.
        observations: With the poses that look alike and are nearest.
        squares: (B, T) squared errors over the stated variances.
        weights: (B, T) of Student's distribution.
        constants: (C, C) information about all K and L, in the order of the edges, their
            coordinates `placed` before `rest`.
        latents: (T, D, D) information about the joints' motions, the constants given.
        coupling: (T, D, C) between both.
        whitened: (B, T, 6) errors in units of their standard deviations.
    """

    edges: tuple[Edge, ...]
    observations: Observations
    squares: Array
    weights: Array
    constants: Array
    latents: Array
    coupling: Array
    whitened: Array


def constant_slices(edges: tuple[Edge, ...]) -> list[slice]:
    """Return where the constants of every edge are: `placed` coordinates first."""
    counts = [len(PAIRS[e.kind].placed) + len(PAIRS[e.kind].rest) for e in edges]
    ends = np.cumsum(counts, dtype=int)
    return [slice(int(end - n), int(end)) for end, n in zip(ends, counts, strict=True)]


def latent_slices(edges: tuple[Edge, ...]) -> list[slice]:
    """Return where the motions of every edge are."""
    counts = [len(PAIRS[e.kind].moves) for e in edges]
    ends = np.cumsum(counts, dtype=int)
    return [slice(int(end - n), int(end)) for end, n in zip(ends, counts, strict=True)]


def constant_ranges(seen: Observations, edges: tuple[Edge, ...]) -> Array:
    """Return what is known of every constant beforehand (C,), rad or m."""
    pairs = [PAIRS[edge.kind] for edge in edges]
    return seen.ranges[np.array([i for pair in pairs for i in (*pair.placed, *pair.rest)], int)]


def latent_ranges(seen: Observations, edges: tuple[Edge, ...]) -> Array:
    """Return what is known of every motion beforehand (D,), rad or m."""
    return seen.ranges[np.array([i for edge in edges for i in PAIRS[edge.kind].moves], int)]
