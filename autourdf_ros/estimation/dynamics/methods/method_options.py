"""What the methods of comparison share: their budget and what they give."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import ParameterTable
from autourdf_ros.estimation.dynamics.methods.frame_likelihood import FrameLikelihood

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MethodOptions:
    """Budget of a method.

    Attributes:
        seconds: At most; no method starts an iteration after that.
        iterations: At most.
        particles: Of CMA-ES, emcee and CSVGD: the paper's 16, more where emcee needs more.
        rate: Step length of Adam and CSVGD, in standard deviations of the prior.
        seed: Of what is drawn.
        clock: Of the seconds. On a machine that others use, `time.process_time` is fairer than the
            wall clock: it counts the seconds of all cores.
        likelihood: Of CSVGD: of images, say; None: of the tracked joint values.
    """

    seconds: float = 10.0
    iterations: int = 2000
    particles: int = 16
    rate: float = 0.05
    seed: int = 0
    clock: Callable[[], float] = time.monotonic
    likelihood: FrameLikelihood | None = None

    def steps(self) -> Iterator[int]:
        """Yield numbers of iterations until the budget is spent."""
        end = self.clock() + self.seconds
        for number in range(self.iterations):
            if self.clock() > end:
                return
            yield number


@dataclass(frozen=True)
class MethodResult:
    """What a method found.

    Attributes:
        table: The parameters.
        best: (P,) fitting coordinates of the greatest density that it saw.
        log: Of that density.
        samples: (n, P) of the posterior, where the method gives some; else (1, P).
        history: Seconds and best coordinates (P,) at each improvement.
    """

    table: ParameterTable
    best: Array
    log: float
    samples: Array
    history: tuple[tuple[float, Array], ...] = ()

    @property
    def values(self) -> Array:
        """(P,) natural values of the best."""
        return self.table.values(self.best)


@dataclass
class BestOf:
    """Keeps the place of the greatest density that was seen, and when each better one came."""

    size: int
    clock: Callable[[], float]
    place: Array = field(default_factory=lambda: np.empty(0))
    log: float = -np.inf
    history: list[tuple[float, Array]] = field(default_factory=list)
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def see(self, numbers: Array, logs: Array) -> None:
        """Take numbers (n, X) with their logs (n,) into account."""
        top = int(np.argmax(logs))
        if not self.place.size or logs[top] > self.log:
            self.place, self.log = numbers[top].copy(), float(logs[top])
            self.history.append((self.clock() - self.began, self.place[: self.size]))

    def result(self, table: ParameterTable, samples: Array | None = None) -> MethodResult:
        """Return what was found."""
        best = self.place[: self.size]
        drawn = best[None] if samples is None else samples[:, : self.size]
        return MethodResult(table, best, self.log, drawn, tuple(self.history))
