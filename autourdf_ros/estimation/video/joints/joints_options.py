"""Choices of the search for joints in pose tracks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autourdf_ros.model.joint_grading import LARGEST_AXIS_STD

Method = Literal["likelihood", "ransac"]


@dataclass(frozen=True)
class RansacOptions:
    """Choices of the published method.

    Attributes:
        samples: Pairs of frames that are tried for each type.
        stride: Frames from the first to the second of a pair; the paper has 1. The noise of
            poses drowns what a body moves between neighbours of a fast video.
        tolerance: Error of a pose, in multiples of its typical standard deviation, up to which a
            frame agrees with a joint.
        least_inliers: Share of the frames that must agree with a joint.
    """

    samples: int = 200
    stride: int = 1
    tolerance: float = 5.0
    least_inliers: float = 0.6


@dataclass(frozen=True)
class JointsOptions:
    """Choices of the user, and the constants of the likelihood.

    Attributes:
        method: "likelihood", or "ransac" as Heiden et al. (2022) do it.
        seed: Of what is drawn at random.
        freedom: Degrees of freedom of Student's distribution of errors.
        latent_charge: What a joint value of a frame costs, in units of -2 log likelihood. 2 would
            be Akaike's criterion, for errors whose size is known; 3 pays for errors of a direction
            that are 2.7 times as large as stated, 1 + 2 log 2.7. The logarithm of the number of
            data would call a planar base revolute.
        outlier_odds: Of a frame that disagrees with a joint for no reason: what the joint holds
            costs there as much as free joint values, and -2 log of these odds.
        iterations: Steps of a fit at most.
        tolerance: Relative change of the cost at which a fit ends.
        starts: Axes from which a fit starts where symmetric bodies leave turns open.
        least_noise: Least factor of the stated standard deviations: that which has no price.
        most_noise: Greatest, likewise: a tracker's own account is short by two or three.
        least_motion: Standard deviations of poses, along any direction, up to which motion may be
            an error of the tracker and is no joint.
        significance: Standard deviations by which one alternative must beat another.
        least_probability: Of a type or tree, below which it is called ambiguous.
        axis_doubt: Rad; an axis whose standard deviation exceeds it is doubtful.
        lasting_share: Share of a pose's variance that lasts through a video, in the body's frame,
            as errors of shapes and of the camera do: no number of frames averages it away.
        touching: Share of the mechanism's size up to which two bodies touch.
        unknown_share: Share of what is known beforehand that a joint value's standard deviation
            exceeds where the value is unknown.
        surface_points: Of every link's mesh, in the shape layer.
        ransac: Choices of the published method.
    """

    method: Method = "likelihood"
    seed: int = 0
    freedom: float = 5.0
    latent_charge: float = 3.0
    outlier_odds: float = 1e-4
    iterations: int = 40
    tolerance: float = 1e-7
    starts: int = 6
    least_noise: float = 1.0
    most_noise: float = 4.0
    least_motion: float = 3.0
    significance: float = 3.0
    least_probability: float = 0.95
    axis_doubt: float = LARGEST_AXIS_STD
    lasting_share: float = 0.5
    touching: float = 0.1
    unknown_share: float = 0.1
    surface_points: int = 2000
    ransac: RansacOptions = RansacOptions()
