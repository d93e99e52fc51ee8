"""Whether `informative` needs half the frames of `random`: `studies/excitation_study.py FILE`.

A simulated robot moves as the capture moves it, by `random` and by `informative` targets, from the
same start before the same cameras. For informative ones the streaming engine learns after every
frame, as the capture's own does. Both are observed after `--frames`, random ones after twice as
many, too, which needs no model in between. FILE gets one line of JSON for every run; runs that it
holds are not made again. Then a table of it is printed, of the medians over the seeds.
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

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, load_truth
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.commanding.session.planning import excitation_of
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.targets.excitation import LearningExcitation
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.errors import AutourdfError
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.streaming import LiveEstimate, StreamingReconstruction
from autourdf_ros.estimation.motion.uncertainty.line_knowledge import line_knowledge
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.random_motion import configurations_near, start_configuration
from autourdf_ros.simulation.recordings.captured_motion import drawn_limits, next_free
from autourdf_ros.simulation.recordings.thinning import thin
from autourdf_ros.simulation.simulated_cell import Cell, CellOptions, workspace_of
from autourdf_ros.simulation.truth_file import truth_of, write_truth

EXCITATIONS = ("random", "informative")
FIGURES = (
    ("missing", "joints missing"),
    ("std_deg", "worst axis' std (deg)"),
    ("error_deg", "worst axis' error (deg)"),
)
CELL = CellOptions(cameras=8, width=240, height=240, elevations=(-20.0, 70.0))
POINT_SIGMA = 0.0005  # m
READING_SIGMA = 1e-4  # rad or m
REACH = 1.0  # rad around the start, which the cameras are placed to see


def main() -> int:
    """Make the runs that the file lacks, and print what it holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="results, one line of JSON a run")
    parser.add_argument("--robots", nargs="+", default=["so101", "ur5_gripper", "z1"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--frames", type=int, default=15, help="of informative, half of random")
    parser.add_argument("--sequence", type=int, default=10, help="frames of a sequence")
    parser.add_argument("--points", type=int, default=1500, help="of a frame")
    add_scheduler_argument(parser, "one run after the other")
    args = parser.parse_args()
    done = {(run["robot"], run["seed"], run["excitation"]) for run in read(args.file)}
    pieces = [
        (robot, seed, excitation, args)
        for seed, robot, excitation in product(args.seeds, args.robots, EXCITATIONS)
        if (robot, seed, excitation) not in done
    ]
    with asked_cluster(args) as connect:
        for _, result in each_of(run, pieces, connect):
            with args.file.open("a") as file:
                file.write(json.dumps(result) + "\n")
    print(table(read(args.file)))
    return 0


def read(file: Path) -> list[dict[str, Any]]:
    """The runs of a file of results; none where there is no file."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def run(name: str, seed: int, excitation: str, args: argparse.Namespace) -> dict[str, Any]:
    """Move, observe and learn, where that matters; return what is known at each observation."""
    began = time.process_time()
    robot = SimulatedRobot(find_urdf(name))
    workspace = workspace_of(robot, CELL)
    motion, placing, observing = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(3))
    start = start_configuration(workspace, motion)
    seen = configurations_near(workspace, start, REACH, 40, motion)
    cell, truth = Cell(workspace, seen, CELL, placing), true_model(robot, start)
    settings = SessionSettings(excitation=excitation, seed=seed)  # type: ignore[arg-type]
    targets = excitation_of(drawn_limits(robot), settings)
    options = ReconstructionOptions(points=args.points)
    engine = StreamingReconstruction(options)
    observed_at = observations_of(excitation, args.frames)
    sequences: list[Sequence] = []
    models: list[dict[str, Any]] = []
    here = start
    for number in range(observed_at[-1]):
        if number % args.sequence == 0:
            targets.start_sequence()
            sequences.append(Sequence((), str(len(sequences))))
            engine.begin_sequence(sequences[-1].name)
            here = start
        else:
            here = next_free(workspace, here, targets)
        taken = frame(cell, here, number, observing, args.points)
        sequences[-1] = Sequence((*sequences[-1].frames, taken), sequences[-1].name)
        if isinstance(targets, LearningExcitation) and number + 1 < observed_at[-1]:
            targets.learn(engine.update(taken))
        if number + 1 in observed_at:
            recording = Recording(tuple(sequences), fixed_frame="base_link")
            models.append(observe(recording, options, robot, truth))
    return {
        "robot": name,
        "seed": seed,
        "excitation": excitation,
        "points": args.points,
        "sequence": args.sequence,
        "cpu_s": round(time.process_time() - began, 1),
        "models": models,
    }


def observations_of(excitation: str, frames: int) -> tuple[int, ...]:
    """Return after how many frames a run is observed."""
    return (frames, 2 * frames) if excitation == "random" else (frames,)


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


def observe(
    recording: Recording, options: ReconstructionOptions, robot: SimulatedRobot, truth: TrueModel
) -> dict[str, Any]:
    """What the model of a recording knows, by itself and in truth.

    missing: number of the true joints that it lacks. std_deg, error_deg: of the worst axis, None
    where a motor has no joint, or a true joint is missing.
    """
    frames = sum(len(sequence.frames) for sequence in recording.sequences)
    known: dict[str, Any] = {"frames": frames, "verdict": "failed", "std_deg": None}
    known |= {"missing": len(truth.skeleton.joints), "error_deg": None}
    try:
        found = reconstruct(recording, options)
    except AutourdfError:
        return known
    knowledge = line_knowledge(found)
    evaluation = evaluate(found.model, truth)
    known |= {"verdict": found.verdict, "missing": len(evaluation.missed)}
    if knowledge and set(np.array(robot.names)[robot.driven]) <= knowledge.motors:
        std = LiveEstimate(frames, found, "", None, 0).axis_std
        known["std_deg"] = round(float(np.degrees(std)), 4)
    if not evaluation.missed:
        known["error_deg"] = round(max(joint.angle for joint in evaluation.joints), 4)
    return known


def table(runs: list[dict[str, Any]]) -> str:
    """Medians over the seeds of each robot that have both, and how often half the frames do.

    That is: how often informative knows after n frames at least as well as random after 2 n, of
    the seeds in which one of them knows at all.
    """
    columns = ("robot", "seeds", "what", "random, n", "random, 2 n", "informative, n", "half does")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for robot, (figure, what) in product(dict.fromkeys(run["robot"] for run in runs), FIGURES):
        known = np.array(list(both(runs, robot, figure)))
        if not known.size:
            continue
        decided = known[np.isfinite(known[:, 1:]).any(axis=1)]
        half = f"{np.count_nonzero(decided[:, 2] <= decided[:, 1])} of {len(decided)}"
        medians = [_number(median(column)) for column in known.T]
        lines.append(f"| {' | '.join([robot, str(len(known)), what, *medians, half])} |")
    return "\n".join(lines)


def both(
    runs: list[dict[str, Any]], robot: str, figure: str
) -> Iterator[tuple[float, float, float]]:
    """A figure of random at n and at 2 n frames and of informative at n, of every seed with both.

    inf where it is not known.
    """
    ours = {(run["seed"], run["excitation"]): run for run in runs if run["robot"] == robot}
    for seed in sorted({seed for seed, _ in ours}):
        if all((seed, excitation) in ours for excitation in EXCITATIONS):
            models = [model for name in EXCITATIONS for model in ours[seed, name]["models"]]
            after_n, after_2n, informative = (
                np.inf if model[figure] is None else float(model[figure]) for model in models
            )
            yield after_n, after_2n, informative


def _number(value: float) -> str:
    return f"{value:.2g}" if np.isfinite(value) else "unknown"


if __name__ == "__main__":
    sys.exit(main())
