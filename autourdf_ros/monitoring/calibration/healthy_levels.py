"""Levels of the alarms, from windows of the learning time that the baseline did not learn from.

Each block of the learning time is judged, window by window, as the monitor will judge, by what the
other blocks taught. What is found there is chance and errors of the model, since nothing may be
wrong while the monitor learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.calibration.chance_level import chance_level
from autourdf_ros.monitoring.diagnosis.baseline import (
    Baseline,
    in_blocks,
    in_pieces,
    learn_with_noise,
    taught_beside,
)
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation, most_significant
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.linear_system import observation_sums
from autourdf_ros.monitoring.diagnosis.unexplained_points import (
    baseline_cells,
    filled_cells,
    steadily_filled,
)
from autourdf_ros.monitoring.diagnosis.window import by_spans
from autourdf_ros.monitoring.observing.observation_comparison import Comparison

Array = NDArray[np.float64]

LEAST_FILLED = 3.5
"""Neighbouring cells, times the shares of observations that fill them, of the smallest object."""
LOOSE, LOOSE_FILLED = 2.0, 20.0
"""Dispersion, and cells of an object, above which a part is said to be watched loosely."""
_PRIOR = 10.0  # degrees of freedom with no more than the expected chi-square
_STATISTICS = 2  # that may raise a false alarm: causes, and objects


@dataclass(frozen=True, eq=False)
class HealthyLevels:
    """What a healthy robot shows, and the levels beyond which something is reported.

    Attributes:
        baseline: With the measured dispersion of every cause.
        known: By body, keys of the cells of `baseline_cells`.
        alarm: Significance of a change.
        filled: (B,) of `steadily_filled` in every body's frame.
        windows: Number of windows that were judged.
        loosely: What is watched more loosely than a good model would be, each as a sentence.
    """

    baseline: Baseline
    known: tuple[NDArray[np.int64], ...]
    alarm: float
    filled: Array
    windows: int
    loosely: tuple[str, ...] = ()


def healthy_levels(
    causes: Causes,
    comparisons: Sequence[Comparison],
    baseline: Baseline,
    window: float,
    chance: float,
    least: float,
) -> HealthyLevels:
    """Judge the learning time and set the levels.

    Args:
        causes: All causes.
        comparisons: Of the learning time, some of every camera.
        baseline: Learnt from these.
        window: Seconds that a judgement uses.
        chance: Of a false alarm in a window.
        least: Smallest level of significance.
    """
    order = sorted(range(len(comparisons)), key=lambda n: comparisons[n].observation.stamp)
    ordered = [comparisons[number] for number in order]
    side = causes.model.lengths.object_cell
    cells = [filled_cells(one, side) for one in ordered]
    pieces = in_pieces(ordered, window)
    blocks = in_blocks(pieces)
    of_piece = {number: np.flatnonzero(pieces == number) for number in np.unique(pieces)}
    block_of = {number: blocks[own[0]] for number, own in of_piece.items()}
    found: list[list[Explanation]] = []
    filled: list[Array] = []
    for block in np.unique(blocks):
        lesson = taught_beside(ordered, blocks, block)
        if not lesson:
            continue
        taught = learn_with_noise(causes, lesson, baseline.noise)
        others = [own for number, own in of_piece.items() if block_of[number] != block]
        known = baseline_cells([[cells[n] for n in own] for own in others])
        for number, seen in of_piece.items():
            if block_of[number] != block:
                continue
            filled.append(steadily_filled([cells[n] for n in seen], known))
            sums = [observation_sums(causes, ordered[n], taught) for n in seen]
            found += by_spans(causes, taught, sums, window)
    baseline = replace(baseline, dispersion=_dispersion(causes, found))
    share = chance / _STATISTICS
    levels = HealthyLevels(
        baseline,
        baseline_cells([[cells[n] for n in own] for own in of_piece.values()]),
        max(least, chance_level(_significances(causes, found, baseline.dispersion), share)),
        _filled_levels(filled, len(causes.model.links), share),
        len(filled),
    )
    return replace(levels, loosely=watched_loosely(levels, causes, least))


def _dispersion(causes: Causes, found: Sequence[Sequence[Explanation]]) -> Array:
    """(causes,) ratios of what each explained to what was expected, at least 1."""
    number = {cause.columns.start: place for place, cause in enumerate(causes.table)}
    sums = np.full((len(causes.table), 2), _PRIOR)
    for every in found:
        for one in every:
            sums[number[one.cause.columns.start]] += one.explained, one.expected
    return np.maximum(sums[:, 0] / sums[:, 1], 1.0)


def _significances(
    causes: Causes, found: Sequence[Sequence[Explanation]], dispersion: Array
) -> Array:
    """(N,) largest significances with a dispersion."""
    own = {cause.columns.start: each for cause, each in zip(causes.table, dispersion, strict=True)}
    again = [
        [replace(one, dispersion=float(own[one.cause.columns.start])) for one in every]
        for every in found
    ]
    return np.array([most_significant(every) for every in again])


def _filled_levels(filled: Sequence[Array], bodies: int, chance: float) -> Array:
    """(B,) levels of steadily filled cells; few windows of one body lean on those of all."""
    if not filled:
        return np.full(bodies, max(LEAST_FILLED, chance_level(np.zeros(0), chance)))
    every = np.stack(filled)
    mean = max(float(every.mean()), 1.0)
    return np.array([max(LEAST_FILLED, chance_level(own, chance, mean)) for own in every.T])


def watched_loosely(levels: HealthyLevels, causes: Causes, alarm: float) -> tuple[str, ...]:
    """Return what is watched more loosely than a good model would be, each as a sentence.

    Args:
        levels: As measured.
        causes: All causes.
        alarm: Level of significance that a good model has.
    """
    found = [f"joint {joint} is doubtful: {why}" for joint, why in causes.model.doubts.items()]
    if levels.alarm > alarm:
        found.append(
            f"changes are reported from log odds of {levels.alarm:.0f}: a healthy robot would "
            f"exceed {alarm:.0f} too often"
        )
    of_causes: dict[str, float] = {}
    for cause, each in zip(causes.table, levels.baseline.dispersion, strict=True):
        name = f"{cause.kind} {cause.subject}"
        of_causes[name] = max(of_causes.get(name, 1.0), float(each))
    found += [
        f"{name}: varies {each:.1f} times as much as noise does"
        for name, each in of_causes.items()
        if each > LOOSE
    ]
    side = causes.model.lengths.object_cell
    found += [
        f"{link}: an object on it must fill {least:.0f} cells of {100 * side:.1f} cm"
        for link, least in zip(causes.model.links, levels.filled, strict=True)
        if least > LOOSE_FILLED
    ]
    return tuple(found)
