"""The adjustment's normal equations: every frame's own unknowns, and those that all share.

The frames' own unknowns are eliminated by the Schur complement (Triggs et al., 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.geometry.arrays import Array

LARGEST_STEP = 0.1  # rad, or robot sizes, that anything may move at once
DAMPINGS = np.geomspace(1e-6, 1.0, 7).tolist()  # shares of the information, until it does not


@dataclass(frozen=True)
class NormalSystem:
    """Normal equations: of every frame's own unknowns, the shared ones, and what couples them.

    Attributes:
        own: (F, O, O) information of the own unknowns.
        cross: (F, O, S) between both.
        shared: (S, S) information of the shared unknowns.
        own_pull: (F, O) gradient.
        shared_pull: (S,) gradient.
    """

    own: Array
    cross: Array
    shared: Array
    own_pull: Array
    shared_pull: Array

    @classmethod
    def empty(cls, own: Array, shared: Array) -> NormalSystem:
        """Return the system without equations, for Jacobians (F, B, 6, O) and (F, B, 6, S)."""
        count, few, many = len(own), own.shape[-1], shared.shape[-1]
        return cls(
            np.zeros((count, few, few)),
            np.zeros((count, few, many)),
            np.zeros((many, many)),
            np.zeros((count, few)),
            np.zeros(many),
        )

    def tie(self, keys: Sequence[int], ties: Array, pulls: Array, first: int) -> None:
        """Add information and pulls of every frame's own unknowns by themselves.

        Args:
            keys: frames whose own unknowns are among the shared ones.
            ties: (F, O) information.
            pulls: (F, O).
            first: number of the first shared unknown of a key.
        """
        width = ties.shape[1]
        diagonal = np.arange(width)
        self.own[:, diagonal, diagonal] += ties
        self.own_pull[:] += pulls
        for k, key in enumerate(keys):
            place = first + k * width + diagonal
            self.shared[place, place] += ties[key]
            self.shared_pull[place] += pulls[key]
            self.own[key] = np.eye(width)
            self.own_pull[key] = 0.0

    def add(self, f: int, own: Array, shared: Array, information: Array, gradient: Array) -> None:
        """Add the bodies' equations in one frame.

        Args:
            f: number of the frame.
            own: (B, 6, O) how the bodies depend on its own unknowns.
            shared: (B, 6, S) how they depend on the shared ones.
            information: (B, 6, 6) of the bodies.
            gradient: (B, 6) of the bodies.
        """
        own, shared = own.reshape(-1, own.shape[-1]), shared.reshape(-1, shared.shape[-1])
        weighted = (information @ shared.reshape(len(information), 6, -1)).reshape(shared.shape)
        weighted_own = (information @ own.reshape(len(information), 6, -1)).reshape(own.shape)
        pull = gradient.reshape(-1)
        self.own[f] += own.T @ weighted_own
        self.cross[f] += own.T @ weighted
        self.shared[:] += shared.T @ weighted
        self.own_pull[f] += own.T @ pull
        self.shared_pull[:] += shared.T @ pull

    def solve(self, *, still: bool) -> tuple[Array, Array]:
        """Solve for a step, damped where it goes further than the equations are good for.

        Marquardt (1963): of three joints whose axes nearly meet, as at a waist, the links between
        them unseen, hardly anything determines which turns about what.

        Args:
            still: whether the shared unknowns take no step.

        Returns:
            Steps of the shared unknowns (S,) and of the own ones (F, O).
        """
        step, own_step = self._damped(0.0, still)
        for damping in DAMPINGS:
            if max(np.abs(step).max(initial=0.0), np.abs(own_step).max()) <= LARGEST_STEP:
                break
            step, own_step = self._damped(damping, still)
        return step, own_step

    def _damped(self, damping: float, still: bool) -> tuple[Array, Array]:
        """As `solve`; damping: share of every unknown's information that is added to it."""
        known = np.einsum("fii->fi", self.own)
        # Of a frame that shows nothing of an unknown, it stays as it is.
        unknown = known <= 1e-15 * known.max(initial=0.0)
        least = np.where(unknown, 1.0, 1e-12 * known)
        own = self.own + (damping * known + least)[:, :, None] * np.eye(known.shape[1])
        right = np.concatenate([self.cross, self.own_pull[..., None]], axis=2)
        eliminated = np.linalg.solve(own, right)
        reduced = self.shared - np.einsum("fki,fkj->ij", self.cross, eliminated[..., :-1])
        pull = self.shared_pull - np.einsum("fki,fk->i", self.cross, eliminated[..., -1])
        diagonal = np.diag(reduced)
        # Locked unknowns are as good as infinite: the median is typical.
        unseen = diagonal <= 1e-12 * np.median(diagonal)
        ridge = 1e-9 * diagonal + damping * np.diag(self.shared) + np.where(unseen, 1.0, 0.0)
        step = np.linalg.solve(reduced + np.diag(ridge), pull) * (not still)
        return step, eliminated[..., -1] - eliminated[..., :-1] @ step
