"""What a search for structure compares, and how: a state, and its likelihood."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.kinematic_tree import KinematicTree


class State(Protocol):
    """What a search changes."""

    @property
    def structure(self) -> Hashable:
        """What two states with the same parameters differ in."""
        ...


S = TypeVar("S", bound=State)
S_contra = TypeVar("S_contra", bound=State, contravariant=True)


@dataclass(frozen=True)
class StructureState:
    """A model of a robot's structure, with the values that its joints have in the data.

    What a likelihood needs beside it, such as the labels of points, it finds for itself: it is that
    of the best ones.

    Attributes:
        tree: Links, and joints with their types and axes.
        values: (F, J) of the joints in all F frames, in the tree's order (rad or m).
    """

    tree: KinematicTree
    values: Array

    @property
    def structure(self) -> tuple[tuple[str, ...], ...]:
        """Names and types of the joints, and the links that they join."""
        joints = self.tree.joints
        return tuple(sorted((one.name, one.type, one.parent, one.child) for one in joints))


class Likelihood(Protocol[S_contra]):
    """Judges a state by all data."""

    def score(self, state: S_contra) -> float:
        """Return the penalised log-likelihood of the data (nats): the more, the better.

        It accounts for how alike neighbouring data are, and a joint more must be worth its
        parameters, so that scores of states with other numbers of joints can be compared.
        """
        ...
