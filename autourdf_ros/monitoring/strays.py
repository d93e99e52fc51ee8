"""Points that no link explains: something carried by a link, or something beside the robot.

What is fixed to a body fills the same cells of space in that body's frame, look after look, and
smears over many in the others' frames while the robot moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.kinematics.rigid_motion import inverse, transform
from autourdf_ros.monitoring.comparison import Comparison

CELL = 0.025  # m
STEADY = 0.3  # share of a camera's looks in which a cell is filled
USUAL = 0.08  # share in which it is while nothing has changed
LEAST_CELLS = 4
_BY_CHANCE = 0.02  # share in which flying pixels fill a cell
_HALF = 1 << 20
_AROUND = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])


@dataclass(frozen=True, eq=False)
class Stray:
    """A thing in the frame of a body; 0 for what stands still beside the robot.

    cells: (V, 3) middles of the cells that it fills, in the base frame with the body at the
    reference (m). log_odds: against cells that are filled by chance.
    """

    body: int
    cells: NDArray[np.float64]
    log_odds: float


def usual_cells(comparisons: Sequence[Comparison]) -> tuple[NDArray[np.int64], ...]:
    """By body, sorted keys of the cells that are filled while all is well, and those beside them."""
    found = []
    for body in range(len(comparisons[0].look.poses)):
        keys, shares = _shares(comparisons, body)
        cells = _cells(keys[shares >= USUAL])
        found.append(np.unique(_keys((cells[:, None] + _AROUND).reshape(-1, 3))))
    return tuple(found)


def stray_thing(
    comparisons: Sequence[Comparison], usual: Sequence[NDArray[np.int64]]
) -> Stray | None:
    """The thing that the comparisons show and that is not usual, in the frame where it stays."""
    best: Stray | None = None
    most = 0.0
    for body, known in enumerate(usual):
        keys, shares = _shares(comparisons, body)
        new = (shares >= STEADY) & ~np.isin(keys, known)
        if np.count_nonzero(new) >= LEAST_CELLS and shares[new].sum() > most:
            most = float(shares[new].sum())
            looks = len(comparisons)
            odds = float((looks * shares[new] * np.log(shares[new] / _BY_CHANCE)).sum())
            best = Stray(body, (_cells(keys[new]) + 0.5) * CELL, odds)
    return best


def _shares(
    comparisons: Sequence[Comparison], body: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Keys of filled cells in a body's frame, and the share of looks; of the camera with most."""
    filled: dict[str, list[NDArray[np.int64]]] = {}
    for comparison in comparisons:
        there = transform(inverse(comparison.look.poses[body]), comparison.unexplained.astype(float))
        cells = np.floor(there / CELL).astype(np.int64)
        filled.setdefault(comparison.look.camera, []).append(np.unique(_keys(cells)))
    keys, shares = [], []
    for looks in filled.values():
        own, counts = np.unique(np.concatenate(looks), return_counts=True)
        keys.append(own)
        shares.append(counts / len(looks))
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    most = np.zeros(len(every))
    np.maximum.at(most, place, np.concatenate(shares))
    return every, most


def _keys(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    moved = cells + _HALF
    return np.asarray((moved[:, 0] << 42) | (moved[:, 1] << 21) | moved[:, 2])


def _cells(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    mask = (1 << 21) - 1
    return np.stack([keys >> 42, (keys >> 21) & mask, keys & mask], axis=1) - _HALF
