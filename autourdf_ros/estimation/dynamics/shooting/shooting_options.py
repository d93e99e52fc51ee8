"""Choices of the multiple-shooting fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class ShootingOptions:
    """How parameters are fitted.

    Attributes:
        frames: Observed stamps in a window at least: more than its state and its share of the
            parameters need, few enough that a poor start does not diverge within it.
        windows: Of one motion at most; windows of long motions become longer.
        defects: Standard deviations of the gaps between windows, as multiples of the noise; one
            for each iteration from the first on, the last one stays. The first lets windows fit by
            themselves, the last makes one motion of them.
        fitted: Cost for each residual below which gaps become harder: the windows fit by
            themselves.
        iterations: At most.
        tolerance: A step ends the fit when it is shorter, in standard deviations of the posterior,
            or lowers the cost by less than the square of this (nats).
        noise: Of the joint values: gaussian, or student for outliers.
        degrees: Degrees of freedom of Student's t.
        stated: Whether the stated standard deviations are exact; else one factor per joint is
            estimated.
        step: Of finite differences, of logarithms: far above the solver's tolerance, far below
            what is curved.
        finer: How often the simulator's time step may be halved, where that moves parameters.
        moved: By this many standard deviations at least, for the step to be halved.
    """

    frames: int = 10
    windows: int = 60
    defects: tuple[float, ...] = (100.0, 10.0, 1.0, 0.1, 0.01)
    fitted: float = 10.0
    iterations: int = 40
    tolerance: float = 0.03
    noise: Literal["gaussian", "student"] = "gaussian"
    degrees: float = 5.0
    stated: bool = False
    step: float = 1e-5
    finer: int = 3
    moved: float = 0.5

    def __post_init__(self) -> None:
        """Raise InputError where a number cannot be used."""
        for name in ("frames", "windows", "iterations", "tolerance", "degrees", "step", "moved"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name}: {getattr(self, name)}; accepted is a number above 0")
        if not self.defects or min(self.defects) <= 0:
            raise InputError(f"defects: {self.defects}; accepted are numbers above 0")
