"""Run the engine's last stages from the true links and tree, to see what a recording holds.

`.venv/bin/python studies/true_structure_study.py g1_29dof_rev_1_0` takes a robot of the benchmark's
full suite (`--suite cell --seed 0`: as the capture node records it), gives the points of its
reference frame to their true links, tracks the true joints, put off by some degrees and
millimetres, through all frames and adjusts everything, as `reconstruct` does with the links, tree
and joints that it found. What is right here and wrong there, the search lost, and not the
recording. The verdict depends on the noise assumed here, and is not reported.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order
from scipy.spatial import cKDTree

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.benchmark.cache import recording_of
from autourdf_ros.benchmark.cases.suites import FULL, suite
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.estimation.motion.adjustment.model_adjustment import adjust_model
from autourdf_ros.estimation.motion.pipeline import prepare_recording
from autourdf_ros.estimation.motion.prior.given_candidate import given_candidate
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.result.model_building import build_reconstruction
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.tracking.recording_tracking import track_recording
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import assess_uncertainty
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.model.skeleton import skeleton_of
from autourdf_ros.parallel import calm_blas
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch

NOISE = 8e-4  # m, as the engine measures it in these recordings: 0.7 to 1.2 mm

SEQUENCES = {"full": 5, "cell": 2, "few": 1}

TILT, SHIFT = np.radians(2.0), 0.005  # rad, m: by which each axis is put off, a component


def put_off(truth: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """The truth with every joint's axis tilted and moved: where it ends, the frames decide."""
    joints = []
    for joint in truth["joints"]:
        axis = np.array(joint["axis"]) + rng.normal(0.0, TILT, 3)
        point = np.array(joint["point"]) + rng.normal(0.0, SHIFT, 3)
        joints.append(joint | {"axis": axis / np.linalg.norm(axis), "point": point})
    return truth | {"joints": joints}


def true_candidate(
    truth: dict[str, Any], prepared: Prepared, recording: Recording
) -> CandidateModel:
    """The true links and joints on the reference cloud; nothing is known of how they move."""
    edges = np.array([[joint["parent"], joint["child"]] for joint in truth["joints"]])
    size = edges.max() + 1
    graph = coo_matrix((np.ones(len(edges)), edges.T), shape=(size, size))
    bodies, _ = breadth_first_order(graph, 0)
    place = np.full(size, -1)
    place[bodies] = np.arange(len(bodies))
    order = np.argsort(place[edges[:, 1]])
    joints = [truth["joints"][j] for j in order]
    parents = place[edges[order, 0]].astype(np.int64)
    labels = _labels(truth, place, prepared, recording)
    revolute = np.array([joint["type"] != "prismatic" for joint in joints])
    axes = np.array([joint["axis"] for joint in joints])
    points = (np.array([joint["point"] for joint in joints]) - prepared.centre) / prepared.scale
    slides = np.concatenate([np.zeros_like(axes), axes], axis=1)
    twists = np.where(revolute[:, None], revolute_twist(axes, points), slides)
    return given_candidate(prepared.reference, labels, parents, twists, revolute, "shifts")


def _labels(
    truth: dict[str, Any], place: NDArray[np.int64], prepared: Prepared, recording: Recording
) -> NDArray[np.int64]:
    """The true link (N,), by its place in the tree, of every point of the reference cloud."""
    measured = (recording.frames[0].points - prepared.centre) / prepared.scale
    nearest = cKDTree(measured).query(prepared.reference.points)[1]
    true = np.array(truth["reference_labels"])[nearest]
    return np.where(true >= 0, place[true], -1).astype(np.int64)


def main() -> None:
    """Print the errors of every joint, and their means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("robot", choices=FULL)
    parser.add_argument("--suite", choices=SEQUENCES, default="full")
    parser.add_argument("--seed", type=int, default=0, help="of the recording, of cell and few")
    args = parser.parse_args()
    robot: str = args.robot
    cases = suite(args.suite, SEQUENCES[args.suite], (robot,), args.seed + 1)
    case = [one for one in cases if not one.use_readings][-1]
    folder: Path = recording_of(case, silent)
    recording = load_recording(folder)
    truth = put_off(json.loads((folder / "truth.json").read_text()), np.random.default_rng(0))
    points = case.points or ReconstructionOptions.points
    options = ReconstructionOptions(use_readings=False, points=points)
    with calm_blas():
        prepared = prepare_recording(recording, options, Stopwatch(), silent)
        candidate = true_candidate(truth, prepared, recording)
        problem = Problem(prepared, options, (), None, NOISE / prepared.scale)
        motion = track_recording(problem, candidate, silent)
        final = adjust_model(problem, candidate, motion, silent)
        structure = assess_uncertainty(problem, final)
        result = build_reconstruction(recording, problem, motion, final, structure)
    errors = evaluate(skeleton_of(result.model), load_truth(folder / "truth.json"), None)
    for joint in errors.joints:
        print(f"{joint.name:30} {joint.angle:6.2f}°  {joint.perpendicular or 0:6.2f} mm")
    every = errors.all
    print(
        f"{robot}: {every.found} of {every.true} joints, TED {every.ted}, "
        f"{motion.used.mean():.0%} of the frames follow; mean {every.angle:.2f}°, "
        f"{every.perpendicular:.2f} mm"
    )


if __name__ == "__main__":
    main()
