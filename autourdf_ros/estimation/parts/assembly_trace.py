"""How the kinematics of an assembly came about: contacts, trees, and each joint's evidence.

Parts are numbered as in the assembly. Lengths in metres, in the frame of the assembly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.model.layers.layer import Trust

PairJointType = Literal["revolute", "prismatic", "fixed"]


@dataclass(frozen=True)
class JointCandidate:
    """A joint that may connect two parts.

    Attributes:
        type: Of the joint.
        axis: (3,) unit vector.
        point: (3,) on the axis (m): for a revolute joint the centre of its contact on the axis.
        score: By which the candidates of one pair of parts are ranked; the higher the better.
        probability: That this candidate is the joint, given that the pair has one; calibrated.
            NaN where the method does not say.
        lower: Least value without collision (rad or m), -inf where nothing stops it; NaN unknown.
        upper: Greatest, likewise.
        features: What speaks for it, by name (such as `symmetry`, `gap`, `collision`).
        source: What proposed it, such as `slippage`.
    """

    type: PairJointType
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    score: float
    probability: float = float("nan")
    lower: float = float("nan")
    upper: float = float("nan")
    features: Mapping[str, float] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True)
class Contact:
    """Where two parts are near each other: an edge of the contact graph.

    Attributes:
        parts: Their numbers, the smaller first.
        distance: Least distance between the surfaces (m).
        strength: Of the contact, in [0, 1].
        centre: (3,) weighted centre of the contact region (m).
        quality: Of the best joint between them, by which the tree is chosen; NaN without one.
    """

    parts: tuple[int, int]
    distance: float
    strength: float
    centre: NDArray[np.float64]
    quality: float = float("nan")


@dataclass(frozen=True)
class EdgeJoint:
    """A joint of the chosen tree, with what else it may be.

    Attributes:
        parent: Number of the part.
        child: Number of the part.
        alternatives: Ranked, the best first; at least one.
        ambiguous: Whether the geometry does not decide between the first and another.
        reason: A sentence that says why it is ambiguous; empty otherwise.
        edge_probability: That these two parts are connected by a joint; NaN where unknown.
        warnings: Sentences about this joint, each a reason for doubt.
    """

    parent: int
    child: int
    alternatives: tuple[JointCandidate, ...]
    ambiguous: bool = False
    reason: str = ""
    edge_probability: float = float("nan")
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> JointCandidate:
        """The first of the alternatives."""
        return self.alternatives[0]


@dataclass(frozen=True)
class RankedTree:
    """A tree over the parts.

    Attributes:
        root: Number of the root part.
        edges: (parent, child) numbers, parents before their children.
        score: By which trees are ranked; the higher the better.
        terms: What the score is the sum of, by name.
    """

    root: int
    edges: tuple[tuple[int, int], ...]
    score: float
    terms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AssemblyTrace:
    """How an assembly's model came about.

    Attributes:
        assembly: What was given.
        options: Of the user.
        contacts: The contact graph.
        clusters: Groups of two or more congruent parts, by number.
        tree: The chosen one.
        runner_up: The best other one; None where there is none.
        joints: In the order of `tree.edges`.
        verdict: Sums the warnings up.
        warnings: Sentences for the user, each a reason for doubt.
        notes: Sentences for the user that are no doubt.
        timings: Seconds of every stage.
    """

    assembly: PartAssembly
    options: AssemblyOptions
    contacts: tuple[Contact, ...]
    clusters: tuple[tuple[int, ...], ...]
    tree: RankedTree
    runner_up: RankedTree | None
    joints: tuple[EdgeJoint, ...]
    verdict: Trust = "trusted"
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
