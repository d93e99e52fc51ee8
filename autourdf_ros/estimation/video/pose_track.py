"""Poses of the bodies of a video in every frame, with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class BodySymmetry:
    """Rotations about lines through a centre that map a body's surface to itself.

    Attributes:
        kind: "none"; "discrete": the listed rotations; "axial": any turn about `axis` (and the
            listed rotations besides, such as turning it end for end); "spherical": any rotation.
        centre: (3,) in the body's frame (m).
        axis: (3,) unit vector in the body's frame; without meaning unless axial.
        rotations: (R, 3, 3) discrete ones about the centre, the identity first.
    """

    kind: Literal["none", "discrete", "axial", "spherical"]
    centre: NDArray[np.float64]
    axis: NDArray[np.float64]
    rotations: NDArray[np.float64]


@dataclass(frozen=True)
class PoseTrack:
    """Where every body was in every frame.

    Covariances are of twists (rotation in rad, shift in m) along the world's axes about the body's
    centre: the true pose is exp(omega) about the centre, then the shift, after the stated one
    (`geometry.rigid_motion.moved_about`). Directions that a symmetry makes unobservable have the
    prior's large variance.

    Attributes:
        bodies: B names.
        stamps: (T,) seconds.
        poses: (B, T, 4, 4) of the bodies' frames in the world, NaN where not seen.
        covariances: (B, T, 6, 6) of twists (omega, v), NaN where not seen.
        centres: (B, 3) points in the bodies' frames that twists are about (m).
        symmetries: B symmetries.
    """

    bodies: tuple[str, ...]
    stamps: NDArray[np.float64]
    poses: NDArray[np.float64]
    covariances: NDArray[np.float64]
    centres: NDArray[np.float64]
    symmetries: tuple[BodySymmetry, ...]

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(B, T) whether a body was seen in a frame."""
        return np.isfinite(self.poses[:, :, 0, 0])

    def of(self, numbers: Sequence[int]) -> PoseTrack:
        """Return the track of some of the bodies."""
        chosen = list(numbers)
        return PoseTrack(
            tuple(self.bodies[k] for k in chosen),
            self.stamps,
            self.poses[chosen],
            self.covariances[chosen],
            self.centres[chosen],
            tuple(self.symmetries[k] for k in chosen),
        )
