"""Choices of the user for the estimation of kinematics from parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

AssemblyMethod = Literal["symmetry", "mcts"]


@dataclass(frozen=True)
class MctsOptions:
    """Options of the paper's method.

    Attributes:
        search: Whether the tree is searched; False keeps the breadth-first tree (ablation).
        anchor: Whether DW-CAVL's consistency and pivot terms are used; False leaves the collision
            term alone (ablation).
    """

    search: bool = True
    anchor: bool = True


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
