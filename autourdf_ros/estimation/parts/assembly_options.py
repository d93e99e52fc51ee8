"""Choices of the user for the estimation of kinematics from parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

AssemblyMethod = Literal["symmetry", "mcts"]


@dataclass(frozen=True)
class MctsOptions:
    """Options of the paper's method: J. Wang et al., Kinematify, arXiv 2511.01294.

    The paper names its constants and gives no values. These are multiples of a length at hand,
    bounds of time or neutral values: all rewards weigh the same, and so do both terms of DW-CAVL.
    None is tuned to known robots. "Size" is that of the assembly; "diagonal" that of the smaller
    of two parts; the contact's radius is the weighted rms distance of its points from its centre.

    Attributes:
        search: Whether the tree is searched; False keeps the breadth-first tree (ablation).
        anchor: Whether DW-CAVL's consistency and pivot terms are used; False leaves the collision
            term alone (ablation).
        samples: Surface samples of a part (bound of time).
        moved: Samples of a child that DW-CAVL moves: at most so many of the contact, and as many of
            the rest (bound of time).
        tolerance: ε of the contact graph, in sizes. Below the gaps of a robot's joints, parts come
            apart and are attached by virtual edges; above them, links that no joint connects
            become neighbours, and the base by highest degree changes.
        virtual_reach: d_max, the longest virtual edge, in sizes. Parts farther away are an error.
        congruence: Greatest Chamfer distance between aligned parts of one cluster, in diagonals.
        nearest_share: Share of a part's samples, the nearest ones, over which the strength of a
            contact is averaged.
        degree: k, the preferred out-degree: 1 is that of a chain.
        degree_weight: λ of the out-degree's deviation.
        struct_weight: Of R_struct.
        static_weight: Of R_static.
        contact_weight: Of R_contact.
        symmetry_weight: Of R_sym.
        hierarchy_weight: Of R_hier.
        iterations: N_max, of the search (bound of time).
        exploration: C of UCT, for returns in [0, 1]; √2 is its value for bandits.
        contact_band: σ_c, the width of the contact band, in diagonals.
        margin: m_vol, the volumetric margin, in diagonals.
        sharpness: k · m_vol, of the logistic volume weight.
        region: Distance up to which points belong to the contact region, in contact bands.
        angles: Θ of a revolute joint (rad). A prismatic joint is moved by the same numbers times
            the contact's radius, so that both move the contact as far.
        consistency_weight: λ_c.
        collision_weight: λ_coll.
        pivot_weight: λ_p, in contact bands⁻².
        random_axes: Random directions among the candidates.
        pivots: Where the pivot of a candidate starts, along its axis, in radii of the contact.
        subsample: Share of the samples on which candidates are ranked (bound of time).
        refined: K, how many candidates of each type are refined (bound of time).
        refinements: Iterations of a refinement (bound of time).
        type_bias: ζ: a joint is revolute if its score exceeds ζ times the prismatic one.
    """

    search: bool = True
    anchor: bool = True
    samples: int = 8000
    moved: int = 800
    tolerance: float = 0.01
    virtual_reach: float = 0.25
    congruence: float = 0.01
    nearest_share: float = 0.05
    degree: float = 1.0
    degree_weight: float = 1.0
    struct_weight: float = 1.0
    static_weight: float = 1.0
    contact_weight: float = 1.0
    symmetry_weight: float = 1.0
    hierarchy_weight: float = 1.0
    iterations: int = 600
    exploration: float = 2**0.5
    contact_band: float = 0.02
    margin: float = 0.005
    sharpness: float = 4.0
    region: float = 2.0
    angles: tuple[float, ...] = (-0.5, -0.2, 0.2, 0.5)
    consistency_weight: float = 1.0
    collision_weight: float = 1.0
    pivot_weight: float = 0.01
    random_axes: int = 4
    pivots: tuple[float, ...] = (-0.5, 0.0, 0.5)
    subsample: float = 0.25
    refined: int = 4
    refinements: int = 30
    type_bias: float = 1.0


@dataclass(frozen=True)
class AssemblyOptions:
    """Choices of the user.

    Attributes:
        method: Ours, or that of Kinematify.
        root: Name of the part that is the base; None to find it.
        seed: Of all random choices.
        mcts: Of the paper's method.
    """

    method: AssemblyMethod = "symmetry"
    root: str | None = None
    seed: int = 0
    mcts: MctsOptions = field(default_factory=MctsOptions)
