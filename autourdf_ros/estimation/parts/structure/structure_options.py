"""Choices about the tree over the parts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BaseWeights:
    """Log odds by which a part is the base.

    Chosen likewise: `studies/parts_tree_study.py evaluate` counts the right bases.

    Attributes:
        size: For each e-fold of the cube root of its hull's volume.
        inner: For a part between exactly two others, whose sides are not congruent.
        stance: For the part at which the supports of an assembly that stands by itself meet.
        enlargement: For each e-fold by which a part is larger than the one that moves it, mean over
            the joints.
    """

    size: float = 2.0
    inner: float = -4.1
    stance: float = 3.6
    enlargement: float = -3.9


@dataclass(frozen=True)
class EdgeWeights:
    """Log odds by which a joint connects two parts that are near each other.

    Round numbers, chosen on robots and objects with known trees. `studies/parts_tree_study.py`
    counts wrong edges with them, and of robots that are left out while a grid chooses them.

    Attributes:
        offset: With all else zero.
        slip: For surfaces that slip perfectly along the motion of the best joint.
        turning_slip: The same for the best joint that turns.
        turning: For a joint that turns for sure.
        strength: For each e-fold of the contact's strength, which falls with the distance.
        spread: For each e-fold of the rms radius of the contact, in diagonals of the smaller part:
            a joint's contact goes around its axis, links that only touch do so at a spot.
        overlap: For a part whose box is inside the other's: what is in a frame hangs on it.
        congruent: For congruent parts: legs do not hang on legs.
        margin: By which boxes are larger at each side, in sizes of the assembly.
        narrowest: Least spread that is distinguished.
        weakest: Least strength that is distinguished.
        jointless: Of a pair for which no joint was found.
    """

    offset: float = 1.9
    slip: float = 1.0
    turning_slip: float = 1.0
    turning: float = 1.0
    strength: float = 1.0
    spread: float = 1.0
    overlap: float = 1.0
    congruent: float = -3.0
    margin: float = 0.005
    narrowest: float = 0.01
    weakest: float = 1e-3
    jointless: float = -12.0


@dataclass(frozen=True)
class StructureOptions:
    """Choices about the tree over the parts.

    Attributes:
        near: Least distance, in diagonals of the smaller part, up to which a pair is examined.
        clearance: The same, in sizes of the assembly, for parts that are tiny.
        unlike: Loss of log odds for each congruent part whose neighbours are of other kinds than
            those of most parts of its group.
        end: Loss of log odds for each part with one neighbour: parts form chains.
        ground: Height above the lowest point, in heights of the assembly, up to which points touch
            the ground.
        support: Share of the greatest area on the ground from which a part supports the assembly.
        balance: Distance, in sizes of the assembly, by which the centre of mass may be outside the
            hull of the points on the ground, for the assembly to stand.
        loop: Log odds, congruence and spread apart, from which a joint is beyond doubt: a ring of
            such joints closes a chain.
        edges: By which the tree is chosen.
        base: By which the base is chosen.
    """

    near: float = 0.1
    clearance: float = 0.005
    unlike: float = 2.0
    end: float = 0.4
    ground: float = 0.02
    support: float = 0.25
    balance: float = 0.02
    loop: float = 4.5
    edges: EdgeWeights = field(default_factory=EdgeWeights)
    base: BaseWeights = field(default_factory=BaseWeights)
