"""Carry an articulated model through all frames, in joint space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import BasePrior, States, fit_frame
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.registration.graph_tracking import (
    align_translation,
    registration_score,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import from_translation, transform

START_GATE = 0.05  # robot sizes
ITERATIONS = 10
GOOD = 1.25  # times the usual score: a frame that fits worse is tried again from elsewhere
RESTARTS = 4  # from elsewhere still
SCATTER = np.radians(5.0), 0.01  # rad, robot sizes: of where these begin
FAILED = 1.5  # times the usual score: such a frame is left out


@dataclass(frozen=True)
class SequenceStates:
    """States of F frames, and how well they fit: scores (F,) as `registration_score`."""

    states: States
    scores: Array


@dataclass(frozen=True)
class Motion:
    """The model's states in all F frames of a recording, and which of them are believed.

    scores: (F,) as `registration_score`. used: (F,) bool. good: (F,) those among them that fit
    about as well as any.
    """

    states: States
    scores: Array
    used: NDArray[np.bool_]
    good: NDArray[np.bool_]

    @property
    def usual(self) -> float:
        """Score of a frame that fits."""
        return typical_score(self.scores)


def typical_score(scores: Array) -> float:
    """Score of a frame that fits, by those (F,) of all, frame 0 being the reference."""
    # The reference fits itself: its score of 0 tells nothing about a usual one.
    return float(np.quantile(scores[1:], 0.3))


def motion_of(states: States, scores: Array) -> Motion:
    """The motion by its states and scores, frame 0 being the reference."""
    usual = typical_score(scores)
    return Motion(states, scores, usable(scores, usual), scores < GOOD * usual)


def posed_points(
    model: Articulation, surface: LabelledSurface, states: States, frame: int
) -> Array:
    """The surface's points (M, 3) in one frame."""
    poses = body_poses(model, states.values[frame], states.base[frame])
    return transform(poses[surface.labels], surface.points)


def track_frame(
    model: Articulation,
    surface: LabelledSurface,
    frame: Cloud,
    values: Array,
    base: Array,
    *,
    size: float,
    prior: BasePrior,
    noise: float,
) -> tuple[States, float]:
    """States (F = 1) and score of a frame, started from values (J,) and a base pose (4, 4)."""
    spacing = max(frame.spacing, 1e-9)
    start = States(values[None], base[None])
    moved = posed_points(model, surface, start, 0)
    if prior.translation > 0:
        shift = align_translation(moved, frame, spacing, size)
        start = States(start.values, (from_translation(shift) @ base)[None])
    states = fit_frame(
        model,
        surface,
        frame,
        start,
        gates=np.geomspace(START_GATE * size, spacing, ITERATIONS),
        prior=prior,
        noise=noise,
    )
    score = registration_score(posed_points(model, surface, states, 0), frame, spacing)
    return states, score


def track_states(
    model: Articulation,
    surface: LabelledSurface,
    frames: list[Cloud],
    *,
    known: States | None,
    predicted: Array,
    usual: float | None,
    size: float,
    prior: BasePrior,
    noise: float,
    report: Callable[[], None],
) -> SequenceStates:
    """Track the model through one sequence.

    known: states of its first frames, if they are known, which are taken as they are. predicted:
    (F, J) values to start from, NaN where they are unknown. usual: score of a good frame, or None
    to take the first frame's that is tracked. What is not predicted starts from constant velocity;
    where that scores badly, from where the last frame was, from the reference configuration and
    from places around.
    report: called after every frame.
    """
    joints = len(model.parents)
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
            moved = posed_points(model, surface, States(values, base), f)
            scores[f] = registration_score(moved, frames[f], frames[f].spacing)
    for f in range(begin, count):
        guesses = _starts(values, f, scores, usual or np.inf)
        guesses += _scattered(model, guesses[0], rng)
        if np.isfinite(predicted[f]).any():
            guesses.insert(0, np.where(np.isnan(predicted[f]), guesses[0], predicted[f]))
        for start in guesses:
            reference_base = base[f - 1] if f else np.eye(4)
            states, score = track_frame(
                model,
                surface,
                frames[f],
                start,
                reference_base,
                size=size,
                prior=prior,
                noise=noise,
            )
            if score < scores[f]:
                values[f], base[f], scores[f] = states.values[0], states.base[0], score
            # Nothing tells yet what is usual: all starts are tried.
            if usual is not None and scores[f] < GOOD * usual:
                break
        usual = usual or scores[f]
        report()
    return SequenceStates(States(values, base), scores)


def recovered(
    model: Articulation,
    surface: LabelledSurface,
    frames: Sequence[Cloud],
    owners: NDArray[np.int64],
    motion: Motion,
    *,
    size: float,
    prior: BasePrior,
    noise: float,
) -> Motion:
    """The motion with the frames that are not believed tried anew, by a model that is better now.

    owners: (F,) sequence of every frame. Each starts from the nearest one of its sequence that is
    believed, which keep their states and their scores.
    """
    values, base = motion.states.values.copy(), motion.states.base.copy()
    scores = motion.scores.copy()
    inliers = np.flatnonzero(motion.used)
    for f in np.flatnonzero(~motion.used).tolist():
        near = inliers[owners[inliers] == owners[f]]
        if not len(near):
            continue
        start = near[np.abs(near - f).argmin()]
        states, scores[f] = track_frame(
            model,
            surface,
            frames[f],
            values[start],
            base[start],
            size=size,
            prior=prior,
            noise=noise,
        )
        values[f], base[f] = states.values[0], states.base[0]
    tried = motion_of(States(values, base), scores)
    return replace(tried, used=tried.used | motion.used)


def _starts(values: Array, frame: int, scores: Array, usual: float) -> list[Array]:
    """Joint values (J,) to start a frame from, the likeliest first."""
    zero = np.zeros(values.shape[1])
    good = [f for f in range(frame) if scores[f] < FAILED * usual]
    if not good:
        return [zero]
    last = good[-1]
    starts = [values[last], zero]
    if len(good) > 1 and good[-2] == last - 1 and last == frame - 1:
        velocity = values[last] - values[last - 1]
        starts = [values[last] + velocity, values[last], values[last] + velocity / 2, zero]
    return starts


def _scattered(model: Articulation, values: Array, rng: np.random.Generator) -> list[Array]:
    """Joint values (J,) about as far from these as a robot goes between two frames."""
    sigma = np.where(model.revolute, *SCATTER)
    return list(values + sigma * rng.normal(size=(RESTARTS, len(values))))


def usable(scores: Array, usual: float) -> NDArray[np.bool_]:
    """Which frames (F,) fit well enough to be believed."""
    return scores < FAILED * usual
