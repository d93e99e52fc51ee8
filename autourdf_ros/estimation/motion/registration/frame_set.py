"""The reference cloud with the frames that it is compared with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.point_costs import own_costs, point_costs
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud

GATE = 4.0  # point spacings within which a body's points are matched


@dataclass(frozen=True)
class FrameSet:
    """A reference cloud of N points and F frames, in engine units (the robot's size is 1).

    Attributes:
        reference: cloud in the reference configuration.
        frames: F clouds.
        neighbours: (N, N) sparse distances between neighbouring reference points.
        noise: standard deviation of a point along its normal.
        sequences: numbers of the frames of every sequence, in order; empty where nothing needs it.
    """

    reference: Cloud
    frames: list[Cloud]
    neighbours: csr_matrix
    noise: float
    sequences: Sequence[NDArray[np.int64]] = ()

    def point_costs(self, labels: Labels, poses: Array, parents: Labels | None = None) -> Array:
        """Return the mean cost (N, B) of every point under every body (see `point_costs`)."""
        return point_costs(
            self.reference, labels, self.frames, poses, noise=self.noise, parents=parents
        )

    def own_costs(self, labels: Labels, poses: Array) -> Array:
        """Return the mean cost (N,) of every point on its own body (see `own_costs`)."""
        return own_costs(self.reference, labels, self.frames, poses, noise=self.noise)

    def refit(
        self,
        labels: Labels,
        poses: Array,
        *,
        locked: Collection[int] = (),
        still: Collection[int] = (),
    ) -> Bodies:
        """Register every body to every frame by itself (see `refit_bodies`)."""
        return refit_bodies(
            self.reference,
            labels,
            self.frames,
            poses,
            gate=GATE * self.reference.spacing,
            locked=locked,
            still=still,
        )
