"""The five rewards of a tree (paper, III.C.3, Eqs 1 to 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.mcts.search_state import Action, SearchSpace, SearchState, depths
from autourdf_ros.geometry.arrays import Array

MAD_SCALE = 1.4826
"""Of a normal distribution: its standard deviation over its median absolute deviation."""

TINY = 1e-9
"""ε of Eqs 7 and 8, as a share of what it is added to: it avoids a division by zero only."""


@dataclass(frozen=True)
class RewardTerms:
    """Computes the rewards of complete trees.

    Attributes:
        space: Graph, base and clusters.
        centres: (N, 3) c_i (m).
        volumes: (N,) v_i (m³).
        torque_scale: σ_τ (m⁴: torque over ρ g, which cancel).
        options: Weights, k and λ.
    """

    space: SearchSpace
    centres: Array
    volumes: Array
    torque_scale: float
    options: MctsOptions

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """Weight of every term, by name."""
        options = self.options
        return {
            "struct": options.struct_weight,
            "static": options.static_weight,
            "contact": options.contact_weight,
            "symmetry": options.symmetry_weight,
            "hierarchy": options.hierarchy_weight,
        }

    def terms(self, state: SearchState) -> dict[str, float]:
        """Return the five terms of a complete tree, by name."""
        edges = state.edges
        level = depths(edges, self.space.base, len(state.parents))
        return {
            "struct": struct_reward(edges, level, self.options.degree, self.options.degree_weight),
            "static": static_reward(edges, self.centres, self.volumes, self.torque_scale),
            "contact": contact_reward(edges, self.space.graph.strengths),
            "symmetry": symmetry_reward(state.parents, level, self.space.clusters),
            "hierarchy": hierarchy_reward(edges, self.volumes),
        }

    def total(self, terms: Mapping[str, float]) -> float:
        """Return R(T̃) in [0, 1]: the weighted sum over its greatest value.

        All terms are at most 1, R_sym at most 2.
        """
        greatest = sum(self.weights.values()) + self.weights["symmetry"]
        return sum(self.weights[name] * value for name, value in terms.items()) / greatest

    @cached_property
    def immediate(self) -> Mapping[Action, float]:
        """Score of every action, by which a rollout chooses.

        The paper does not define it. These are the two rewards that are sums over edges:
        w_contact s(u, v) + w_hier / (1 + max(0, v_v / (v_u + ε) − 1)).
        """
        contact, hierarchy = self.options.contact_weight, self.options.hierarchy_weight
        return {
            edge: contact * strength + hierarchy * hierarchy_reward([edge], self.volumes)
            for edge, strength in self.space.graph.strengths.items()
        }


def struct_reward(
    edges: Sequence[Action], level: Sequence[int], degree: float, weight: float
) -> float:
    """Return R_struct = 1 / (mean d² + λ mean (deg⁺ − k)²) (Eq. 1), in (0, 1] for k ≥ 1, λ ≥ 1.

    The bars of averages are as the text defines them. λ, which the text names and the printed
    equation lacks, weighs the second term; λ = 1 is the printed equation.

    Args:
        edges: Of the tree.
        level: d(i) of every part.
        degree: k.
        weight: λ.
    """
    out = np.bincount([parent for parent, _ in edges], minlength=len(level))
    depth = float(np.mean(np.square(level)))
    return min(1.0, 1 / (depth + weight * float(np.mean((out - degree) ** 2))))


def torques(edges: Sequence[Action], centres: Array, volumes: Array) -> Array:
    """Return ‖(c_sub(i) − c_i) × M(i) ẑ⁻‖ of every part but the base (Eqs 2 to 4), over ρ g.

    Args:
        edges: Parents before their children.
        centres: (N, 3) c_i (m).
        volumes: (N,) v_i (m³).
    """
    mass = volumes.astype(np.float64).copy()
    moment = mass[:, None] * centres
    for parent, child in reversed(edges):
        mass[parent] += mass[child]
        moment[parent] += moment[child]
    moved = [child for _, child in edges]
    arms = (moment - mass[:, None] * centres)[moved, :2]
    return np.linalg.norm(arms, axis=1)


def static_reward(edges: Sequence[Action], centres: Array, volumes: Array, scale: float) -> float:
    """Return R_static = 1 / (1 + τ / σ_τ) of the sum τ of the torques (Eq. 5), in (0, 1]."""
    return 1 / (1 + float(torques(edges, centres, volumes).sum()) / scale)


def torque_scale(edges: Sequence[Action], centres: Array, volumes: Array) -> float:
    """Return σ_τ: N − 1 times the MAD scale of the torques of the breadth-first tree's joints.

    τ is a sum over N − 1 joints, so that τ / σ_τ does not depend on their number. Where the MAD is
    zero, the mean takes its place; where there is no torque at all, 1.
    """
    each = torques(edges, centres, volumes)
    spread = MAD_SCALE * float(np.median(np.abs(each - np.median(each))))
    return len(each) * (spread or float(each.mean())) or 1.0


def contact_reward(edges: Sequence[Action], strengths: Mapping[Action, float]) -> float:
    """Return R_contact: the mean of s(u, v) over the edges (Eq. 6); 0 of a virtual edge."""
    return float(np.mean([strengths[edge] for edge in edges]))


def symmetry_reward(
    parents: Sequence[int], level: Sequence[int], clusters: Sequence[Sequence[int]]
) -> float:
    """Return R_sym (Eq. 7), in [0, 2]; 0 without clusters.

    The mean over the clusters of 1 / (1 + Var d) + 1 − (|P_k| − 1) / (|C_k| − 1 + ε).
    """
    values = []
    for members in clusters:
        above = {parents[member] for member in members if parents[member] >= 0}
        spread = 1 / (1 + float(np.var([level[member] for member in members])))
        values.append(spread + 1 - (len(above) - 1) / (len(members) - 1 + TINY))
    return float(np.mean(values)) if values else 0.0


def hierarchy_reward(edges: Sequence[Action], volumes: Array) -> float:
    """Return R_hier = 1 / (1 + Σ max(0, v_v / (v_u + ε) − 1)) (Eq. 8)."""
    tiny = TINY * float(volumes.max())
    excess = (max(0.0, float(volumes[v] / (volumes[u] + tiny)) - 1) for u, v in edges)
    return 1 / (1 + float(sum(excess)))
