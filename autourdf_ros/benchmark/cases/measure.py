"""Measure one case, in a process of its own so that time and memory are its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.assignment import (
    Assignment,
    assign_joints,
    corresponding_bodies,
)
from autourdf_ros.assessment.metrics.calibration import calibrations, value_scores
from autourdf_ros.assessment.metrics.evaluation import MILLIMETRES, evaluate
from autourdf_ros.assessment.metrics.registration_error import registration_error
from autourdf_ros.assessment.metrics.segmentation_error import rand_index, share_on_right_link
from autourdf_ros.assessment.metrics.truth.body_points import BodySurfaces
from autourdf_ros.assessment.metrics.truth.observability import joint_visibilities
from autourdf_ros.assessment.metrics.truth.true_motion import TrueMotion, true_motion
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, truth_for
from autourdf_ros.benchmark.cases.disturbance import disturbed
from autourdf_ros.benchmark.cases.reposed import reposed_error
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.benchmark.row import Row
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.model.result_files import result_document
from autourdf_ros.model.skeleton import Skeleton, link_bodies, skeleton_of
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.progress import silent
from autourdf_ros.workflows.reconstruct import write_reconstruction


def measure(case: Case, folder: Path, sequences: int | None) -> Row:
    """Reconstruct a recording with its truth.json, and compare.

    Args:
        case: How to reconstruct it.
        folder: The recording.
        sequences: Number of its sequences to use; None uses all.
    """
    begin = time.perf_counter()
    whole_recording = load_recording(folder)
    order = sorted(range(len(whole_recording.sequences)), key=lambda i: i != case.first)[:sequences]
    recording = replace(
        whole_recording, sequences=tuple(whole_recording.sequences[i] for i in order)
    )
    recording, moves = disturbed(recording, case.disturbance)
    readings = recording.frames[0].joint_positions if case.first else None
    truth = truth_for(folder / "truth.json", None, readings)
    options = ReconstructionOptions(
        links=len(truth.skeleton.joints) + 1 if case.count_links else None,
        use_readings=case.use_readings,
        method=case.method,
        neural=case.neural,
    )
    if case.options is not None:
        options = replace(options, points=case.points or case.options.points)
    loaded, loaded_cpu = time.perf_counter(), time.process_time()
    reconstruction = reconstruct(recording, options, silent)
    engine = time.perf_counter() - loaded
    engine_cpu = time.process_time() - loaded_cpu
    with tempfile.TemporaryDirectory() as out:
        result = Path(out) / "result"
        write_reconstruction(reconstruction, result, name="robot", recording=recording)
        written = result_document(result)
    whole = time.perf_counter() - begin
    memory = peak_memory()
    estimate = skeleton_of(reconstruction.model)
    assignment = assign_joints(estimate, truth.skeleton)
    motion = _true_motion(folder, whole_recording, order, moves, truth)
    observable, figures = _by_meshes(
        case, motion, recording, reconstruction, estimate, truth, assignment
    )
    tracking = reconstruction.tracking_error
    scores = calibrations(
        reconstruction.model, estimate, truth.skeleton, assignment, reconstruction.common_error
    )
    return Row(
        name=case.name,
        method=case.method,
        sequences=len(recording.sequences),
        evaluation=evaluate(estimate, truth, observable),
        verdict=written["verdict"],
        warnings=written["warnings"],
        frames=len(recording.frames),
        points=float(np.mean([len(frame.points) for frame in recording.frames])),
        registration=MILLIMETRES * registration_error(reconstruction, recording),
        silhouettes=reconstruction.silhouettes,
        tracking=None if tracking is None else MILLIMETRES * tracking,
        scores=[[_finite(score) for score in item.scores] for item in scores],
        chi_squares=[(item.chi_square, item.degrees) for item in scores],
        engine=engine,
        engine_cpu=engine_cpu,
        whole=whole,
        stages=dict(reconstruction.timings),
        memory=memory,
        **figures,
    )


def _true_motion(
    folder: Path,
    whole: Recording,
    order: Sequence[int],
    moves: NDArray[np.float64],
    truth: TrueModel,
) -> TrueMotion | None:
    """Return the true robot's motion in the used sequences with their moves; None if unknown."""
    if truth.robot is None:
        return None
    motion = true_motion(folder / "truth.json", SimulatedRobot(truth.robot.path), whole)
    ends = np.cumsum([len(sequence.frames) for sequence in whole.sequences])
    used = np.concatenate(
        [np.arange(ends[i] - len(whole.sequences[i].frames), ends[i]) for i in order]
    )
    return replace(motion, values=motion.values[used], moves=moves @ motion.moves[used])


def _by_meshes(
    case: Case,
    motion: TrueMotion | None,
    recording: Recording,
    reconstruction: Reconstruction,
    estimate: Skeleton,
    truth: TrueModel,
    assignment: Assignment,
) -> tuple[frozenset[str] | None, dict[str, Any]]:
    """Return the observable joints, and the figures that need the true robot."""
    if motion is None:
        missing = dict.fromkeys(("reposed", "floor", "rand_index", "right_link"))
        return None, {**missing, "value_scores": []}
    visibilities = joint_visibilities(recording, motion)
    figures: dict[str, Any] = dict.fromkeys(("reposed", "floor"))
    if case.options is not None:
        reposed = reposed_error(reconstruction.model, truth, motion.robot, case.options)
        figures["reposed"] = MILLIMETRES * reposed.distance
        figures["floor"] = MILLIMETRES * reposed.floor
    figures |= _labels(reconstruction, motion, estimate, truth, assignment)
    true_values = dict(zip(motion.robot.names, motion.values.T, strict=True))
    scores = value_scores(reconstruction, estimate, truth.skeleton, assignment, true_values)
    figures["value_scores"] = [[round(float(x), 2) for x in joint] for joint in scores.values()]
    return frozenset(item.name for item in visibilities if item.observable), figures


def _labels(
    reconstruction: Reconstruction,
    motion: TrueMotion,
    estimate: Skeleton,
    truth: TrueModel,
    assignment: Assignment,
) -> dict[str, float | None]:
    """Return the figures of the segmentation of the reference frame's points."""
    surfaces = BodySurfaces(motion.robot.surfaces)
    points = reconstruction.reference_points.astype(np.float32)
    true = surfaces.attribute(points, motion.poses[0]).labels
    known = true >= 0
    links = np.array((*link_bodies(reconstruction.model), -1))  # label -1: of no link
    labels, true = links[reconstruction.labels[known]], true[known]
    bodies = corresponding_bodies(estimate, truth.skeleton, assignment.pairs)
    return {
        "rand_index": rand_index(labels, true),
        "right_link": share_on_right_link(labels, true, bodies),
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def main() -> None:
    """Measure the case given on standard input."""
    task: dict[str, Any] = pickle.load(sys.stdin.buffer)
    print(json.dumps(measure(**task).to_dict()))


if __name__ == "__main__":
    main()
