"""Gradient descent of a task by joint values, as Hu, Yu and Tan (2025) do it.

AdamW (Loshchilov and Hutter, 2019) with a rate of 0.01 descends by u, and a joint's value is the
middle of its range plus half of the range times sin(u), so that it never leaves the range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.workflows.appearance.reaching.splat_tasks import SplatTask


@dataclass(frozen=True)
class DescentOptions:
    """Constants of the descent.

    Attributes:
        rate: The paper's.
        decay: Of the weights, likewise the memories and the least root: AdamW's defaults, as the
            paper states none.
        first: Memory of the mean gradient.
        second: Memory of its mean square.
        least: Added to the root of that.
        inside: Share of a range's half beyond which a start is moved in: at the end of its range
            the sine has no slope, so that a joint would stay there.
        steps: At most.
    """

    rate: float = 0.01
    decay: float = 0.01
    first: float = 0.9
    second: float = 0.999
    least: float = 1e-8
    inside: float = 0.98
    steps: int = 2000


@dataclass(frozen=True)
class TaskDescent:
    """A descent of S steps.

    Attributes:
        free: (S, K) values of the free joints, the start first.
        distances: (S,) to the target (m).
        losses: (S,).
        done: Whether the task is done at the end.
    """

    free: Array
    distances: Array
    losses: Array
    done: bool


def descend(
    task: SplatTask,
    start: Array,
    options: DescentOptions = DescentOptions(),
) -> TaskDescent:
    """Descend from a start (K,) until the task is done or the steps are.

    Raises:
        InputError: The start has another number of values, or one that is not finite.
    """
    lower, upper = task.robot.ranges
    start = np.asarray(start, float)
    if start.shape != lower.shape or not np.isfinite(start).all():
        raise InputError(
            f"start: {start.tolist()}; accepted are {len(lower)} finite values, of "
            f"{', '.join(task.robot.names)}"
        )
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    share = (start - middle) / np.where(half > 0, half, 1)
    inner = np.arcsin(share.clip(-options.inside, options.inside))
    means, squares = np.zeros_like(inner), np.zeros_like(inner)
    found, states = [], []
    for step in range(1, options.steps + 1):
        free = middle + half * np.sin(inner)
        state = task.state(free)
        found.append(free)
        states.append(state)
        if state.done:
            break
        slopes = state.slopes * half * np.cos(inner)
        means = options.first * means + (1 - options.first) * slopes
        squares = options.second * squares + (1 - options.second) * slopes**2
        mean = means / (1 - options.first**step)
        root = np.sqrt(squares / (1 - options.second**step)) + options.least
        inner = inner - options.rate * (mean / root + options.decay * inner)
    return TaskDescent(
        np.array(found),
        np.array([state.distance for state in states]),
        np.array([state.loss for state in states]),
        states[-1].done,
    )
