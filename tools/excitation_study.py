"""Compares how soon two excitations know a robot: `python tools/excitation_study.py FILE`.

A simulated robot moves as the capture moves it, by `random` and by `informative` targets, from the
same start before the same cameras; after every frame the streaming engine learns, as the capture's
own does. FILE gets one line of JSON for every run, with each model that was found; runs that it
holds are not made again. Then a table of it is printed: after how many frames every motor had a
joint whose axis was known to a standard deviation, or was so near to the true one.

The engine finds a model after 6 frames and after every 1.3 times as many, so two numbers of frames
that differ by less than that do not differ. A ratio is of informative over random targets; where
random ones never got there, over all their frames, which is too large a ratio.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.evaluation.evaluation import evaluate
from autourdf_ros.evaluation.truth import TrueModel, load_truth
from autourdf_ros.kinematics.line_knowledge import line_knowledge
from autourdf_ros.kinematics.reconstruction import ReconstructionOptions
from autourdf_ros.kinematics.streaming import LiveEstimate, StreamingReconstruction
from autourdf_ros.motion.excitation import LearningExcitation
from autourdf_ros.motion.planning import excitation_of
from autourdf_ros.motion.settings import SessionSettings
from autourdf_ros.recording.frame import Frame
from autourdf_ros.simulation.captured_motion import drawn_limits, next_free
from autourdf_ros.simulation.cell import Cell, CellOptions, workspace_of
from autourdf_ros.simulation.motion import configurations_near, start_configuration
from autourdf_ros.simulation.robot import SimulatedRobot
from autourdf_ros.simulation.robot_library import find_urdf
from autourdf_ros.simulation.thinning import thin
from autourdf_ros.simulation.truth import truth_of, write_truth

EXCITATIONS = ("random", "informative")
GOALS = (("std_deg", 1.0), ("std_deg", 0.5), ("error_deg", 1.0), ("error_deg", 0.5))
CELL = CellOptions(cameras=8, width=240, height=240, elevations=(-20.0, 70.0))
POINT_SIGMA = 0.0005  # m
READING_SIGMA = 1e-4  # rad or m
REACH = 1.0  # rad around the start, which the cameras are placed to see


def main() -> int:
    """Make the runs that the file lacks, and print what it holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="results, one line of JSON a run")
    parser.add_argument("--robots", nargs="+", default=["so101", "ur5_gripper", "z1"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--frames", type=int, default=34, help="of a run")
    parser.add_argument("--sequence", type=int, default=10, help="frames of a sequence")
    parser.add_argument("--points", type=int, default=1500, help="of a frame")
    args = parser.parse_args()
    done = {(run["robot"], run["seed"], run["excitation"]) for run in read(args.file)}
    for seed, robot, excitation in product(range(args.seeds), args.robots, EXCITATIONS):
        if (robot, seed, excitation) not in done:
            result = run(robot, seed, excitation, args)
            with args.file.open("a") as file:
                file.write(json.dumps(result) + "\n")
    print(table(read(args.file)))
    return 0


def read(file: Path) -> list[dict[str, Any]]:
    """The runs of a file of results; none where there is no file."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def run(name: str, seed: int, excitation: str, args: argparse.Namespace) -> dict[str, Any]:
    """Move, look and learn, until there are enough frames or the last goal is reached."""
    began = time.process_time()
    robot = SimulatedRobot(find_urdf(name))
    workspace = workspace_of(robot, CELL)
    motion, placing, looking = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(3))
    start = start_configuration(workspace, motion)
    seen = configurations_near(workspace, start, REACH, 40, motion)
    cell, truth = Cell(workspace, seen, CELL, placing), true_model(robot, start)
    settings = SessionSettings(excitation=excitation, seed=seed)  # type: ignore[arg-type]
    targets = excitation_of(drawn_limits(robot), settings)
    engine = StreamingReconstruction(ReconstructionOptions(points=args.points))
    models: list[dict[str, Any]] = []
    here = start
    for number in range(args.frames):
        if number % args.sequence == 0:
            targets.start_sequence()
            engine.begin_sequence(str(number // args.sequence))
            here = start
        else:
            here = next_free(workspace, here, targets)
        estimate = engine.update(frame(cell, here, number, looking, args.points))
        if isinstance(targets, LearningExcitation):
            targets.learn(estimate)
        if estimate.reconstruction is not None and estimate.stale == 0:
            models.append(figures(estimate, robot, truth))
            if all(reached([models[-1]], *goal) is not None for goal in GOALS):
                break
    seconds = round(time.process_time() - began, 1)
    return {
        "robot": name,
        "seed": seed,
        "excitation": excitation,
        "points": args.points,
        "sequence": args.sequence,
        "frames": number + 1,
        "cpu_s": seconds,
        "models": models,
    }


def true_model(robot: SimulatedRobot, start: NDArray[np.float64]) -> TrueModel:
    """The robot at `start` (J,), as an evaluation wants it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "truth.json"
        write_truth(truth_of(robot, start), file)
        return load_truth(file)


def frame(
    cell: Cell, values: NDArray[np.float64], number: int, rng: np.random.Generator, points: int
) -> Frame:
    """What the cameras see with the joints at `values` (J,)."""
    clouds = cell.clouds(values, rng)
    merged = np.concatenate([cloud.points for cloud in clouds])
    colors = np.concatenate([cloud.colors for cloud in clouds])
    kept = thin(merged, points)
    noisy = merged[kept] + rng.normal(0.0, POINT_SIGMA, (len(kept), 3))
    read = values + rng.normal(0.0, READING_SIGMA, len(values))
    joints = zip(cell.robot.names, read, cell.robot.driven, strict=True)
    readings = {name: float(value) for name, value, driven in joints if driven}
    return Frame(noisy.astype(np.float32), colors[kept], number + 1.0, readings)


def figures(estimate: LiveEstimate, robot: SimulatedRobot, truth: TrueModel) -> dict[str, Any]:
    """What a model knows, by itself and in truth. std_deg and error_deg: of the worst axis, None
    where a motor has no joint, or a true joint was not found.
    """
    reconstruction = estimate.reconstruction
    assert reconstruction is not None
    knowledge = line_knowledge(reconstruction)
    motors = knowledge.motors if knowledge else frozenset()
    known = set(np.array(robot.names)[robot.driven]) <= motors
    evaluation = evaluate(reconstruction.model, truth)
    errors = [joint.angle for joint in evaluation.joints]
    return {
        "frames": estimate.frames,
        "verdict": reconstruction.verdict,
        "std_deg": round(float(np.degrees(estimate.axis_std)), 4) if known else None,
        "line_std_mm": round(1000 * estimate.line_std, 4) if known else None,
        "error_deg": None if evaluation.missed else round(max(errors), 4),
        "joints": len(errors),
        "missed": list(evaluation.missed),
    }


def reached(models: list[dict[str, Any]], figure: str, goal: float) -> int | None:
    """After how many frames a figure of a model was at most the goal, or None."""
    for model in models:
        if model[figure] is not None and model[figure] <= goal:
            return int(model["frames"])
    return None


def table(runs: list[dict[str, Any]]) -> str:
    """Medians of the frames over the seeds of each robot, and of informative over random."""
    lines = ["| robot | goal | seeds | random | informative | median of ratios |"]
    lines.append("|---|---|---|---|---|---|")
    for robot, (figure, goal) in product(dict.fromkeys(run["robot"] for run in runs), GOALS):
        pairs = list(both(runs, robot, figure, goal))
        if not pairs:
            continue
        columns = [_median([pair[column] for pair in pairs]) for column in (0, 1)]
        what = "worst axis' std" if figure == "std_deg" else "worst axis' error"
        ratio = _median(
            [
                informative / min(random, frames)
                for random, informative, frames in pairs
                if min(random, informative) < np.inf
            ]
        )
        cells = (robot, f"{what} ≤ {goal:g}°", len(pairs), *columns, ratio)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def both(
    runs: list[dict[str, Any]], robot: str, figure: str, goal: float
) -> Iterator[tuple[float, float, int]]:
    """Frames by random and by informative targets, for every seed that has both; inf: never.

    The last number is of all frames of the random run.
    """
    ours = {(run["seed"], run["excitation"]): run for run in runs if run["robot"] == robot}
    found = {key: reached(run["models"], figure, goal) for key, run in ours.items()}
    for seed in sorted({seed for seed, _ in found}):
        pair = [(seed, excitation) for excitation in EXCITATIONS]
        if all(key in found for key in pair):
            random, informative = (np.inf if found[key] is None else found[key] for key in pair)
            yield random, informative, ours[pair[0]]["frames"]


def _median(values: list[float]) -> str:
    middle = median(values) if values else np.nan
    return f"{middle:.3g}" if np.isfinite(middle) else "never" if middle > 0 else "-"


if __name__ == "__main__":
    sys.exit(main())
