"""What the reconstruction pipeline takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.description.robot_model import RobotModel

Verdict = Literal["trusted", "doubtful", "failed"]


@dataclass(frozen=True)
class ReconstructionOptions:
    """Choices of the user.

    links: number of moving and fixed bodies to find, or None to find it from the data.
    use_readings: whether joint readings, where there are any, name and orient the joints.
    points: points a frame that are used at most.
    seed: of everything random.
    """

    links: int | None = None
    use_readings: bool = True
    points: int = 5000
    seed: int = 0


@dataclass(frozen=True)
class ModelOrderStep:
    """One merge of the search for the number of bodies: how much it cost (chi-square)."""

    bodies: int
    cost: float
    accepted: bool


@dataclass(frozen=True)
class LinkCost:
    """How badly a link's points follow the final model: mean cost (`point_costs`), capped at 12.

    0.2 to 1 is usual. fitted: over the frames that the model was adjusted to, NaN for a link that
    was left without points. held_out: over those that were held out, NaN where there are none, too.
    """

    fitted: float
    held_out: float


@dataclass(frozen=True)
class SequenceMotion:
    """What the model did in one sequence of F frames; J joints in the model's order.

    joint_values: (F, J) rad or m. joint_stds: (F, J) their standard deviations, NaN in frames that
    were not used; 0 in the reference frame, to which they are relative. base_poses: (F, 4, 4) pose
    of the root link's reference pose in the fixed frame. residuals: (F,) robust standard deviation
    of the point-to-plane distances (m), NaN where a frame was not used. used: (F,) bool, whether
    the frame is believed. held_out: (F,) bool, which of those did not enter the adjustment: their
    joint values were found by the finished model, which is judged by how well it explains them.
    """

    joint_values: NDArray[np.float64]
    joint_stds: NDArray[np.float64]
    base_poses: NDArray[np.float64]
    residuals: NDArray[np.float64]
    used: NDArray[np.bool_]
    held_out: NDArray[np.bool_]


@dataclass(frozen=True)
class Reconstruction:
    """A reconstructed robot, and all that tells how far it can be trusted.

    motions: one per sequence of the recording. noise: measured standard deviation of a point
    along its normal (m). labels: (N,) index in `model.links` of every point of the reference
    frame, -1 where unknown; reference_points: (N, 3) those points. timings: seconds by stage.
    warnings: each a sentence for the user; `verdict` sums them up. link_costs: one per link.
    """

    model: RobotModel
    motions: tuple[SequenceMotion, ...]
    noise: float
    reference_points: NDArray[np.float64]
    labels: NDArray[np.int64]
    verdict: Verdict
    warnings: tuple[str, ...] = ()
    model_order: tuple[ModelOrderStep, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    options: ReconstructionOptions = ReconstructionOptions()
    link_costs: tuple[LinkCost, ...] = ()
