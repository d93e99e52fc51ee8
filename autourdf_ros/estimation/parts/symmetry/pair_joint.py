"""The joint between two parts: ranked candidates, and how good the best is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import SOURCES, Axes
from autourdf_ros.estimation.parts.symmetry.proposals.axis_candidates import axis_candidates
from autourdf_ros.estimation.parts.symmetry.proposals.axis_refinement import refined_axes
from autourdf_ros.estimation.parts.symmetry.ranking.features import ranked_features
from autourdf_ros.estimation.parts.symmetry.ranking.other_choices import ordered_choices
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.estimation.parts.symmetry.weights.candidate_weights import probabilities
from autourdf_ros.parallel import Tally, on_all_cores
from autourdf_ros.progress import Progress, silent, staged

Array = NDArray[np.float64]
SHOWN = {
    "symmetry": "sym_min",
    "symmetry of one": "sym_max",
    "gap": "gap_min",
    "collision": "deeper",
    "slip": "slip_min",
    "coverage": "round_min",
    "blocked sideways": "blocked",
    "swing hits": "hit_min",
}
"""Features that a candidate shows as its evidence, by the name that a reader sees."""
FEWEST = 8
"""Points of a contact region below which nothing is said about its joint."""


@dataclass(frozen=True)
class PairJoint:
    """What is found about the joint between two parts.

    Attributes:
        first: Number of the part.
        second: Number of the part.
        contact: Where they are near each other.
        candidates: Ranked, the best first; empty where there is none.
        quality: Q of the best candidate, up to about 3.5, higher for a better joint; -inf without
            one. The distance between the parts is not in it.
    """

    first: int
    second: int
    contact: ContactRegion
    candidates: tuple[JointCandidate, ...]
    quality: float


def pair_joint(
    first: PreparedPart,
    second: PreparedPart,
    contact: ContactRegion,
    size: float,
    options: SymmetryOptions = SymmetryOptions(),  # noqa: B008  (frozen)
) -> PairJoint:
    """Find the joint between two parts.

    Args:
        first: A part.
        second: A part.
        contact: Of these parts in this order.
        size: Of the assembly (m).
        options: Of the method.
    """
    if len(contact.points) < FEWEST:
        return PairJoint(first.index, second.index, contact, (), -np.inf)
    proposed = axis_candidates(first, second, contact, options)
    axes, features = ranked_features(first, second, contact, proposed, options)
    scores = options.weights.scores(features, axes.slides, axes.edges)
    smaller = min(first.diagonal, second.diagonal)
    same = axes.nearly_same(options.same_angle, options.same_place(size, smaller))
    chosen = ordered_choices(axes, probabilities(scores), same, options.alternatives)
    best = axes.taken(np.array([i for i, _ in chosen]))
    refined = refined_axes(contact, best, options.same_offset * smaller, options)
    candidates = stated_candidates(axes, refined, chosen, features, scores)
    quality = float(joint_quality(axes, features).max())
    return PairJoint(first.index, second.index, contact, candidates, quality)


def stated_candidates(
    axes: Axes,
    refined: Axes,
    chosen: Sequence[tuple[int, float]],
    features: Mapping[str, Array],
    scores: Array,
) -> tuple[JointCandidate, ...]:
    """Return the chosen axes as candidates.

    Args:
        axes: K.
        refined: The chosen ones, refined.
        chosen: Index and probability of each, the best first.
        features: (K,) by name.
        scores: (K,).
    """
    return tuple(
        JointCandidate(
            "prismatic" if axes.slides[i] else "revolute",
            refined.directions[rank],
            refined.points[rank],
            float(scores[i]),
            share,
            features={name: float(features[feature][i]) for name, feature in SHOWN.items()},
            source=SOURCES[axes.sources[i]],
        )
        for rank, (i, share) in enumerate(chosen)
    )


def joint_quality(axes: Axes, features: Mapping[str, Array]) -> Array:
    """Return Q (K,): symmetry of both parts about the axes, and how their gap stays."""
    symmetry = np.where(axes.slides, features["sym_max"], features["sym_min"])
    symmetry = symmetry * np.where(axes.slides, features["blocked"], 1.0)
    even = 0.6 * features["round_min"]
    return np.asarray(2 * symmetry + features["gap_min"] - 2 * features["deeper"] + even)


def pair_joints(
    parts: Sequence[PreparedPart],
    contacts: Sequence[tuple[int, int, ContactRegion]],
    size: float,
    options: SymmetryOptions = SymmetryOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> dict[tuple[int, int], PairJoint]:
    """Find the joints of many pairs (first < second), on all cores."""
    tally = Tally(max(len(contacts), 1), staged(progress, "joints"))

    def work(first: int, second: int, contact: ContactRegion) -> PairJoint:
        found = pair_joint(parts[first], parts[second], contact, size, options)
        tally.add()
        return found

    found = on_all_cores(work, *zip(*contacts, strict=True)) if contacts else []
    return {(joint.first, joint.second): joint for joint in found}
