"""Reconstructs good recordings that were corrupted at random, and counts the outcomes.

`.venv/bin/python studies/mutation_study.py FOLDER --robots faucet z1 --cases 50 --seed 1` records
the robots that FOLDER lacks, and corrupts each of the recordings 50 times. Case n of a seed is
always the same, so that `--first n --cases 1` repeats one. FOLDER/runs_SEED.jsonl lists the cases.

A model is right when its tree is the true one, every axis is within 5 degrees and, where it has a
line, within 3 % of the robot's size. The truth is that of the first frame: the robot, or the other
one, at its values there, moved, scaled and mirrored as that frame was. A joint that the recording
no longer shows need not be found (`joint_visibilities`): a model that fails only by that counts as
unseen. The worst outcome is a wrong model with the verdict `trusted`.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "hostile"))

from corruptions import Corrupted, corrupted, uncorrupted

from autourdf_ros.assessment.metrics.evaluation import Evaluation, evaluate
from autourdf_ros.assessment.metrics.truth.observability import joint_visibilities
from autourdf_ros.assessment.metrics.truth.true_motion import true_motion
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, load_truth
from autourdf_ros.benchmark.cases.suites import OBJECTS
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.cloud_files.point_files import finite_frame
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.validate import extent
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.skeleton import Skeleton, skeleton_of
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions
from autourdf_ros.simulation.recordings.write_recording import write_recording

ROBOTS = {"faucet": 1500, "laptop": 1500, "z1": 2500}
"""Points of a frame: with so few, a reconstruction takes 2 to 10 s."""
FRAMES = 8
LARGEST_ANGLE, LARGEST_SHIFT = 5.0, 0.03  # degrees, robot sizes
LIMIT, MEMORY = 120, 8 * 2**30  # s of processor time, bytes: of one reconstruction
STUCK = 1800.0  # s, in which a busy machine gives it that time
SCRIPT, ANSWER = Path(__file__).resolve(), "answer"  # what a case's own process runs
OUTCOMES = ("refused", "doubtful", "trusted right", "unseen", "trusted wrong", "crash", "hang")


def recorded(name: str, folder: Path) -> Path:
    """Return the folder of a robot's recording, which is made where it is missing."""
    out = folder / name
    if not out.exists():
        urdf = {path.stem: str(path) for path in OBJECTS}.get(name, name)
        options = RecorderOptions(sequences=1, frames=FRAMES, points=ROBOTS[name], shift_sigma=0.0)
        write_recording(Recorder(SimulatedRobot(find_urdf(urdf)), options), out)
    return out


def corrupt(folder: Path, other: Path, seed: int, case: int) -> tuple[Corrupted, str, bool]:
    """Return a corrupted recording, its corruptions, and whether its readings are used.

    Case -1 is the good recording with its readings; -2 without.
    """
    recording = load_recording(folder)
    if case < 0:
        return uncorrupted(recording), "nothing", case == -1
    rng = np.random.default_rng([seed, case])
    readings = bool(rng.integers(2))
    return *corrupted(recording, load_recording(other), rng), readings


def moved(truth: TrueModel, move: np.ndarray) -> TrueModel:
    """Return the true joints in a frame that was moved, scaled or mirrored by (4, 4)."""
    factor = abs(np.linalg.det(move[:3, :3])) ** (1 / 3)
    joints = tuple(
        replace(joint, axis=move[:3, :3] @ joint.axis / factor, point=transform(move, joint.point))
        for joint in truth.skeleton.joints
    )
    return TrueModel(Skeleton(joints, truth.skeleton.size * factor))


def is_right(errors: Evaluation, size: float, seen: set[str] | None = None) -> bool:
    """Return whether a model is right. size: of the robot (mm). seen: joints to be found."""
    summary = errors.all if seen is None else errors.observable
    return (
        summary is not None
        and summary.right_tree
        and all(
            joint.angle <= LARGEST_ANGLE and (joint.perpendicular or 0.0) <= LARGEST_SHIFT * size
            for joint in errors.joints
        )
    )


def judged(
    folder: Path, other: Path, corrupted: Corrupted, result: Reconstruction
) -> dict[str, Any]:
    """Compare a model with the robot of the first frame."""
    judgement: dict[str, Any] = {"verdict": result.verdict, "warnings": result.warnings}
    if corrupted.origins[0] < 0:
        folder, corrupted = other, replace(corrupted, origins=-1 - corrupted.origins)
        judgement["shown"] = other.name
    recording = load_recording(folder)
    file = folder / "truth.json"
    motion = true_motion(file, SimulatedRobot(load_truth(file).robot.path), recording)
    first = corrupted.origins[0]
    values = dict(zip(motion.robot.names, motion.values[first].tolist(), strict=True))
    truth = moved(load_truth(file).at(values), corrupted.moves[0])
    estimate = skeleton_of(result.model)
    errors = evaluate(estimate, truth)
    size = 1e3 * extent(recording.frames[first].points) * truth.skeleton.size
    size /= load_truth(file).at(values).skeleton.size
    judgement |= {"right": is_right(errors, size), "found": errors.all.found, "ted": errors.all.ted}
    judgement["why"] = [(j.name, round(j.angle, 1), round(j.perpendicular or 0, 1), j.parent_right)
                   for j in errors.joints]  # fmt: skip
    if judgement["right"] or result.verdict != "trusted":
        return judgement
    # Only rigid motions of the true robot's frames determine what could be seen.
    own = [i for i, move in enumerate(corrupted.moves) if corrupted.origins[i] >= 0
           and np.allclose(move[:3, :3] @ move[:3, :3].T, np.eye(3), atol=1e-6)
           and np.linalg.det(move[:3, :3]) > 0]  # fmt: skip
    origins = corrupted.origins[own]
    known = replace(motion, values=motion.values[origins], moves=corrupted.moves[own])
    left = tuple(corrupted.recording.frames[i] for i in own)
    shown = Recording((replace(recording.sequences[0], frames=left),))
    seen = {item.name for item in joint_visibilities(shown, known) if item.observable}
    judgement["seen"] = sorted(seen)
    judgement["right_of_seen"] = is_right(evaluate(estimate, truth, seen), size, seen)
    return judgement


def outcome(folder: Path, other: Path, seed: int, case: int) -> dict[str, Any]:
    """Return the outcome of a case."""
    corrupted, names, readings = corrupt(folder, other, seed, case)
    row = {"robot": folder.name, "case": case, "what": names, "readings": readings}
    begin = time.process_time()
    try:
        frames = corrupted.recording.frames
        read = tuple(finite_frame(f"frame {i}", frame) for i, frame in enumerate(frames))
        recording = replace(
            corrupted.recording,
            sequences=(replace(corrupted.recording.sequences[0], frames=read),),
        )
        result = reconstruct(recording, ReconstructionOptions(use_readings=readings))
    except AutourdfError as error:
        kind = "refused" if isinstance(error, InputError) else "crash"
        return row | {"outcome": kind, "why": str(error)}
    except BaseException:
        return row | {"outcome": "crash", "why": traceback.format_exc()}
    row |= {
        "seconds": round(time.process_time() - begin, 1),
        **judged(folder, other, corrupted, result),
    }
    if result.verdict != "trusted":
        return row | {"outcome": "doubtful"}
    if row["right"]:
        return row | {"outcome": "trusted right"}
    return row | {"outcome": "unseen" if row.get("right_of_seen") else "trusted wrong"}


def answer() -> None:
    """Print the outcome (JSON) of the case that comes (JSON), within bounded time and memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    folder, other, seed, case = json.load(sys.stdin)
    print(json.dumps(outcome(Path(folder), Path(other), seed, case)))


def run(folder: Path, other: Path, seed: int, case: int) -> dict[str, Any]:
    """Run a case in a separate process with bounded time and memory. Return its outcome."""
    row: dict[str, Any] = {"robot": folder.name, "case": case}
    try:
        done = subprocess.run(
            [sys.executable, str(SCRIPT), ANSWER],
            input=json.dumps([str(folder), str(other), seed, case]),
            stdout=subprocess.PIPE,
            text=True,
            timeout=STUCK,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return row | {"outcome": "hang", "why": f"not done after {STUCK:.0f} s"}
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    timed_out = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    kind = "hang" if timed_out else "crash"
    return row | {"outcome": kind, "why": f"ended with {done.returncode}"}


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield lines with the outcomes of each recording, corrupted and as it was."""
    yield f"| recording | cases | {' | '.join(OUTCOMES)} |"
    yield "|---" * (len(OUTCOMES) + 2) + "|"
    groups = {(row["robot"], row["case"] < 0) for row in rows}
    for robot, good in sorted(groups, key=lambda group: (group[1], group[0])):
        own = [r for r in rows if (r["robot"], r["case"] < 0) == (robot, good)]
        counts = Counter(row["outcome"] for row in own)
        numbers = " | ".join(str(counts[kind]) for kind in OUTCOMES)
        yield f"| {robot}{', as it was' if good else ''} | {len(own)} | {numbers} |"


def main() -> int:
    """Run the study. Return 1 where there was a crash, a hang or a trusted wrong model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder of recordings and outcomes")
    parser.add_argument("--robots", nargs="+", choices=ROBOTS, default=list(ROBOTS))
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="+", help="numbers of cases; -1, -2: uncorrupted")
    add_scheduler_argument(parser, "one case after the other")
    args = parser.parse_args()
    names = list(ROBOTS)
    cases = args.only or [-1, -2, *range(args.first, args.first + args.cases)]
    rows = []
    log = args.folder / f"runs_{args.seed}.jsonl"
    folders = {name: recorded(name, args.folder.absolute()) for name in names}
    pieces = [
        (folders[name], folders[names[names.index(name) - 1]], args.seed, case)
        for case, name in product(cases, args.robots)
    ]
    with asked_cluster(args) as connect:
        for _, row in each_of(run, pieces, connect):
            rows.append(row)
            with log.open("a") as stream:
                stream.write(json.dumps(row) + "\n")
    print(*table(rows), sep="\n")
    bad = [row for row in rows if row["outcome"] in OUTCOMES[4:]]
    for row in bad:
        print(f"{row['outcome']}: {row['robot']} --only {row['case']}: {row.get('what')}")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(answer() if sys.argv[1:] == [ANSWER] else main())
