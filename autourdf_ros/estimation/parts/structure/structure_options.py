"""Choices about the tree over the parts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BaseWeights:
    """Log odds by which a part is the base.

    Fitted by conditional logit to the true trees of 39 robots and 31 objects; by leave-one-out,
    the base is right in 68 of these 70.

    Attributes:
        size: For each e-fold of the cube root of its hull's volume.
        inner: For a part between exactly two others, whose sides are not congruent.
        stance: For the part at which the supports of an assembly that stands by itself meet.
        growth: For each e-fold by which a part is larger than the one that moves it, mean over the
            joints.
    """

    size: float = 2.0
    inner: float = -4.1
    stance: float = 3.6
    growth: float = -3.9


@dataclass(frozen=True)
class StructureOptions:
    """Choices about the tree over the parts.

    Attributes:
        near: Least distance, in diagonals of the smaller part, up to which a pair is examined.
        clearance: Least distance, in sizes of the assembly, that costs a pair nothing.
        distance: Loss of quality for each size of the assembly beyond the clearance.
        congruent: Loss of quality of a pair of congruent parts.
        unlike: Loss of quality for each congruent part whose neighbours are of other kinds than
            those of most parts of its group.
        ground: Height above the lowest point, in heights of the assembly, up to which points touch
            the ground.
        support: Share of the greatest area on the ground from which a part supports the assembly.
        balance: Distance, in sizes of the assembly, by which the centre of mass may be outside the
            hull of the points on the ground, for the assembly to stand.
        jointless: Weight of a pair for which no joint was found.
        loop: Weight from which a joint is beyond doubt: a ring of such joints closes a chain.
        edge_margin: Log odds that an edge is right for each unit by which it is better than what
            replaces it.
        edge_offset: Log odds of an edge that is no better than another.
        base: By which the base is chosen.
    """

    near: float = 0.1
    clearance: float = 0.005
    distance: float = 8.0
    congruent: float = 1.0
    unlike: float = 0.3
    ground: float = 0.02
    support: float = 0.25
    balance: float = 0.02
    jointless: float = -10.0
    loop: float = 3.0
    edge_margin: float = 5.0
    edge_offset: float = 0.0
    base: BaseWeights = field(default_factory=BaseWeights)
