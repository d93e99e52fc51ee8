"""Swing a cart-pole up and balance it with models that were identified from videos.

`.venv/bin/python studies/mppi_study.py ROWS.jsonl [--runs 5]` takes the rows of cart-poles that
`autourdf benchmark --suite mechanisms --robots cart_pole driven_cart_pole --rows ROWS.jsonl` kept.
The controller predicts with the true model, the identified one, and one with every parameter at its
upper limit, twice the truth; the true model moves. For each task of Heiden et al., section V-C, and
each model: mean reward, and share of the runs in which the pole is held at the end.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.commanding.predictive.cart_pole import CartPole, advance
from autourdf_ros.commanding.predictive.path_integral import (
    PathIntegralController,
    PathIntegralOptions,
)
from autourdf_ros.commanding.predictive.trial import TASKS, Trial, run_trial
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene

MODELS = {"true": "true", "identified": "found", "all doubled": "high"}
"""Which figure of each parameter a model takes."""
_STEPS = 20  # of the true motion's integration per control step


def cart_pole_of(row: dict[str, Any], figure: str) -> CartPole:
    """Return the model of a row's parameters: "true", "found" or "high"."""
    values = {one["name"]: one[figure] for one in row["parameters"]["each"]}
    scene = mechanism_scene(row["name"])
    pole, hinge = scene.body("pole"), scene.joint_of("pole")
    centre = pole.home[:3, :3] @ pole.centre + pole.home[:3, 3]
    length = float(np.linalg.norm(np.cross(centre - hinge.pivot, hinge.axis)))
    return CartPole(
        values["cart.mass"] + values["pole.mass"],
        values["pole.mass"] * length,
        values["pole.inertia"] + values["pole.mass"] * length**2,
        values["rail.damping"],
        values["hinge.damping"],
    )


def trial(model: CartPole, truth: CartPole, task: str, seed: int) -> Trial:
    """Run a task with a model on the true cart-pole."""
    options = PathIntegralOptions()
    controller = PathIntegralController(model, options, np.random.default_rng(seed))

    def plant(state: np.ndarray, force: float) -> np.ndarray:
        moved = state.copy()
        advance(moved, force, truth.values, options.period, _STEPS)
        return moved

    return run_trial(controller, plant, TASKS[task])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="of every row, task and model")
    args = parser.parse_args()
    rows = [json.loads(line)["row"] for line in args.rows.read_text().splitlines()]
    rows = [row for row in rows if row["name"].endswith("cart_pole") and row.get("parameters")]
    print("scene             seed  task        model        reward  held")
    for row in rows:
        truth = cart_pole_of(row, "true")
        for task in TASKS:
            for name, figure in MODELS.items():
                model = cart_pole_of(row, figure)
                done = [trial(model, truth, task, seed) for seed in range(args.runs)]
                reward = np.mean([one.reward for one in done])
                held = sum(one.success for one in done)
                print(
                    f"{row['name']:16s}  {row['seed']:4d}  {task:10s}  {name:11s}  {reward:6.3f}  "
                    f"{held} of {len(done)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
