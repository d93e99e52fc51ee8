"""What the methods of comparison share: their budget and what they give."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import ParameterTable

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MethodOptions:
    """Budget of a method.

    Attributes:
        seconds: Of wall time at most; no method starts an iteration after that.
        iterations: At most.
        particles: Of CMA-ES, emcee and CSVGD: the paper's 16, more where emcee needs more.
        rate: Step length of Adam and CSVGD, in standard deviations of the prior.
        seed: Of what is drawn.
    """

    seconds: float = 10.0
    iterations: int = 2000
    particles: int = 16
    rate: float = 0.05
    seed: int = 0

    def steps(self) -> Iterator[int]:
        """Yield numbers of iterations until the budget is spent."""
        end = time.monotonic() + self.seconds
        for number in range(self.iterations):
            if time.monotonic() > end:
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
    place: Array = field(default_factory=lambda: np.empty(0))
    log: float = -np.inf
    history: list[tuple[float, Array]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def see(self, numbers: Array, logs: Array) -> None:
        """Take numbers (n, X) with their logs (n,) into account."""
        top = int(np.argmax(logs))
        if not self.place.size or logs[top] > self.log:
            self.place, self.log = numbers[top].copy(), float(logs[top])
            self.history.append((time.monotonic() - self.began, self.place[: self.size]))

    def result(self, table: ParameterTable, samples: Array | None = None) -> MethodResult:
        """Return what was found."""
        best = self.place[: self.size]
        drawn = best[None] if samples is None else samples[:, : self.size]
        return MethodResult(table, best, self.log, drawn, tuple(self.history))
