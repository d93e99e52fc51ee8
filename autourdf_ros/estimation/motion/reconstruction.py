"""Options and results of the reconstruction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.common.structure.scored_search import Decision
from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.model.layers.kinematics import BaseKind, KinematicsLayer
from autourdf_ros.model.layers.layer import UNKNOWN_ORIGIN, Provenance, Trust
from autourdf_ros.model.layers.layer import Verdict as LayerVerdict
from autourdf_ros.model.layers.shape import ShapeLayer
from autourdf_ros.model.self_model import SelfModel

Verdict = Trust
Method = Literal["engine", "autourdf"]
Registration = Literal["graph", "neural"]


@dataclass(frozen=True)
class ReconstructionOptions:
    """Choices of the user.

    Attributes:
        links: number of moving and fixed bodies to find, or None to find it from the data.
        use_readings: whether joint readings, where there are any, name and orient the joints.
        points: points a frame that are used at most.
        method: our engine, or AutoURDF's own method.
        registration: how the engine registers the early frames: by the deformation graph, or by
            AutoURDF's networks.
        neural: choices for AutoURDF's method and networks.
        prior: result folder or URDF of the robot as it is known beforehand, for the record: it is
            read by who calls the engine.
    """

    links: int | None = None
    use_readings: bool = True
    points: int = 5000
    method: Method = "engine"
    registration: Registration = "graph"
    neural: NeuralOptions = field(default_factory=NeuralOptions)
    prior: str | None = None


@dataclass(frozen=True)
class ModelOrderStep:
    """One merge of the search for the number of bodies.

    Attributes:
        bodies: number of bodies before it.
        cost: chi-square per frame.
        accepted: whether it was made.
    """

    bodies: int
    cost: float
    accepted: bool


@dataclass(frozen=True)
class WeakDirection:
    """A change of the axes of one or more joints that the frames hardly show.

    Attributes:
        joints: names.
        turns: rad, how far each joint's axis may be off, by one standard deviation, all together.
        shifts: m, the same of the line across itself.
    """

    joints: tuple[str, ...]
    turns: tuple[float, ...]
    shifts: tuple[float, ...]


@dataclass(frozen=True)
class Loop:
    """A joint between two links that closes a chain, which the model, a tree, lacks.

    Attributes:
        links: names.
        joints: names of the tree's joints between these.
        type: of the joint.
        axis: (3,) unit, in the base frame at the reference configuration.
        point: (3,) on it (m).
        cost: mean squared error of its fit, in squared noises.
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

    Attributes:
        kind: fixed; shifting frames, where whole frames are off, each by itself; floating, where it
            moved on from frame to frame.
        turn: rad, root mean square over the frames, against the reference.
        shift: m, the same of the link's middle.
        smoothness: of the motion, 1 for what is independent from frame to frame, toward 0 for what
            moves on; None where there are too few frames.
        beside: share of the motion, squared, that no single joint explains; None likewise.
    """

    kind: BaseKind
    turn: float = 0.0
    shift: float = 0.0
    smoothness: float | None = None
    beside: float | None = None


@dataclass(frozen=True)
class CameraPose:
    """Where a camera stands: as it was given, corrected by what the cameras see together.

    No recording shows what all cameras are off by together: the mean correction is none.

    Attributes:
        pose: (4, 4) of its optical frame in the recording's fixed frame.
        turn: rad, by which the given pose was corrected.
        shift: m, by which the robot's middle, as this camera sees it, was moved.
        turn_std: rad, standard deviation of the correction in its worst direction, as frames
            disagree. What they are all off by alike is not in it.
        shift_std: m, likewise.
    """

    pose: NDArray[np.float64]
    turn: float
    shift: float
    turn_std: float
    shift_std: float


@dataclass(frozen=True)
class CommonError:
    """What the whole robot may be off by in the fixed frame, one component's standard deviation.

    The cameras' mean calibration error, as large as their disagreement lets expect. It is in no
    joint's own deviation: those are relative to the rest of the robot.

    Attributes:
        turn_std: rad.
        shift_std: m, at the robot's middle.
    """

    turn_std: float
    shift_std: float


@dataclass(frozen=True)
class LinkCost:
    """How badly a link's points follow the final model: mean cost (`point_costs`), capped at 12.

    Costs from 0.2 to 1 are typical.

    Attributes:
        fitted: over the frames that the model was adjusted to, NaN for a link without points.
        held_out: over those that were held out, NaN where there are none, too.
    """

    fitted: float
    held_out: float


@dataclass(frozen=True)
class UnexplainedPatch:
    """Points beside each other that no link's motion explains: a link may be missing there.

    Attributes:
        link: that they are labelled with.
        points: how many.
        cost: their mean (`LinkCost`).
    """

    link: str
    points: int
    cost: float


@dataclass(frozen=True)
class SequenceMotion:
    """What the model did in one sequence of F frames; J joints in the model's order.

    Attributes:
        joint_values: (F, J) rad or m.
        joint_stds: (F, J) their standard deviations, NaN in frames that were not used; 0 in the
            reference frame, to which they are relative.
        base_poses: (F, 4, 4) pose of the root link's reference pose in the fixed frame.
        residuals: (F,) robust standard deviation of the point-to-plane distances (m), NaN where a
            frame was not used.
        used: (F,) bool, the inlier frames.
        held_out: (F,) bool, the inlier frames that did not enter the adjustment: the finished model
            gave their joint values, and is judged by how well it explains them.
    """

    joint_values: NDArray[np.float64]
    joint_stds: NDArray[np.float64]
    base_poses: NDArray[np.float64]
    residuals: NDArray[np.float64]
    used: NDArray[np.bool_]
    held_out: NDArray[np.bool_]


@dataclass(frozen=True)
class Reconstruction:
    """A reconstructed robot, with how far it can be trusted.

    Attributes:
        model: the robot.
        motions: one per sequence of the recording.
        noise: measured standard deviation of a point along its normal (m).
        reference_points: (N, 3) points of the reference frame.
        labels: (N,) index in `model.links` of each of these, -1 where unknown.
        verdict: sums the warnings up.
        warnings: each a sentence for the user.
        model_order: merges of the search for the number of bodies.
        timings: seconds by stage.
        options: the user's choices.
        weak_directions: changes of the axes that the frames hardly show.
        base: how the root link moved.
        notes: each a sentence for the user, of what is no fault.
        loops: joints that close chains.
        link_costs: one per link.
        patches: points that no link explains.
        tracking_error: mean L1 Chamfer distance (m) that AutoURDF's clusters were left with; only
            by that method.
        silhouettes: of its grouping, by number of links; only by that method.
        decisions: changes of links and joints that the likelihood decided; links are named in
            braces.
        provenance: what made it, of which recording.
        cameras: one per camera; none where they are not known, or move.
        common_error: of all joints together; None where it is not known which camera saw what.
        structure_doubted: whether links or joints are doubtful, not only how well they are known.
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
    decisions: tuple[Decision, ...] = ()
    provenance: Provenance = UNKNOWN_ORIGIN
    cameras: tuple[CameraPose, ...] = ()
    common_error: CommonError | None = None
    structure_doubted: bool = False

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
