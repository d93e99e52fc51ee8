"""Constants of the confirmation by motion."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConfirmationOptions:
    """Constants of the confirmation. Lengths are shares of the assembly's size, or of the noise.

    Attributes:
        seed: Of the samples on the surfaces.
        samples: Points on all surfaces together, for refinement; a resource bound.
        least_samples: Points on a part at least; a resource bound.
        search_samples: Points on a part in the search; a resource bound.
        frame_points: Points of a frame that are used; a resource bound.
        cells: Of the distance grid of a frame along its longest side; a resource bound.
        beams: Poses of the whole assembly that are kept for each frame; a resource bound.
        optima: Best values of a joint that are refined for each beam; a resource bound.
        steps: Values of a joint that are tried, over a full turn or over the part's length; a
            resource bound.
        coarse: Distance at which a sample counts half in the search, of the assembly's size.
        kernel: Distance at which a point counts a quarter in the last refinement, in standard
            deviations of the noise.
        gate: Distance up to which a point shows a surface, in standard deviations of the noise.
        least_noise: Standard deviation of a point along its normal at least, of the size: what
            meshes and calibration leave.
        independent: Points of one part that count as independent at most, since neighbours share
            their errors.
        tracked: Share of a part's seen samples that a frame must explain; below it, the part is
            not tracked in the frame.
        own_points: Points that a part must have for itself, of those of the first frame; below it,
            the part is not tracked either.
        least_points: Points that a part must have in any case: fewer do not show six motions.
        unexplained: Share of a frame's points that lie on no part, beyond that of the first frame,
            from which the tree does not explain the frame.
        axis_angle: Standard deviation (rad) of an alternative's axis beforehand.
        axis_offset: Of its place, of the child's size.
        unlisted: Probability beforehand that no alternative is the joint: about the share of joints
            whose true one is not among the ranked alternatives (docs/parts.md).
        decided: Probability from which an alternative, or a parent, counts as decided.
        moved: Probability from which a joint counts as moved.
        least_motion: Root mean square motion of a joint's surfaces, in standard deviations of the
            noise, below which the joint did not move.
        tolerance: Largest root mean square error that a joint leaves on its parts' surfaces, of the
            child's size, where that is more than `tolerance_noise`.
        tolerance_noise: The same, in standard deviations of the noise.
        bad_share: Share of the frames that may be tracked badly: they are named, and do not decide.
        frame_cost: Chi-square of one frame at most, so that one wrong frame does not decide.
    """

    seed: int = 0
    samples: int = 30000
    least_samples: int = 800
    search_samples: int = 120
    frame_points: int = 9000
    cells: int = 110
    beams: int = 24
    optima: int = 6
    steps: int = 72
    coarse: float = 0.012
    kernel: float = 2.0
    gate: float = 4.0
    least_noise: float = 0.0005
    independent: float = 20.0
    tracked: float = 0.5
    own_points: float = 0.4
    least_points: float = 25.0
    unexplained: float = 0.05
    axis_angle: float = 0.03
    axis_offset: float = 0.01
    unlisted: float = 0.1
    decided: float = 0.95
    moved: float = 0.95
    least_motion: float = 2.0
    tolerance: float = 0.01
    tolerance_noise: float = 5.0
    frame_cost: float = 200.0
    bad_share: float = 0.2

    def bad_frames(self, count: int) -> int:
        """Return how many of so many frames may be tracked badly."""
        return int(count * self.bad_share)
