"""The engine: from a recording to a robot model.

1. Track a deformation graph through the first frames.
2. Find bodies, tree and joints in them.
3. Carry this model through all frames, in joint space.
4. Find bodies, tree and joints anew, from frames all over the recording that fit it, and the links
   that even this leaves unexplained; again, while that makes more frames fit.
5. Adjust everything at once; match the motors; say how sure all this is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.kinematics.adjustment import (
    Adjustment,
    KeySurface,
    States,
    adjust,
)
from autourdf_ros.kinematics.cloud import Cloud
from autourdf_ros.kinematics.deformation_graph import build_graph, neighbour_graph
from autourdf_ros.kinematics.early_frames import track_early_frames
from autourdf_ros.kinematics.hidden_links import Scene
from autourdf_ros.kinematics.hypothesis import (
    Hypothesis,
    completed,
    grow,
    hypothesise,
    key_surfaces,
    node_pieces,
    relabelled,
    without_needless_joint,
)
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.merging import Noise
from autourdf_ros.kinematics.model_building import build_reconstruction
from autourdf_ros.kinematics.motors import moving_readings
from autourdf_ros.kinematics.parallel import Tally, on_all_cores
from autourdf_ros.kinematics.preparation import Prepared, prepare
from autourdf_ros.kinematics.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.kinematics.registration import (
    node_bodies,
    size_of,
    tracking_noise,
)
from autourdf_ros.kinematics.root_body import RootMove
from autourdf_ros.kinematics.tracking import (
    Motion,
    SequenceStates,
    motion_of,
    recovered,
    track_states,
)
from autourdf_ros.progress import Progress, part, silent, staged
from autourdf_ros.recording.frame import Recording
from autourdf_ros.recording.validate import validate

NODES = 150  # of the deformation graph at most
NODE_POINTS = 30  # at least, on average
LOOKS = 3  # after the first, as long as frames fit better than by the one before
BETTER, NO_WORSE = 0.99, 1.02  # times the mean score: of a further look, of the first of them
COMPLETE = 0.9  # share of frames that fit about as well as any when no more looks are needed
SECOND_FRAMES = 10  # spread over all, for the second look at the bodies
FIRST_STOP = 150.0  # chi-square per frame at which bodies are no longer merged
SECOND_STOPS = (180.0, 500.0, 60.0)  # with readings, until every motor has its joint
EXPLAINED = 0.93  # share of the points that links must explain that motors' readings tell
FIRST_EXPLAINED = 0.85  # the same at first, when small links are not looked for
SYSTEMATIC = 0.0  # least share of the random noise that is systematic
KERNELS = (1.0, 0.25)  # start and end of the adjustment, in point spacings, at least 2 sigma
ADJUSTMENTS = 8
KEY_ADJUSTMENTS = 3
LAST_ADJUSTMENTS = 10
ROUNDS = 6  # of adjusting and of giving points to links anew, at most
SETTLED = 0.05  # share of a link's points that changed when no more rounds are needed
KEYS = 5  # frames, beside the reference, that the others are fitted to in the end
TOLERANCE = 2e-5  # rad or robot sizes


@dataclass
class Stopwatch:
    """Seconds by stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside to stage `name`."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def reconstruct(
    recording: Recording,
    options: ReconstructionOptions | None = None,
    progress: Progress = silent,
) -> Reconstruction:
    """Reconstruct the robot seen in a recording.

    Raises InputError where the recording cannot be used (see `validate`), ReconstructionError
    where no model explains it, and whatever `progress` raises to cancel.
    """
    # The matrices are small: threads inside BLAS would only wait for one another.
    with threadpool_limits(limits=1, user_api="blas"):
        return _reconstruct(recording, options or ReconstructionOptions(), progress)


def _reconstruct(
    recording: Recording, options: ReconstructionOptions, progress: Progress
) -> Reconstruction:
    watch = Stopwatch()
    progress("checking", 0.0)
    with watch.stage("preparation"):
        validate(recording)
        prepared = prepare(
            recording, options.points, report=staged(part(progress, 0.0, 0.1), "preparing")
        )
    with watch.stage("registration"):
        readings = _relative_readings(prepared) if options.use_readings else None
        first, noise = _first_look(prepared, readings, options, part(progress, 0.1, 0.35))
    with watch.stage("tracking"):
        motion = _carry(prepared, first, readings, noise, part(progress, 0.35, 0.55))
    best, best_motion = first, motion
    for look in range(LOOKS):
        piece = part(progress, 0.55 + 0.25 * look / LOOKS, 0.55 + 0.25 * (look + 1) / LOOKS)
        with watch.stage("segmentation"):
            piece("segmentation", 0.0)
            found = _second_look(prepared, best, best_motion, readings, options, noise)
        with watch.stage("tracking"):
            motion = _carry(prepared, found, readings, noise, part(piece, 0.3, 0.8))
        most = (BETTER if look else NO_WORSE) * best_motion.scores.mean()
        if motion.scores.mean() > most:
            break
        with watch.stage("segmentation"):
            piece("segmentation", 0.8)
            best, best_motion = _completed(prepared, found, motion, readings, options, noise)
        if best_motion.good.mean() > COMPLETE or best.grown is not None:
            break
    if best is first:
        with watch.stage("segmentation"):
            best, best_motion = _completed(prepared, first, best_motion, readings, options, noise)
    with watch.stage("adjustment"):
        progress("adjustment", 0.8)
        best, adjustment = _adjust(
            prepared, best, best_motion, readings, noise, part(progress, 0.8, 0.95)
        )
    with watch.stage("model"):
        progress("model", 0.95)
        result = build_reconstruction(
            recording, prepared, best, best_motion, adjustment, options, noise.total
        )
    progress("reconstructed", 1.0)
    return replace(result, timings=dict(watch.seconds))


def _first_look(
    prepared: Prepared,
    readings: Array | None,
    options: ReconstructionOptions,
    progress: Progress,
) -> tuple[Hypothesis, Noise]:
    """Hypothesis from the early frames, and the noise measured there."""
    reference = prepared.reference
    graph, neighbours = build_graph(reference.points, reference.spacing, _node_count(reference))
    early = track_early_frames(prepared, readings, graph, progress)
    random = tracking_noise(graph, reference, early.frames, early.poses)
    noise = Noise(random, SYSTEMATIC * random)
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
            return _polish(grown, early.frames, early.readings, noise), noise
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
    return _polish(hypothesis, early.frames, None, noise), noise


def _node_count(reference: Cloud) -> int:
    return max(2, min(NODES, len(reference.points) // NODE_POINTS))


def _polish(
    hypothesis: Hypothesis, frames: list[Cloud], readings: Array | None, noise: Noise
) -> Hypothesis:
    """The hypothesis with its joints adjusted to the frames that it was made from."""
    adjusted = _run_adjustment(hypothesis, frames, hypothesis.states, readings, noise)
    return replace(hypothesis, model=adjusted.model, states=adjusted.states)


def _run_adjustment(
    hypothesis: Hypothesis,
    frames: list[Cloud],
    states: States,
    readings: Array | None,
    noise: Noise,
    keys: Sequence[KeySurface] = (),
    iterations: int = KEY_ADJUSTMENTS,
) -> Adjustment:
    """Adjust to F frames; readings (F, M) of the motors in them, if there are any.

    iterations: at most, with keys, which come after an adjustment without.
    """
    spacing = float(np.median([frame.spacing for frame in frames]))
    end = max(KERNELS[1] * spacing, 2 * noise.total)
    if keys:
        widths = np.full(iterations, end)
    else:
        start = max(KERNELS[0] * spacing, end)
        widths = np.geomspace(start, end, ADJUSTMENTS // 2)
        widths = np.concatenate([widths, np.full(ADJUSTMENTS // 2, end)])
    return adjust(
        hypothesis.model,
        hypothesis.surface,
        frames,
        states,
        gate=3 * spacing,
        kernels=widths,
        prior=hypothesis.prior,
        noise=noise.total,
        keys=keys,
        expected=None if readings is None else hypothesis.predicted(readings),
        tolerance=TOLERANCE,
    )


def _carry(
    prepared: Prepared,
    hypothesis: Hypothesis,
    readings: Array | None,
    noise: Noise,
    progress: Progress,
) -> Motion:
    """The hypothesis tracked through all frames; the reference frame's state is zero."""
    reference = prepared.reference
    joints = len(hypothesis.model.parents)
    predicted = np.full((len(prepared.clouds), joints), np.nan)
    if readings is not None:
        predicted = hypothesis.predicted(readings)
    ends = np.cumsum([len(sequence) for sequence in prepared.sequences])
    tally = Tally(len(prepared.clouds), staged(progress, "tracking"))

    def track(number: int, usual: float | None) -> SequenceStates:
        sequence = prepared.sequences[number]
        known = States(np.zeros((1, joints)), np.eye(4)[None]) if number == 0 else None
        return track_states(
            hypothesis.model,
            hypothesis.surface,
            list(sequence),
            known=known,
            predicted=predicted[ends[number] - len(sequence) : ends[number]],
            usual=usual,
            size=size_of(reference.points),
            prior=hypothesis.prior,
            noise=noise.total,
            report=tally.add,
        )

    tracked = [track(0, None)]
    # The first sequence tells what a usual score is.
    usual = float(np.median(tracked[0].scores[1:]))
    tracked += on_all_cores(partial(track, usual=usual), range(1, len(prepared.sequences)))
    states = States(
        np.concatenate([sequence.states.values for sequence in tracked]),
        np.concatenate([sequence.states.base for sequence in tracked]),
    )
    scores = np.concatenate([sequence.scores for sequence in tracked])
    return motion_of(states, scores)


def _completed(
    prepared: Prepared,
    hypothesis: Hypothesis,
    motion: Motion,
    readings: Array | None,
    options: ReconstructionOptions,
    noise: Noise,
) -> tuple[Hypothesis, Motion]:
    """The hypothesis with the links that it lacks, and its motion; growth looks for its own."""
    if options.links is not None or hypothesis.grown is not None:
        return hypothesis, motion
    reference = prepared.reference
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    owners = np.repeat(np.arange(len(prepared.sequences)), [len(s) for s in prepared.sequences])
    scene = Scene(
        reference,
        [prepared.clouds[i] for i in chosen],
        [np.flatnonzero(owners[chosen] == number) for number in np.unique(owners[chosen])],
        neighbour_graph(reference.points, reference.spacing),
        noise.total,
    )
    larger = completed(
        scene,
        hypothesis,
        States(motion.states.values[chosen], motion.states.base[chosen]),
        readings=None if readings is None else readings[chosen],
    )
    if larger is hypothesis:
        return hypothesis, motion
    values = np.zeros((len(motion.used), len(larger.model.parents)))
    values[chosen] = larger.states.values
    known = replace(motion, states=States(values, motion.states.base))
    return larger, recovered(
        larger.model,
        larger.surface,
        prepared.clouds,
        owners,
        known,
        size=size_of(reference.points),
        prior=larger.prior,
        noise=noise.total,
    )


def _second_look(
    prepared: Prepared,
    hypothesis: Hypothesis,
    motion: Motion,
    readings: Array | None,
    options: ReconstructionOptions,
    noise: Noise,
) -> Hypothesis:
    """Hypothesis from frames all over the recording, whose states are already known."""
    reference = prepared.reference
    graph, neighbours = build_graph(reference.points, reference.spacing, _node_count(reference))
    chosen = spread_frames(motion, _travels(motion, readings), SECOND_FRAMES)
    frames = [prepared.clouds[i] for i in chosen]
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    pieces = node_pieces(graph, reference, frames, hypothesis, states)
    root = RootMove(hypothesis.segmentation.root_motion, states.base, hypothesis.labels == 0)
    best: Hypothesis | None = None
    if readings is not None:
        readings = readings[chosen]
    if readings is not None and options.links is None:
        for known in [hypothesis.grown, None] if hypothesis.grown is not None else [None]:
            best = grow(
                graph,
                reference,
                frames,
                pieces,
                neighbours,
                noise=noise,
                readings=readings,
                metre=1 / prepared.scale,
                known=known,
                root=root,
            )
            if best is not None and best.explained > EXPLAINED:
                return _polish(best, frames, readings, noise)
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
        if readings is not None and best.driven >= readings.shape[1]:
            break
    if best is None or len(best.model.parents) == 0:
        return hypothesis
    polished = _polish(best, frames, readings, noise)
    while options.links is None and len(polished.model.parents) > 1:
        simpler = without_needless_joint(
            reference, frames, polished, noise=noise, readings=readings
        )
        if simpler is None:
            break
        polished = _polish(simpler, frames, readings, noise)
    return polished


def _relative_readings(prepared: Prepared) -> Array | None:
    """Readings (F, M) of the motors that moved, less those of the reference frame."""
    readings = [reading for sequence in prepared.readings for reading in sequence]
    known = [reading for reading in readings if reading is not None]
    columns = moving_readings(known) if len(known) == len(readings) else {}
    if not columns:
        return None
    table = np.stack(list(columns.values()), axis=1)
    return table - table[0]


def _travels(motion: Motion, readings: Array | None) -> Array:
    """(F, D) where joints were in all frames: as tracked, and by the motors, known or not."""
    values = motion.states.values
    if readings is None:
        return values
    spans = np.maximum(np.ptp(readings, axis=0), 1e-12)
    return np.concatenate([values, readings / spans], axis=1)


def spread_frames(motion: Motion, travels: Array, count: int) -> NDArray[np.int64]:
    """Indices of up to `count` believed frames, not the reference, far apart in travels (F, D)."""
    candidates = np.flatnonzero(motion.good)
    candidates = candidates[candidates > 0]
    if len(candidates) < count:  # the best there are
        order = np.argsort(motion.scores)
        candidates = np.sort(order[motion.used[order] & (order > 0)][:count])
    return np.sort(candidates[_far_apart(travels[candidates], count)])


def _far_apart(values: Array, count: int) -> list[int]:
    """Up to `count` of values (F, D) far from each other and from zero."""
    distances = np.abs(values).sum(axis=1)
    chosen: list[int] = []
    while len(chosen) < min(count, len(values)):
        chosen.append(int(distances.argmax()))
        distances = np.minimum(distances, np.abs(values - values[chosen[-1]]).sum(axis=1))
    return chosen


def _adjust(
    prepared: Prepared,
    hypothesis: Hypothesis,
    motion: Motion,
    readings: Array | None,
    noise: Noise,
    progress: Progress,
) -> tuple[Hypothesis, Adjustment]:
    """Adjust over all believed frames but the reference, which the surface is.

    Then, in rounds, give the points to the links anew and adjust to key frames' surfaces as well.
    """
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    if not len(chosen):
        raise ReconstructionError("no frame fits the model that was found")
    clouds = [prepared.clouds[i] for i in chosen]
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    own = None if readings is None else readings[chosen]
    adjusted = _run_adjustment(hypothesis, clouds, states, own, noise)
    reference = prepared.reference
    neighbours = neighbour_graph(reference.points, reference.spacing)
    key_frames = _far_apart(adjusted.states.values, KEYS)
    for done in range(ROUNDS):
        progress("adjustment", (1 + done) / (1 + ROUNDS))
        before = hypothesis.labels
        hypothesis = relabelled(reference, clouds, hypothesis, adjusted, neighbours, noise=noise)
        keys = key_surfaces(hypothesis, clouds, adjusted, key_frames, noise=noise)
        adjusted = _run_adjustment(hypothesis, clouds, adjusted.states, own, noise, keys)
        if _changed(before, hypothesis.labels) < SETTLED:
            break
    hypothesis = replace(hypothesis, model=adjusted.model)
    adjusted = _run_adjustment(
        hypothesis, clouds, adjusted.states, own, noise, keys, LAST_ADJUSTMENTS
    )
    return hypothesis, adjusted


def _changed(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Points (N,) that changed their link, as a share of its size; of the link that did most."""
    moved = before != after
    lost = np.bincount(before[moved] + 1, minlength=after.max() + 2)
    won = np.bincount(after[moved] + 1, minlength=len(lost))
    sizes = np.bincount(after + 1, minlength=len(lost))
    return float(((lost + won) / np.maximum(sizes, 1))[1:].max())
