"""Track an articulated surface through all frames, in joint space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, States, fit_frame
from autourdf_ros.estimation.motion.fitting.searched_starts import searched_starts
from autourdf_ros.estimation.motion.registration.graph_registration import (
    align_translation,
    registration_score,
)
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import from_translation, transform
from autourdf_ros.parallel import on_all_cores, thread_count

START_GATE = 0.05  # robot sizes
ITERATIONS = 10
GOOD = 1.25  # times the typical score: a frame that fits worse is tried again from elsewhere
ALIGNED = 1.0  # score below which a frame is aligned at all, while no typical one is known
LIKELY = 2  # starts that are tried of every frame: a robot stops, or it goes on
RESTARTS = 8  # from elsewhere still
SEARCHED = 3  # from where a search all around finds each link (`searched_starts`)
SCATTER = np.radians(5.0), 0.01  # rad, robot sizes: of where these begin, at least
FAILED = 1.5  # times the typical score: such a frame is left out


@dataclass(frozen=True)
class SequenceStates:
    """The states of one sequence.

    Attributes:
        states: of its F frames.
        scores: (F,) how well they fit (`registration_score`).
    """

    states: States
    scores: Array


@dataclass(frozen=True)
class Motion:
    """A model's states in all F frames of a recording.

    Attributes:
        states: of the frames.
        scores: (F,) how well they fit (`registration_score`).
        used: (F,) bool, the inlier frames.
        good: (F,) bool, those among them that fit about as well as any.
    """

    states: States
    scores: Array
    used: NDArray[np.bool_]
    good: NDArray[np.bool_]

    @property
    def typical(self) -> float:
        """Score of a frame that fits."""
        return typical_score(self.scores)


def typical_score(scores: Array) -> float:
    """Return the score of a frame that fits, by those (F,) of all; frame 0 is the reference."""
    # The reference fits itself: its score of 0 is not typical.
    return float(np.quantile(scores[1:], 0.3))


def motion_of(states: States, scores: Array) -> Motion:
    """Return the motion by its states and scores (F,); frame 0 is the reference."""
    typical = typical_score(scores)
    return Motion(states, scores, usable(scores, typical), scores < GOOD * typical)


def posed_points(target: ArticulatedSurface, states: States, frame: int) -> Array:
    """Return the surface's points (M, 3) in one frame."""
    poses = body_poses(target.model, states.values[frame], states.base[frame])
    return transform(poses[target.surface.labels], target.surface.points)


def track_frame(
    target: ArticulatedSurface, frame: Cloud, values: Array, base: Array, *, size: float
) -> tuple[States, float]:
    """Fit one frame, started from a state.

    Args:
        target: the articulated surface.
        frame: the frame.
        values: (J,) joint values to start from.
        base: (4, 4) base pose to start from.
        size: diagonal of the robot's bounding box.

    Returns:
        The states (F = 1), and their score.
    """
    spacing = max(frame.spacing, 1e-9)
    start = States(values[None], base[None])
    moved = posed_points(target, start, 0)
    if target.prior.translation > 0:
        shift = align_translation(moved, frame, spacing, size)
        start = States(start.values, (from_translation(shift) @ base)[None])
    gates = np.geomspace(START_GATE * size, spacing, ITERATIONS)
    states = fit_frame(target, frame, start, gates=gates)
    return states, registration_score(posed_points(target, states, 0), frame, spacing)


def track_states(
    target: ArticulatedSurface,
    frames: list[Cloud],
    *,
    known: States | None,
    predicted: Array,
    typical: float | None,
    size: float,
    report: Callable[[], None],
) -> SequenceStates:
    """Track the surface through the F frames of one sequence.

    What is not predicted starts from constant velocity; where that scores badly, from where the
    last frame was, from the reference configuration, from places around, and from where a search
    all around finds each link.

    Args:
        target: the articulated surface.
        frames: the frames in their order.
        known: states of the first frames, which are taken as they are; None without any.
        predicted: (F, J) joint values to start from, NaN where they are unknown.
        typical: score of a good frame, or None to take that of the first frame that is tracked.
        size: diagonal of the robot's bounding box.
        report: is called after every frame.
    """
    joints = len(target.model.parents)
    count = len(frames)
    values = np.zeros((count, joints))
    base = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    scores = np.full(count, np.inf)
    begin = 0
    rng = np.random.default_rng(0)
    if known is not None:
        begin = len(known.values)
        values[:begin], base[:begin] = known.values, known.base
        for f in range(begin):
            moved = posed_points(target, States(values, base), f)
            scores[f] = registration_score(moved, frames[f], frames[f].spacing)
    for f in range(begin, count):
        guesses = _starts(values, f, scores, typical or np.inf)
        guesses += _scattered(guesses[0], _steps(target.model, values, scores, f, typical), rng)
        likely, others = guesses[:LIKELY], guesses[LIKELY:]
        if np.isfinite(predicted[f]).any():
            likely, others = _with_predicted(likely, predicted[f]), guesses
        root = base[f - 1] if f else np.eye(4)
        best = _best_from(target, frames[f], likely, others, root, size, typical)
        if best[1] >= FAILED * (typical or ALIGNED):
            # Of values that differ by whole turns, those nearest to the last ones.
            last, reach = _last_good(values, f, scores, typical or np.inf), START_GATE * size
            places = list(searched_starts(target, frames[f], last, root, reach=reach)[:SEARCHED])
            other = _best_from(target, frames[f], places, (), root, size, typical)
            best = min(best, other, key=lambda one: one[1])
        values[f], base[f], scores[f] = best[0].values[0], best[0].base[0], best[1]
        typical = typical or scores[f]
        report()
    return SequenceStates(States(values, base), scores)


def recovered(
    target: ArticulatedSurface,
    frames: Sequence[Cloud],
    owners: Labels,
    motion: Motion,
    *,
    size: float,
) -> Motion:
    """Track the outlier frames anew, by a model that is better now.

    Args:
        target: the articulated surface.
        frames: F frames.
        owners: (F,) sequence of every frame; each outlier starts from the nearest inlier of its
            own.
        motion: of the frames; its inliers keep their states and scores.
        size: diagonal of the robot's bounding box.
    """
    values, base = motion.states.values.copy(), motion.states.base.copy()
    scores = motion.scores.copy()
    inliers = np.flatnonzero(motion.used)
    for f in np.flatnonzero(~motion.used).tolist():
        near = inliers[owners[inliers] == owners[f]]
        if not len(near):
            continue
        start = near[np.abs(near - f).argmin()]
        states, scores[f] = track_frame(target, frames[f], values[start], base[start], size=size)
        values[f], base[f] = states.values[0], states.base[0]
    tried = motion_of(States(values, base), scores)
    return replace(tried, used=tried.used | motion.used)


def _last_good(values: Array, frame: int, scores: Array, typical: float) -> Array:
    """Joint values (J,) of the last frame before one that fits; zero where none does."""
    good = np.flatnonzero(scores[:frame] < FAILED * typical)
    return values[good[-1]] if len(good) else np.zeros(values.shape[1])


def _starts(values: Array, frame: int, scores: Array, typical: float) -> list[Array]:
    """Joint values (J,) to start a frame from, the likeliest first."""
    zero = np.zeros(values.shape[1])
    good = [f for f in range(frame) if scores[f] < FAILED * typical]
    if not good:
        return [zero]
    last = good[-1]
    starts = [values[last], zero]
    if len(good) > 1 and good[-2] == last - 1 and last == frame - 1:
        velocity = values[last] - values[last - 1]
        starts = [values[last], values[last] + velocity, values[last] + velocity / 2, zero]
    return starts


def _with_predicted(starts: list[Array], predicted: Array) -> list[Array]:
    """Starts (J,) with the values that are predicted (J,), NaN where they are not.

    Where all are, it is one: what looks alike at several values is where the prediction says.
    """
    known = np.isfinite(predicted)
    if known.all():
        return [predicted]
    return [np.where(known, predicted, start) for start in starts]


def _best_from(
    target: ArticulatedSurface,
    frame: Cloud,
    likely: list[Array],
    others: Sequence[Array],
    base: Array,
    size: float,
    typical: float | None,
) -> tuple[States, float]:
    """The best state of a frame (F = 1) from several starts, and its score.

    The best of the likely ones is taken, if it is about typical: from the wrong one of them a
    small link may end beside its place. Else it is the first of the others that is. As long as no
    typical score is known, all starts are tried.
    """
    track = partial(track_frame, target, frame, base=base, size=size)
    none = States(np.zeros((1, len(target.model.parents))), base[None]), np.inf
    best = min(on_all_cores(track, likely), default=none, key=lambda one: one[1])
    at, count = 0, thread_count()
    while at < len(others) and not (typical is not None and best[1] < GOOD * typical):
        # As many at once as there are cores; what comes after the first that fits is not used.
        for tried in on_all_cores(track, others[at : at + count]):
            best = min(best, tried, key=lambda one: one[1])
            if typical is not None and best[1] < GOOD * typical:
                break
        at += count
    return best


def _scattered(values: Array, steps: Array, rng: np.random.Generator) -> list[Array]:
    """Joint values (J,) about as far from these as steps (J,) of the robot go."""
    return list(values + steps * rng.normal(size=(RESTARTS, len(values))))


def _steps(
    model: Articulation, values: Array, scores: Array, frame: int, typical: float | None
) -> Array:
    """How far (J,) the joints went between neighbouring frames before one, at least `SCATTER`."""
    least = np.where(model.revolute, *SCATTER)
    good = scores[:frame] < GOOD * (typical or np.inf)
    both = good[1:] & good[:-1]
    if not both.any():
        return least
    return np.maximum(least, np.sqrt((np.diff(values[:frame], axis=0)[both] ** 2).mean(axis=0)))


def usable(scores: Array, typical: float) -> NDArray[np.bool_]:
    """Return which frames (F,) fit well enough to be inliers."""
    return scores < FAILED * typical
