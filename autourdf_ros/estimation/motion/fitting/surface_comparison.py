"""Compare frames with the surfaces that they are fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.surface_matching import Directions, Matches
from autourdf_ros.estimation.motion.fitting.cloud_errors import trial_twists
from autourdf_ros.estimation.motion.fitting.comparisons import Comparison
from autourdf_ros.estimation.motion.fitting.frame_fit import frame_equations
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse
from autourdf_ros.parallel import on_all_cores

TRIAL = 0.3  # of a frame's residual: rms displacement by which a gradient's slope is measured
LEAST_SLOPE = 0.05  # of a body's gradient, over its information


@dataclass(frozen=True)
class KeySurface:
    """What one of the frames shows, as a surface of its own: labelled points where they were.

    Attributes:
        surface: the points.
        frame: number of the frame among those that are adjusted.
    """

    surface: LabelledSurface
    frame: int


@dataclass(frozen=True)
class FrameEquations:
    """The comparisons of one frame.

    Attributes:
        residual: robust standard deviation of the point-to-plane distances (m).
        comparisons: with every surface, the reference's the first.
    """

    residual: float
    comparisons: list[Comparison]


@dataclass(frozen=True)
class ComparedFrames:
    """F frames, and the surfaces that each of them is compared with.

    Attributes:
        surface: of the reference frame.
        keys: surfaces of other frames.
        frames: the F frames.
        gate: distance (m) beyond which no points are matched.
        directions: of the matches with the reference's surface; those with keys go forward.
    """

    surface: LabelledSurface
    keys: Sequence[KeySurface]
    frames: Sequence[Cloud]
    gate: float
    directions: Directions

    def equations(self, poses: Array, kernel: float) -> list[FrameEquations]:
        """Return the equations of every frame.

        Args:
            poses: (F, B, 4, 4) of the bodies.
            kernel: width (m) of the robust kernel.
        """

        def of_frame(f: int) -> FrameEquations:
            information, gradient, matches = self._with_reference(f, poses[f], kernel)
            repeats = 2 if self.directions == "both" else 1
            comparisons = [Comparison(f, -1, poses[f], information, gradient, repeats)]
            for key in self.keys:
                if key.frame != f:
                    relative = poses[f] @ inverse(poses[key.frame])
                    information, gradient, _ = frame_equations(
                        key.surface,
                        relative,
                        self.frames[f],
                        gate=self.gate,
                        kernel=kernel,
                        directions="forward",
                    )
                    comparisons.append(Comparison(f, key.frame, relative, information, gradient, 1))
            return FrameEquations(robust_deviation(matches), comparisons)

        return on_all_cores(of_frame, range(len(self.frames)))

    def slopes(self, found: Sequence[FrameEquations], poses: Array, kernel: float) -> Array:
        """Return the share (B, 1, 1) of its information by which a body's gradient really changes.

        A robust kernel and points that find new partners leave half of it or so (of the kernel:
        Huber, Robust Statistics, 1981, section 7.6). Measured by moving the bodies a little, in
        every frame.

        Args:
            found: the equations at these poses.
            poses: (F, B, 4, 4) of the bodies.
            kernel: width (m) of the robust kernel.
        """

        def changes(f: int) -> Array:
            item = found[f].comparisons[0]
            step = trial_twists(item.information, TRIAL * found[f].residual, f)
            _, gradient, _ = self._with_reference(f, exp_se3(step) @ poses[f], kernel)
            lost = np.einsum("bi,bi->b", step, item.gradient - gradient)
            return np.stack([lost, np.einsum("bi,bij,bj->b", step, item.information, step)])

        lost, most = np.nansum(on_all_cores(changes, range(len(self.frames))), axis=0)
        share = np.where(most > 0, lost / np.maximum(most, 1e-300), 1.0)
        return np.asarray(np.clip(share, LEAST_SLOPE, 1.0)[:, None, None])

    def _with_reference(self, f: int, poses: Array, kernel: float) -> tuple[Array, Array, Matches]:
        return frame_equations(
            self.surface,
            poses,
            self.frames[f],
            gate=self.gate,
            kernel=kernel,
            directions=self.directions,
        )


def comparisons_of(found: Sequence[FrameEquations]) -> list[Comparison]:
    """Return the comparisons of all frames in one list."""
    return [item for frame in found for item in frame.comparisons]


def robust_deviation(matches: Matches) -> float:
    """Return the standard deviation (m) of flat matches' distances, from their median."""
    distances = np.abs(matches.distances[matches.weights > 0.3])
    if not len(distances):
        return np.nan
    # Called for every frame in every iteration: np.median takes longer than the median.
    middle = [(len(distances) - 1) // 2, len(distances) // 2]
    return 1.4826 * float(np.partition(distances, middle)[middle].mean())
