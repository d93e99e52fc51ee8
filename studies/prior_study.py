"""How many frames a known robot saves, and what a wrong one costs.

`.venv/bin/python studies/prior_study.py so101 xarm7 solo` reconstructs the first frames of each
robot's recording of the suite `full`, without a prior and with four: what `autourdf assemble` finds
in the robot's parts that stand still (`parts`), the robot's own URDF with every axis put off by
some degrees and millimetres (`put off`), the URDF with the last link on another one
(`re-parented`), and another robot (`another`). Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.benchmark.cache import recording_of
from autourdf_ros.benchmark.cases.suites import FULL, suite
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.errors import AutourdfError
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.prior.prior_robot import PriorRobot
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.model.skeleton import skeleton_of
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.progress import silent
from autourdf_ros.workflows.assemble import AssembleOptions, assemble_to_folder
from autourdf_ros.workflows.prior_reading import read_prior

SEQUENCES = 5
TILT, SHIFT = np.radians(2.0), 0.005  # rad, m: by which each axis is put off, a component


def first_frames(recording: Recording, count: int) -> Recording:
    """The first `count` frames, in their sequences."""
    sequences = []
    for sequence in recording.sequences:
        if count > 0:
            sequences.append(replace(sequence, frames=sequence.frames[:count]))
            count -= len(sequence.frames)
    return replace(recording, sequences=tuple(sequences))


def put_off(prior: PriorRobot) -> PriorRobot:
    """A prior with the axes of its revolute joints tilted and moved."""
    rng, model = np.random.default_rng(0), prior.model
    axes = model.twists[:, :3] + rng.normal(0.0, TILT, (len(model.twists), 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    places = model.anchors + rng.normal(0.0, SHIFT, model.anchors.shape)
    twists = np.where(model.revolute[:, None], revolute_twist(axes, places), model.twists)
    return replace(prior, model=replace(model, twists=twists, anchors=places))


def reparented(prior: PriorRobot) -> PriorRobot:
    """A prior whose last link hangs on the root."""
    parents = prior.model.parents.copy()
    parents[-1] = 0
    return replace(prior, model=replace(prior.model, parents=parents))


def priors_of(robot: str, folder: Path) -> Iterator[tuple[str, PriorRobot | None]]:
    """The priors of a robot, by name."""
    yield "none", None
    urdf = find_urdf(robot)
    try:
        assemble_to_folder(read_assembly(urdf), folder / "parts", "parts", AssembleOptions())
        yield "parts", read_prior(folder / "parts")
    except AutourdfError as error:
        print(f"{robot}: no prior from parts: {error}")
    own = read_prior(urdf)
    yield "put off", put_off(own)
    yield "re-parented", reparented(own)
    yield "another", read_prior(find_urdf("z1" if robot != "z1" else "so101"))


def lines_of(robot: str, counts: tuple[int, ...], names: list[str] | None) -> list[str]:
    """Return a line for each number of frames and prior of a robot."""
    (case,) = suite("full", SEQUENCES, (robot,))
    folder = recording_of(case, silent)
    recording, truth = load_recording(folder), load_truth(folder / "truth.json")
    lines = []
    with tempfile.TemporaryDirectory() as made:
        for name, prior in priors_of(robot, Path(made)):
            if names and name not in names:
                continue
            for count in counts:
                begun = time.process_time()
                some = first_frames(recording, count)
                options = ReconstructionOptions(use_readings=False)
                try:
                    found = reconstruct(some, options, silent, prior)
                except AutourdfError as error:
                    lines.append(f"{robot} {count} {name}: {error}")
                    continue
                spent = time.process_time() - begun
                errors = evaluate(skeleton_of(found.model), truth, None).all
                lines.append(
                    f"{robot} {count} {name}: {errors.found}/{errors.true} TED {errors.ted} "
                    f"{errors.angle or np.nan:.2f} {errors.shifted or np.nan:.2f} "
                    f"{found.verdict} {spent:.0f}  {'; '.join(found.notes[-2:])[:80]}"
                )
    return lines


def main() -> None:
    """Print a line for each robot, number of frames and prior."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("robots", nargs="+", choices=FULL)
    parser.add_argument("--frames", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--priors", nargs="+", help="names (default: all)")
    add_scheduler_argument(parser, "one robot after the other")
    args = parser.parse_args()
    print("robot frames prior found TED angle° shifted_mm verdict cpu_s")
    pieces = [(robot, tuple(args.frames), args.priors) for robot in args.robots]
    with asked_cluster(args) as connect:
        for _, lines in each_of(lines_of, pieces, connect):
            print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
