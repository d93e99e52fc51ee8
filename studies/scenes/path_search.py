"""Paths without collision by RRT-Connect of OMPL (`pip install ompl`, BSD licence)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenes.planned_arm import PlannedArm

SECONDS = 60.0
"""That the search may take."""
LEVEL = 1e-3
"""rad (sine) by which an axis that stays upright may lean."""

Array = NDArray[np.float64]


def seed_search(seed: int) -> None:
    """Let all searches of this process follow from a seed; call it once, before the first."""
    from ompl import util

    util.setLogLevel(util.LogLevel.LOG_WARN)
    util.RNG.setSeed(seed + 1)  # 0 is no seed


def search_path(arm: PlannedArm, start: Array, goal: Array) -> list[Array]:
    """Return arms from start to goal, at most one checked distance of OMPL apart."""
    from ompl import geometric

    setup = geometric.SimpleSetup(_space(arm))
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    setup.setStateValidityChecker(lambda state: arm.free(_values(state, arm)))
    states = []
    for values in (start, goal):
        state = setup.getStateSpace().allocState()
        for number, value in enumerate(values):
            state[number] = float(value)
        states.append(state)
    return _solved(setup, states, arm)


def search_upright(arm: PlannedArm, axis: Array, start: Array, goal: Array) -> list[Array]:
    """Return arms from start to goal along which an axis of the hand stays upright.

    RRT-Connect expands its trees on the manifold of the constraint, by projection (Kingston, Moll
    and Kavraki, 2019).

    Args:
        arm: With what the hand holds.
        axis: (3,) unit, in the hand's frame.
        start: With the axis upright.
        goal: The same.
    """
    from ompl import base, geometric

    upright = upright_constraint(arm, axis)
    space = base.ProjectedStateSpace(_space(arm), upright)
    information = base.ConstrainedSpaceInformation(space)
    setup = geometric.SimpleSetup(information)
    setup.setPlanner(geometric.RRTConnect(information))
    setup.setStateValidityChecker(lambda state: arm.free(_values(state, arm)))
    states = []
    for values in (start, goal):
        state = space.allocState()
        state.copy(np.asarray(values, float))
        states.append(state)
    return _solved(setup, states, arm)


def upright_constraint(arm: PlannedArm, axis: Array) -> Any:
    """Return OMPL's constraint f(q) = (R(q) axis)_xy = 0, with ∂f/∂q = (ω × R axis)_xy."""
    from ompl import base

    class Upright(base.Constraint):
        """Keeps an axis of the hand upright."""

        def __init__(self) -> None:
            super().__init__(len(arm.joints), 2, LEVEL)

        def function(self, x: Array, out: Array) -> None:
            """Write how far the axis leans, along x and y."""
            out[:] = (arm.pose(np.array(x))[:3, :3] @ axis)[:2]

        def jacobian(self, x: Array, out: Array) -> None:
            """Write how this changes with the joints."""
            turned = arm.pose(np.array(x))[:3, :3] @ axis
            out[:] = np.cross(arm.jacobian(np.array(x))[3:].T, turned)[:, :2].T

    return Upright()


def _space(arm: PlannedArm) -> Any:
    from ompl import base

    space = base.RealVectorStateSpace(len(arm.joints))
    bounds = base.RealVectorBounds(len(arm.joints))
    for number, (low, high) in enumerate(zip(arm.low, arm.high, strict=True)):
        bounds.setLow(number, float(low))
        bounds.setHigh(number, float(high))
    space.setBounds(bounds)
    return space


def _values(state: Any, arm: PlannedArm) -> Array:
    return np.array([state[number] for number in range(len(arm.joints))])


def _solved(setup: Any, states: list[Any], arm: PlannedArm) -> list[Array]:
    setup.setStartAndGoalStates(*states)
    setup.solve(SECONDS)
    if not setup.haveExactSolutionPath():
        raise SystemExit("RRT-Connect found no path")
    setup.simplifySolution()
    path = setup.getSolutionPath()
    path.interpolate()
    return [_values(state, arm) for state in path.getStates()]
