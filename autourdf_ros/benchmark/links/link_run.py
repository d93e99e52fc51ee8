"""A run of the suite: masses and friction of a robot, from one drawn recording of efforts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autourdf_ros.estimation.inertia.links.link_options import Solver
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.model.urdf.robot_library import find_urdf


@dataclass(frozen=True)
class LinkRun:
    """What one row is of.

    Attributes:
        robot: URDF file, or name in example-robot-data.
        draw: Seed of motions and noise.
        solver: That estimates.
    """

    robot: str
    draw: int = 0
    solver: Solver = "log-cholesky"

    @property
    def measured_by(self) -> str:
        """The module that measures it, as `SuiteCase` says."""
        return "autourdf_ros.benchmark.links.measure_links"

    def title(self) -> dict[str, Any]:
        """Return what identifies the run in a row, as JSON values."""
        return {"name": self.robot, "seed": self.draw, "method": self.solver}

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        urdf = hashlib.sha256(find_urdf(self.robot).read_bytes()).hexdigest()[:16]
        return {**self.title(), "input": urdf, "code": code_digest()}


def link_runs(robots: Sequence[str], draws: int, solvers: Sequence[Solver]) -> list[LinkRun]:
    """Return the runs of all robots, draws and solvers. Raise InputError for an unknown robot."""
    for robot in robots:
        find_urdf(robot)
    return [
        LinkRun(robot, draw, solver)
        for robot in robots
        for draw in range(draws)
        for solver in solvers
    ]
