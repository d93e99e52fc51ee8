"""Measure masses and friction from efforts on robots of the library.

As a program, it reads a run on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.benchmark.links.link_run import LinkRun
from autourdf_ros.benchmark.links.simulated_efforts import (
    SimulatedEfforts,
    SimulationOptions,
    drawn_parameters,
    random_motion,
    simulated_efforts,
    stated_parameters,
)
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.estimation.inertia.links.effort_problem import joint_motion
from autourdf_ros.estimation.inertia.links.link_identification import (
    LinkIdentification,
    LinkShapes,
    identify_links,
)
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions, Solver
from autourdf_ros.estimation.inertia.links.motion_filter import filtered_motion
from autourdf_ros.estimation.inertia.links.torque_model import TorqueModel
from autourdf_ros.model.inertial.inertial_parameters import is_consistent
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.shape.mass_properties import DENSITY
from autourdf_ros.workflows.link_inertia import link_shapes

Array = NDArray[np.float64]

ROBOTS = ("panda", "ur5_robot")
"""The suite's own; the others are named by the user."""
FINGERS = ("finger", "gripper", "knuckle")
"""Words in names of joints that have no effort of their own."""


@dataclass(frozen=True)
class LinkCase:
    """A robot with friction, a recording of it, and one that is held out.

    Attributes:
        name: Of the robot.
        model: Its joints and links.
        shapes: What is known of them before.
        parameters: (p,) the true ones.
        training: What is identified from.
        held_out: Another motion.
    """

    name: str
    model: TorqueModel
    shapes: LinkShapes
    parameters: Array
    training: SimulatedEfforts
    held_out: SimulatedEfforts


def link_case(
    name: str,
    draw: int = 0,
    simulation: SimulationOptions = SimulationOptions(),  # noqa: B008  (frozen)
) -> LinkCase:
    """Return a case: friction is the robot's own, motions and noise are of the draw.

    Args:
        name: A URDF, or a name of the library.
        draw: Seed of motions and noise.
        simulation: What is simulated.
    """
    urdf = find_urdf(name)
    robot = read_description(urdf)
    joints = [
        joint.name
        for joint in robot.moving_joints
        if joint.mimic is None and not any(word in joint.name for word in FINGERS)
    ]
    shapes = link_shapes(robot, None, DENSITY)
    model = TorqueModel(urdf, joints, shapes.solids)
    links = stated_parameters(robot, model.links)
    truth = drawn_parameters(model, links, simulation, seed=0)
    recordings = [
        simulated_efforts(model, truth, random_motion(model, simulation, seed), simulation, seed)
        for seed in (2 * draw, 2 * draw + 1)
    ]
    return LinkCase(name, model, shapes, truth, *recordings)


def measured_row(run: LinkRun) -> dict[str, Any]:
    """Return the figures of one run, with seconds and peak memory (MiB)."""
    return {**run.title(), **measured(link_case(run.robot, run.draw), run.solver)}


def measured(case: LinkCase, solver: Solver = "log-cholesky") -> dict[str, Any]:
    """Return the figures of a case."""
    options = LinkOptions(solver=solver)
    urdf = find_urdf(case.name)
    start = time.perf_counter()
    found = identify_links(case.training.recording, urdf, case.shapes, options)
    seconds = time.perf_counter() - start
    report = found.identifiability
    truth = found.base.grouping @ case.parameters
    inside = np.abs(report.base_values - truth) <= 2 * report.base_std
    return {
        "base_parameters": len(truth),
        "inside": int(inside.sum()),
        "consistent": all(is_consistent(one) for one in found.link_parameters),
        "links": len(case.model.links),
        "seconds": seconds,
        "determined_share": report.determined_share,
        "memory": peak_memory(),
        **asdict(prediction_errors(case, found)),
    }


@dataclass(frozen=True)
class PredictionErrors:
    """Rms errors of predicted efforts on the held-out motion, over the noise.

    Attributes:
        measured: Against the measured ones, of the worst joint.
        true: Against those without noise, of the worst joint.
    """

    measured: float
    true: float


def prediction_errors(case: LinkCase, found: LinkIdentification) -> PredictionErrors:
    """Return the errors of efforts that the estimate predicts on the held-out motion."""
    motion = filtered_motion(case.held_out.recording, LinkOptions().filter)
    rows = case.model.regressor(joint_motion(motion, slice(None)))
    return errors_of(case, rows @ found.posterior.parameters)


def errors_of(case: LinkCase, predicted: Array) -> PredictionErrors:
    """Return the errors of predicted efforts (n, J) of the filtered held-out motion."""
    motion = filtered_motion(case.held_out.recording, LinkOptions().filter)
    rows = case.model.regressor(joint_motion(motion, slice(None)))
    clean = rows @ case.parameters
    noise = case.held_out.noise
    worst = [
        float((np.sqrt(np.mean((one - predicted) ** 2, axis=0)) / noise).max())
        for one in (motion.efforts, clean)
    ]
    return PredictionErrors(*worst)


def links_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table, a line for each robot and method."""
    lines = [
        "robot            method        base  within 2 std  worst joint, held out  consistent  s",
        "                                                  measured   true effort",
    ]
    done = [row for row in rows if "error" not in row]
    for name, method in dict.fromkeys((row["name"], row["method"]) for row in done):
        own = [row for row in done if (row["name"], row["method"]) == (name, method)]
        count = sum(row["base_parameters"] for row in own)
        inside = sum(row["inside"] for row in own) / count if own[0]["inside"] >= 0 else None
        shown = "-" if inside is None else f"{inside:.1%}"
        lines.append(
            f"{name:16} {method:13} {own[0]['base_parameters']:4d}  {shown:>12}  "
            f"{np.mean([row['measured'] for row in own]):8.3f}  "
            f"{np.mean([row['true'] for row in own]):11.3f}  "
            f"{np.mean([row['consistent'] for row in own]):10.0%}  "
            f"{np.mean([row['seconds'] for row in own]):.1f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure the run given on standard input."""
    run: LinkRun = pickle.load(sys.stdin.buffer)
    print(json.dumps(measured_row(run)))


if __name__ == "__main__":
    main()
