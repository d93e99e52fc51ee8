"""What the reconstruction pipeline takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.model.layers.kinematics import KinematicsLayer
from autourdf_ros.model.layers.layer import UNKNOWN_ORIGIN, Provenance, Trust
from autourdf_ros.model.layers.layer import Verdict as LayerVerdict
from autourdf_ros.model.layers.shape import ShapeLayer
from autourdf_ros.model.self_model import SelfModel

BaseKind = Literal["fixed", "shifting frames", "floating"]
Verdict = Trust
Method = Literal["engine", "autourdf"]
Registration = Literal["graph", "neural"]


@dataclass(frozen=True)
class ReconstructionOptions:
    """Choices of the user.

    links: number of moving and fixed bodies to find, or None to find it from the data.
    use_readings: whether joint readings, where there are any, name and orient the joints.
    points: points a frame that are used at most. method: our engine, or AutoURDF's own method.
    registration: by what the engine follows the first frames: the deformation graph, or AutoURDF's
    networks. neural: choices for both.
    """

    links: int | None = None
    use_readings: bool = True
    points: int = 5000
    method: Method = "engine"
    registration: Registration = "graph"
    neural: NeuralOptions = field(default_factory=NeuralOptions)


@dataclass(frozen=True)
class ModelOrderStep:
    """One merge of the search for the number of bodies: how much it cost (chi-square)."""

    bodies: int
    cost: float
    accepted: bool


@dataclass(frozen=True)
class WeakDirection:
    """A change of the axes of one or more joints that the frames hardly tell.

    joints: names. turns (rad), shifts (m, of the line across itself): how far each joint's axis
    may be off, by one standard deviation, all of them together.
    """

    joints: tuple[str, ...]
    turns: tuple[float, ...]
    shifts: tuple[float, ...]


@dataclass(frozen=True)
class Loop:
    """A joint between two links that closes a chain, which the model, a tree, lacks.

    links: names. joints: names of the tree's joints between these. axis: (3,) unit; point: (3,) on
    it (m), in the base frame at the reference configuration. misfit: mean squared error of its fit,
    in squared noises.
    """

    links: tuple[str, str]
    joints: tuple[str, ...]
    type: Literal["revolute", "prismatic"]
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    cost: float


@dataclass(frozen=True)
class BaseMotion:
    """How the root link moved in the recording's fixed frame.

    kind: fixed; shifting frames, where whole frames are off, each by itself; floating, where it
    moved on from frame to frame. turn (rad), shift (m, of the link's middle): root mean squares
    over the frames, against the reference. smoothness: of the motion, 1 for what is independent
    from frame to frame, toward 0 for what moves on; None where too few frames tell. beside: share
    of the motion, squared, that no single joint explains; None likewise.
    """

    kind: BaseKind
    turn: float = 0.0
    shift: float = 0.0
    smoothness: float | None = None
    beside: float | None = None


@dataclass(frozen=True)
class LinkCost:
    """How badly a link's points follow the final model: mean cost (`point_costs`), capped at 12.

    0.2 to 1 is usual. fitted: over the frames that the model was adjusted to, NaN for a link that
    was left without points. held_out: over those that were held out, NaN where there are none, too.
    """

    fitted: float
    held_out: float


@dataclass(frozen=True)
class UnexplainedPatch:
    """Points beside each other that no link's motion explains: a link may be missing there.

    link: that they were given to. points: how many. cost: their mean (`LinkCost`).
    """

    link: str
    points: int
    cost: float


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
    warnings: each a sentence for the user; `verdict` sums them up. weak_directions: what the frames
    hardly tell of the axes. base: how the root link moved. notes: each a sentence for the user, of
    what is no fault. loops: joints that close chains. link_costs: one per
    link. tracking_error: mean L1 Chamfer distance (m) that AutoURDF's clusters were left with;
    silhouettes: of its grouping, by number of links. Only by that method.
    """

    model: SelfModel
    motions: tuple[SequenceMotion, ...]
    noise: float
    reference_points: NDArray[np.float64]
    labels: NDArray[np.int64]
    verdict: Verdict
    warnings: tuple[str, ...] = ()
    model_order: tuple[ModelOrderStep, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    options: ReconstructionOptions = ReconstructionOptions()
    weak_directions: tuple[WeakDirection, ...] = ()
    base: BaseMotion = BaseMotion("fixed")
    notes: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    link_costs: tuple[LinkCost, ...] = ()
    patches: tuple[UnexplainedPatch, ...] = ()
    tracking_error: float | None = None
    silhouettes: Mapping[int, float] = field(default_factory=dict)
    provenance: Provenance = UNKNOWN_ORIGIN

    @property
    def estimate(self) -> Estimate[Reconstruction]:
        """The model with origin and verdict in its layers, traced by this reconstruction.

        Kinematics and shape are found together: neither rests on the other.
        """
        verdict = LayerVerdict(self.verdict, self.warnings)
        kinematics = self.model.kinematics or KinematicsLayer()
        shape = replace(self.model.shape or ShapeLayer(), noise=self.noise)
        model = self.model
        for layer in (kinematics, shape):
            model = model.with_layer(layer.stamped(self.provenance, verdict))
        return Estimate(model, self, self.warnings)
