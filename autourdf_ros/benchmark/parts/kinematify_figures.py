"""Figures of Kinematify's paper, for comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class KinematifyFigures:
    """A column of a table of Kinematify (arXiv 2511.01294).

    Attributes:
        robot: Its name in the paper.
        angle: Axis angle error, degrees.
        position: Axis position error, metres.
        ted: Tree edit distance.
    """

    robot: str
    angle: float
    position: float
    ted: float


EVERYDAY = "everyday objects"
FIGURES: Mapping[tuple[str, str], KinematifyFigures] = {
    ("ur10", "mcts"): KinematifyFigures("UR10e", 5.34, 0.27, 1.03),
    ("panda", "mcts"): KinematifyFigures("Franka Panda", 10.42, 0.15, 0.89),
    ("go2", "mcts"): KinematifyFigures("Unitree Go2", 9.97, 0.30, 1.97),
    ("allegro", "mcts"): KinematifyFigures("Allegro", 31.39, 0.21, 1.22),
    ("fetch", "mcts"): KinematifyFigures("Fetch", 23.10, 0.71, 1.78),
    (EVERYDAY, "mcts"): KinematifyFigures("everyday objects", 2.92, 0.23, 0.13),
    ("panda", "mcts-bfs"): KinematifyFigures("Franka Panda", 10.92, 0.30, 2.97),
    ("fetch", "mcts-bfs"): KinematifyFigures("Fetch", 28.30, 0.97, 3.32),
    (EVERYDAY, "mcts-bfs"): KinematifyFigures("everyday objects", 4.32, 0.59, 0.39),
    ("panda", "mcts-collision"): KinematifyFigures("Franka Panda", 29.39, 0.97, 0.98),
    ("fetch", "mcts-collision"): KinematifyFigures("Fetch", 42.30, 1.82, 1.93),
    (EVERYDAY, "mcts-collision"): KinematifyFigures("everyday objects", 13.94, 1.34, 0.14),
}
"""By case and method: Table I, and for the ablations Table III."""

END_TO_END: Mapping[str, KinematifyFigures] = {
    "panda": KinematifyFigures("Franka Panda", 14.08, 0.22, 1.17),
    "fetch": KinematifyFigures("Fetch", 32.84, 0.95, 2.95),
}
"""By case, of parts that a generative model made of pictures: Table II."""
