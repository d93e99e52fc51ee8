"""What a search for structure compares, and how: a state, and its likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.kinematic_tree import KinematicTree


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


class Likelihood(Protocol):
    """Judges a state by all data."""

    def score(self, state: StructureState) -> float:
        """Return the penalised log-likelihood of the data (nats): the more, the better.

        It accounts for how alike neighbouring data are, and a joint more must be worth its
        parameters, so that scores of states with other numbers of joints can be compared.
        """
        ...
