"""Find the joints of a mechanism in a track of its bodies' poses: the algorithm at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.joints.fitting.mechanism_fit import fit_mechanism
from autourdf_ros.estimation.video.joints.fitting.pair_likelihood import (
    LEAST_FRAMES,
    PairFit,
    fit_pair,
)
from autourdf_ros.estimation.video.joints.fitting.pair_motion import (
    WORLD,
    all_observations,
    pair_motion,
    without_jumps,
)
from autourdf_ros.estimation.video.joints.joint_doubts import base_notes, doubts, parallel_notes
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_adjustment import (
    Adjusted,
    adjust,
    described,
    with_motions,
)
from autourdf_ros.estimation.video.joints.mechanism_model import build_model
from autourdf_ros.estimation.video.joints.mechanism_tree import Pair, TreeEdge, best_tree, pair_of
from autourdf_ros.estimation.video.joints.mounting import mounted
from autourdf_ros.estimation.video.joints.ransac.sampled_joint import SampledJoint
from autourdf_ros.estimation.video.joints.ransac.spanning_forest import sampled_mechanism
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.kinematics import Confidence
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress


@dataclass(frozen=True)
class JointsTrace:
    """How the joints were found.

    Attributes:
        pairs: Fits of every pair by (parent, child), -1 being the world; each ranks all types.
        tree: Joints of the mechanism, parents first, each with its rival in another tree.
        adjusted: All joints adjusted together, in the order of `tree`.
        noise: Factor by which errors exceed the track's standard deviations.
        sampled: Joints of pairs of bodies by random samples; of the method "ransac" only.
    """

    pairs: Mapping[Pair, PairFit]
    tree: tuple[TreeEdge, ...]
    adjusted: Adjusted
    noise: float
    sampled: Mapping[Pair, SampledJoint] = field(default_factory=dict)


@dataclass(frozen=True)
class MechanismJoints:
    """The joints of a mechanism.

    Attributes:
        model: Its root link is the world; joints are at zero in the frame
            `trace.adjusted.reference`.
        joint_values: (T, J) of the joints that move, in the order of `moving`; rad or m, NaN where
            not known.
        joint_stds: (T, J) standard deviations.
        moving: J names of joints of the model.
        trace: Fits and alternatives.
        warnings: Sentences, each a reason for doubt.
        notes: Sentences for the user that are no doubt.
    """

    model: SelfModel
    joint_values: Array
    joint_stds: Array
    moving: tuple[str, ...]
    trace: JointsTrace
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_joints(
    track: PoseTrack,
    shapes: Sequence[VideoShape],
    options: JointsOptions,
    progress: Progress,
    name: str = "mechanism",
) -> MechanismJoints:
    """Find the joints between the bodies of a track and the world.

    Args:
        track: Poses with covariances; NaN where not seen.
        shapes: Of bodies, by name; may be none.
        options: Choices.
        progress: Is called with stage and fraction, and may raise to cancel.
        name: Of the model.

    Raises:
        InputError: there is no body, or too few frames.
    """
    _refuse_empty(track)
    track = without_jumps(track)
    if options.method == "ransac":
        return _sampled(track, shapes, options, progress, name)
    pairs = _fitted_pairs(track, options, progress)
    tree = best_tree(pairs, len(track.bodies))
    tree = mounted(tree, pairs, track, shapes, options.touching)
    noise = _noise(pairs, tree)
    progress("adjusting joints", 0.8)
    adjusted = adjust(all_observations(track, noise), tree, pairs, options)
    confidences = [_confidence(edge, pair_of(pairs, edge.parent, edge.child)) for edge in tree]
    model = build_model(name, track, adjusted, confidences, shapes, options)
    trace = JointsTrace(pairs, tree, adjusted, noise)
    found = finished(model, trace, doubts(track, tree, pairs, adjusted, options))
    notes = *parallel_notes(track, tree, adjusted), *base_notes(track, tree, pairs)
    return replace(found, notes=notes)


def _sampled(
    track: PoseTrack,
    shapes: Sequence[VideoShape],
    options: JointsOptions,
    progress: Progress,
    name: str,
) -> MechanismJoints:
    """The joints by random samples, without adjustment and without uncertainty."""
    progress("sampling joints", 0.0)
    edges, sampled = sampled_mechanism(track, options)
    unmoved = replace(options, iterations=0)
    seen = all_observations(track, 1.0)
    adjusted = described(fit_mechanism(seen, with_motions(seen, edges), unmoved), unmoved)
    adjusted = replace(adjusted, stds=tuple(np.full_like(one, np.nan) for one in adjusted.stds))
    model = build_model(name, track, adjusted, [None] * len(edges), shapes, options)
    tree = tuple(TreeEdge(edge.parent, edge.child, edge.kind) for edge in edges)
    return finished(model, JointsTrace({}, tree, adjusted, 1.0, sampled), ())


def finished(model: SelfModel, trace: JointsTrace, warnings: tuple[str, ...]) -> MechanismJoints:
    """Return a result with the values of all joints that move, in the model's order."""
    moving = tuple(joint.name for joint in model.tree.joints if joint.type != "fixed")
    return MechanismJoints(
        model,
        np.hstack(trace.adjusted.values),
        np.hstack(trace.adjusted.stds),
        moving,
        trace,
        warnings,
    )


def _refuse_empty(track: PoseTrack) -> None:
    if not track.bodies:
        raise InputError("pose track: it has no bodies; accepted is one at least")
    frames = int(track.seen.any(axis=0).sum())
    if frames < LEAST_FRAMES:
        raise InputError(
            f"pose track: bodies are seen in {frames} frames; accepted are {LEAST_FRAMES} at least"
        )


def _fitted_pairs(
    track: PoseTrack, options: JointsOptions, progress: Progress
) -> dict[Pair, PairFit]:
    bodies = range(len(track.bodies))
    numbers = [(parent, child) for child in bodies for parent in (WORLD, *range(child))]
    pairs = {}
    for done, (parent, child) in enumerate(numbers):
        progress("fitting joints", 0.8 * done / len(numbers))
        pairs[parent, child] = fit_pair(pair_motion(track, parent, child), options)
    return pairs


def _noise(pairs: Mapping[Pair, PairFit], tree: tuple[TreeEdge, ...]) -> float:
    """Typical factor of the noise of the joints that hold anything."""
    factors = [
        pair_of(pairs, edge.parent, edge.child).noise for edge in tree if edge.kind != "free"
    ]
    return float(np.median(factors)) if factors else 1.0


def _confidence(edge: TreeEdge, pair: PairFit) -> Confidence:
    sure = pair.probabilities
    return Confidence(
        exists=1.0 - sure.get("fixed", 0.0), parent=edge.probability, type=sure.get(edge.kind, 1.0)
    )
