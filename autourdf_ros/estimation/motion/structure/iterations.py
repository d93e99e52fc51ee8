"""Find bodies, tree and joints: first in early frames, then all over, while that fits better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.common.rigid_bodies import Noise
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import spread_frames, travels
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.tracking import Motion, recovered
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.deformation_graph import (
    DeformationGraph,
    build_graph,
    neighbour_graph,
)
from autourdf_ros.estimation.motion.registration.early_frames import Track, track_early_frames
from autourdf_ros.estimation.motion.registration.graph_tracking import (
    node_bodies,
    size_of,
    track_sequence,
    tracking_noise,
)
from autourdf_ros.estimation.motion.registration.point_labels import own_costs
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.segmentation.root_body import RootMove
from autourdf_ros.estimation.motion.structure.candidate_model import (
    Hypothesis,
    grow,
    hypothesise,
    node_pieces,
    without_needless_joint,
)
from autourdf_ros.estimation.motion.structure.candidates.extending import (
    joints_between,
    with_links,
    with_middle_links,
)
from autourdf_ros.estimation.motion.structure.candidates.lost_track_candidates import (
    with_lost_links_found,
)
from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import with_driven_links
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import (
    MovedModel,
    Scene,
    with_hidden_links,
)
from autourdf_ros.estimation.motion.structure.jumps import without_jumps
from autourdf_ros.estimation.motion.structure.problem import Evidence, relative_readings
from autourdf_ros.estimation.motion.structure.recording_tracking import carry
from autourdf_ros.estimation.motion.structure.refinement import polished
from autourdf_ros.estimation.motion.structure.relabelling import labels_by
from autourdf_ros.estimation.motion.structure.rerooting import on_steadiest_body
from autourdf_ros.estimation.motion.structure.trimming import trimmed
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.progress import Progress, part
from autourdf_ros.stopwatch import Stopwatch

NODES = 150  # of the deformation graph at most
NODE_POINTS = 30  # at least, on average
LOOKS = 4  # after the first, as long as frames fit better than by the one before
BETTER, NO_WORSE = 0.99, 1.03  # times the mean score: of a further look, of the first of them
COMPLETE = 0.9  # share of frames that fit about as well as any when no more looks are needed
SECOND_FRAMES = 10  # spread over all, for the second look at the bodies
FIRST_STOP = 150.0  # chi-square per frame at which bodies are no longer merged
SECOND_STOPS = (180.0, 500.0, 60.0)  # with readings, until every motor has its joint
EXPLAINED = 0.93  # share of the points that links must explain that motors' readings tell
FIRST_EXPLAINED = 0.85  # the same at first, when small links are not looked for
SYSTEMATIC = 0.0  # least share of the random noise that is systematic


def first_look(
    prepared: Prepared, options: ReconstructionOptions, progress: Progress
) -> tuple[Evidence, Hypothesis]:
    """What is to go by, with the noise as measured in the early frames, and what these tell.

    Raises ReconstructionError where they show no joint, or cannot be tracked.
    """
    motors, readings = relative_readings(prepared) if options.use_readings else ((), None)
    reference = prepared.reference
    graph, neighbours = build_graph(reference.points, reference.spacing, _node_count(reference))
    early = track_early_frames(prepared, readings, _tracker(graph, reference, options), progress)
    random = tracking_noise(graph, reference, early.frames, early.poses)
    noise = Noise(random, SYSTEMATIC * random)
    evidence = Evidence(prepared, options, motors, readings, noise)
    pieces = node_bodies(graph, reference, early.frames, early.poses)
    progress("segmentation", 1.0)
    if early.readings is not None and options.links is None:
        grown = grow(
            graph,
            reference,
            early.frames,
            pieces,
            neighbours,
            noise=noise,
            readings=early.readings,
            metre=1 / prepared.scale,
            small_links=False,
        )
        if grown is not None and grown.explained > FIRST_EXPLAINED:
            return evidence, polished(grown, early.frames, early.readings, noise)
    hypothesis = hypothesise(
        reference,
        early.frames,
        pieces,
        graph.nodes,
        graph.edges,
        neighbours,
        noise=noise,
        stop=FIRST_STOP,
        count=options.links,
    )
    if len(hypothesis.model.parents) == 0:
        raise ReconstructionError(
            "all that was seen moves as one rigid body; accepted are recordings in which at least "
            "one joint moves visibly"
        )
    return evidence, polished(hypothesis, early.frames, None, noise)


def _tracker(graph: DeformationGraph, reference: Cloud, options: ReconstructionOptions) -> Track:
    if options.registration == "neural":
        # Only now what takes seconds to import, and may not be installed.
        from autourdf_ros.estimation.motion.networks.network_tracking import track_by_networks

        return lambda frames, report: track_by_networks(
            graph, reference, frames, options.neural, report
        )
    size = size_of(reference.points)
    return lambda frames, report: track_sequence(graph, reference, frames, size, report)


def further_looks(
    evidence: Evidence, first: Hypothesis, watch: Stopwatch, progress: Progress
) -> tuple[Hypothesis, Motion]:
    """The best hypothesis that looks all over the recording find, and its motion there."""
    with watch.stage("tracking"):
        motion = carry(evidence, first, part(progress, 0.0, 0.4))
    best, best_motion = first, motion
    for look in range(LOOKS):
        piece = part(progress, 0.4 + 0.6 * look / LOOKS, 0.4 + 0.6 * (look + 1) / LOOKS)
        with watch.stage("segmentation"):
            piece("segmentation", 0.0)
            candidates = _second_look(evidence, best, best_motion)
        with watch.stage("tracking"):
            found, motion = _carried(evidence, candidates, part(piece, 0.3, 0.8))
        most = (BETTER if look else NO_WORSE) * best_motion.scores.mean()
        if motion.scores.mean() > most:
            break
        best, best_motion = found, motion
        if best_motion.good.mean() > COMPLETE or best.grown is not None:
            break
    with watch.stage("segmentation"):
        if evidence.options.links is None and best.grown is None:
            best, best_motion = _completed(evidence, best, best_motion)
        if evidence.options.links is None:
            best, best_motion = trimmed(evidence, best, best_motion)
            best, best_motion = with_driven_links_added(evidence, best, best_motion)
        best_motion = with_lost_links_found(evidence, best, best_motion)
        return on_steadiest_body(best, without_jumps(evidence, best, best_motion))


def with_driven_links_added(
    evidence: Evidence, hypothesis: Hypothesis, motion: Motion
) -> tuple[Hypothesis, Motion]:
    """The hypothesis with the round links that motors turn which have no joint, and its motion."""
    if evidence.readings is None or not hypothesis.idle_motors(evidence.readings.shape[1]):
        return hypothesis, motion
    return _completed(evidence, hypothesis, motion, by_motors=True)


def _node_count(reference: Cloud) -> int:
    return max(2, min(NODES, len(reference.points) // NODE_POINTS))


def _carried(
    evidence: Evidence, candidates: Sequence[Hypothesis], progress: Progress
) -> tuple[Hypothesis, Motion]:
    """The first candidate and its motion, or a later one's by which the frames fit better."""
    best = candidates[0]
    motion = carry(evidence, best, part(progress, 0.0, 1 / len(candidates)))
    for i, other in enumerate(candidates[1:], start=1):
        piece = part(progress, i / len(candidates), (i + 1) / len(candidates))
        found = carry(evidence, other, piece)
        if found.scores.mean() < BETTER * motion.scores.mean():
            best, motion = other, found
    return best, motion


def _second_look(
    evidence: Evidence, hypothesis: Hypothesis, motion: Motion
) -> tuple[Hypothesis, ...]:
    """Hypotheses from frames all over the recording, whose states are already known.

    The second, if there is one, has chains in the place of joints that hardly explain a link in
    these frames. How a link moved by itself may be wrong in one of them, which a chain explains,
    too: all frames tell.
    """
    reference, options, noise = evidence.reference, evidence.options, evidence.noise
    graph, neighbours = build_graph(reference.points, reference.spacing, _node_count(reference))
    chosen = spread_frames(motion, travels(motion, evidence.readings), SECOND_FRAMES)
    frames, readings = evidence.clouds(chosen), evidence.readings_in(chosen)
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    pieces = node_pieces(graph, reference, frames, hypothesis, states)
    root = RootMove(hypothesis.segmentation.root_motion, states.base, hypothesis.labels == 0)
    motors = 0 if readings is None else readings.shape[1]
    grown: Hypothesis | None = None
    if readings is not None and options.links is None:
        for known in [hypothesis.grown, None] if hypothesis.grown is not None else [None]:
            found = grow(
                graph,
                reference,
                frames,
                pieces,
                neighbours,
                noise=noise,
                readings=readings,
                metre=1 / evidence.prepared.scale,
                known=known,
                root=root,
            )
            if found is None or found.explained <= EXPLAINED:
                continue
            if grown is None or found.driven > grown.driven:
                grown = found
            if found.driven >= motors:
                break
    others = () if grown is None else (polished(grown, frames, readings, noise),)
    if grown is not None and grown.driven >= motors:
        return others
    best: Hypothesis | None = None
    for stop in SECOND_STOPS[: None if readings is not None else 1]:
        found = hypothesise(
            reference,
            frames,
            pieces,
            graph.nodes,
            graph.edges,
            neighbours,
            noise=noise,
            stop=stop,
            count=options.links,
            readings=readings,
            root=root,
        )
        if best is None or found.driven > best.driven:
            best = found
        if readings is not None and best.driven >= motors:
            break
    if best is None or len(best.model.parents) == 0:
        return others or (hypothesis,)
    result = polished(best, frames, readings, noise)
    while options.links is None and len(result.model.parents) > 1:
        simpler = without_needless_joint(reference, frames, result, noise=noise, readings=readings)
        if simpler is None:
            break
        result = polished(simpler, frames, readings, noise)
    if options.links is not None:
        return (result,)
    others = (*others, result)
    poses = body_poses(hypothesis.model, states.values, states.base)
    before = own_costs(reference, hypothesis.labels, frames, poses, noise=noise.total)
    longer = with_middle_links(
        reference,
        frames,
        result,
        neighbours,
        noise=noise,
        before=before,
        lengths=joints_between(hypothesis, result),
        readings=readings,
    )
    if longer is result:
        return others
    # Their joints were not adjusted yet when the new links were given points.
    longer = polished(longer, frames, readings, noise)
    labels = labels_by(
        reference, frames, longer.labels, longer.model, longer.states, neighbours, noise
    )
    longer = replace(longer, labels=labels, surface=surface_of(reference, labels))
    return *others, polished(longer, frames, readings, noise)


def _completed(
    evidence: Evidence, hypothesis: Hypothesis, motion: Motion, *, by_motors: bool = False
) -> tuple[Hypothesis, Motion]:
    """The hypothesis with the links that it lacks, and its motion.

    by_motors: only with those that motors turn which have no joint.
    """
    reference, owners = evidence.reference, evidence.owners
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    scene = Scene(
        reference,
        evidence.clouds(chosen),
        [np.flatnonzero(owners[chosen] == number) for number in np.unique(owners[chosen])],
        neighbour_graph(reference.points, reference.spacing),
        evidence.noise.total,
    )
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    readings = evidence.readings_in(chosen)
    add: Callable[[Scene, MovedModel], MovedModel] = with_hidden_links
    if by_motors and readings is not None:
        idle = hypothesis.idle_motors(readings.shape[1])
        add = partial(with_driven_links, readings=readings[:, idle])
    larger = with_links(scene, hypothesis, states, add, readings=readings)
    if larger is hypothesis:
        return hypothesis, motion
    values = np.zeros((len(motion.used), len(larger.model.parents)))
    values[chosen] = larger.states.values
    known = replace(motion, states=States(values, motion.states.base))
    return larger, recovered(
        larger.model,
        larger.surface,
        evidence.prepared.clouds,
        owners,
        known,
        size=size_of(reference.points),
        prior=larger.prior,
        noise=evidence.noise.total,
    )
