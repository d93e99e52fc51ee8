"""A case of the suite: a robot at work with a seed, watched by the model of a recording of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

import numpy as np

from autourdf_ros.benchmark.monitoring.monitoring_faults import FAULTS
from autourdf_ros.errors import InputError
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.model.urdf.robot_library import find_urdf

Half = Literal["tuned", "reported"]

TUNED = ("ur5_gripper", "panda", "so101", "xarm7", "solo12")
"""Robots on which the monitor may be worked out; their figures are reported apart."""
REPORTED = ("z1", "kinova", "ur10_robot", "ur3_gripper", "allegro_right_hand")
"""Robots on which nothing of the monitor may be decided."""


@dataclass(frozen=True)
class MonitoringCase:
    """A case: the monitor learns once, then every fault happens to a copy of it.

    Attributes:
        robot: URDF file, or name in example-robot-data.
        seed: Of motion, cameras, noise and faults.
        faults: That happen, each by itself.
        before: Seconds of healthy work between learning and a fault.
        seconds: With a fault.
        healthy: Seconds of healthy work that the fault `none` lasts.
    """

    robot: str
    seed: int = 0
    faults: tuple[str, ...] = FAULTS
    before: float = 5.0
    seconds: float = 5.0
    healthy: float = 90.0

    @property
    def measured_by(self) -> str:
        """The module that measures it, as `SuiteCase` says."""
        return "autourdf_ros.benchmark.monitoring.measure_monitoring"

    @property
    def half(self) -> Half:
        """Whether the monitor was worked out on the robot."""
        return "tuned" if self.robot in TUNED else "reported"

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values."""
        return {
            "name": self.robot,
            "seed": self.seed,
            "method": "monitor",
            "half": self.half,
            "faults": list(self.faults),
            "before": self.before,
            "seconds": self.seconds,
            "healthy": self.healthy,
        }

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        urdf = hashlib.sha256(find_urdf(self.robot).read_bytes()).hexdigest()[:16]
        return {**self.title(), "input": urdf, "code": code_digest()}


def monitoring_cases(
    robots: Sequence[str], faults: Sequence[str], seeds: Sequence[int], healthy: float
) -> list[MonitoringCase]:
    """Return the cases, robot by robot within each seed.

    Args:
        robots: Names or URDF files; none: the robots of both halves.
        faults: Names; none: all.
        seeds: As `seeds_of` returns them, or others.
        healthy: Seconds of healthy work of a case.

    Raises:
        InputError: A robot or fault is unknown.
    """
    chosen = tuple(robots) or (*TUNED, *REPORTED)
    for robot in chosen:
        find_urdf(robot)
    if unknown := [name for name in faults if name not in FAULTS]:
        raise InputError(f"--faults {unknown[0]}: accepted are {', '.join(FAULTS)}")
    wanted = tuple(name for name in FAULTS if name in (faults or FAULTS))
    return [
        MonitoringCase(robot, seed, wanted, healthy=healthy) for seed in seeds for robot in chosen
    ]


def seeds_of(draws: int, first: int | None = None) -> list[int]:
    """Return as many seeds, from `first` on; None: drawn anew for every version of the package."""
    if first is not None:
        return list(range(first, first + draws))
    release = version("autourdf_ros").encode()
    stream = np.random.default_rng(list(hashlib.sha256(release).digest()))
    return [int(seed) for seed in stream.integers(1000, 1_000_000, draws)]
