"""Measure one case of mechanisms, in a process of its own so that time and memory are its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.mechanisms.joint_line_error import TrueJoint, joint_errors
from autourdf_ros.assessment.metrics.mechanisms.parameter_error import (
    ParameterEstimate,
    parameter_errors,
)
from autourdf_ros.assessment.metrics.video.pose_error import pose_errors
from autourdf_ros.benchmark.mechanisms.mechanism_case import MechanismCase
from autourdf_ros.benchmark.mechanisms.truth_of_parts import truth_of_parts
from autourdf_ros.benchmark.mechanisms.unseen_forecast import LearnedMechanism, unseen_forecast
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.force_table import FORCES_FILE, ForceTable, read_forces
from autourdf_ros.data.video.shape_folder import read_shapes
from autourdf_ros.data.video.video_loading import load_video
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia, parameters_from
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.layer import plain_values
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint
from autourdf_ros.simulation.mechanisms.mechanism_files import (
    SHAPES_FOLDER,
    first_shapes,
    forces_of,
)
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismParameter, MechanismScene
from autourdf_ros.simulation.mechanisms.mechanism_truth import (
    MECHANISM_TRUTH_FILE,
    MechanismTruth,
    read_mechanism_truth,
)
from autourdf_ros.workflows.mechanisms.dynamics_layers import layers_of
from autourdf_ros.workflows.mechanisms.find_mechanism import MechanismOptions, find_mechanism
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import (
    MechanismDynamicsOptions,
    ObservedMechanism,
    identify_mechanism,
)
from autourdf_ros.workflows.mechanisms.mechanism_result import (
    WrittenMechanism,
    completed_mechanism,
)

Array = NDArray[np.float64]

SWINGING = ("cart_pole", "driven_cart_pole", "rott_pendulum")
"""Scenes whose motion is forecast: what a finger does next depends on where the mechanism is."""
_KINDS = {
    "density": ("mass",),
    "mass": ("mass", "radius", "shear"),
    "inertia": ("radius", "shear"),
}
"""Kinds of free parameters by those of the truth; others are the same. A mass of the truth leaves
the inertia as it is. Frames of links lie along no principal axes, so that radii alone do not make
an inertia."""


class CaseInput:
    """What a case begins with: video, shapes, forces, truth, and the scene if simulated.

    Shapes that are not to be known are None, and then there are no masks either.
    """

    def __init__(self, case: MechanismCase) -> None:
        """Simulate the scene, or read the folder."""
        self.scene: MechanismScene | None = None
        self.video: CameraVideo
        self.shapes: tuple[VideoShape, ...] | None
        self.truth: MechanismTruth
        self.forces: ForceTable | None
        if case.folder is None:
            self.scene = mechanism_scene(case.name).sample(case.seed)
            options = VideoOptions(frames=case.frames, size=case.size)
            self.video, self.truth = record(self.scene, case.seed, options)
            self.shapes = first_shapes(self.scene, self.truth, case.seed)
            self.forces = forces_of(self.scene, self.truth)
        else:
            self.video = load_video(case.folder)
            self.truth = read_mechanism_truth(case.folder / MECHANISM_TRUTH_FILE)
            self.shapes = read_shapes(case.folder / SHAPES_FOLDER)
            file = case.folder / FORCES_FILE
            self.forces = read_forces(file) if file.is_file() else None
        if case.shapes == "unknown":
            self.shapes, self.video = None, replace(self.video, masks=None)


def measure_mechanism(case: MechanismCase) -> dict[str, Any]:
    """Find a mechanism and compare it with its truth.

    Returns:
        The row, as JSON values: the case; errors of poses, joints, parameters and a forecast, each
        None where it is not measured; seconds of every stage, and a frame's; peak memory (MiB).
    """
    given = CaseInput(case)
    options = MechanismOptions(joints=JointsOptions(method=case.method, seed=case.seed))
    found = find_mechanism(given.video, given.shapes, options)
    if given.shapes is None:
        given.truth = truth_of_parts(given.truth, found.track)
    row: dict[str, Any] = {
        **case.title(),
        "driven": given.forces is not None,
        "tracking": _tracking(found, given.truth),
        "joints": _joints(found, given.truth),
        "seconds": {**found.timings, "frame": found.timings["tracking"] / len(given.video.stamps)},
        "warnings": list(found.warnings),
    }
    if given.shapes is not None:
        content = completed_mechanism(found, WrittenMechanism("mechanism"))
        row |= _dynamics(found, content.model, given, case)
    return {**row, "memory": peak_memory()}


def _tracking(found: VideoMechanism, truth: MechanismTruth) -> dict[str, float]:
    """Errors modulo symmetry, of the bodies that were tracked and that there are."""
    known = [body for body, name in enumerate(found.track.bodies) if name in truth.bodies]
    track = found.track.of(known)
    errors = pose_errors(track, truth.poses[[truth.bodies.index(name) for name in track.bodies]])
    return {
        "position": errors.position,
        "angle": errors.angle,
        "both": errors.both,
        "seen": errors.seen,
        "coverage": errors.coverage,
    }


def _joints(found: VideoMechanism, truth: MechanismTruth) -> dict[str, Any]:
    true = true_joints(truth, found.reference_frame)
    bodies = [name for name in found.track.bodies if name not in truth.drivers]
    return asdict(joint_errors(found.model.tree, true, bodies))


def true_joints(truth: MechanismTruth, frame: int) -> list[TrueJoint]:
    """Return the joints where they are in a frame.

    A joint of a body that no part stands for is kept where it is in the world when all joint values
    are 0: what counts of it is that it is missing.
    """
    true = []
    for joint in truth.joints:
        moved = np.eye(4)
        if joint.parent in truth.bodies:
            # The joint's line stands still in its parent.
            base = truth.bodies.index(joint.parent)
            moved = truth.poses[base, frame] @ np.linalg.inv(truth.homes[base])
        axis, point = moved[:3, :3] @ joint.axis, moved[:3, :3] @ joint.pivot + moved[:3, 3]
        true.append(TrueJoint(joint.kind, joint.parent, joint.child, axis, point))
    return true


def _dynamics(
    found: VideoMechanism, model: SelfModel, given: CaseInput, case: MechanismCase
) -> dict[str, Any]:
    """Errors of parameters and forecast: the law of friction is the truth's; gravity may tilt."""
    wanted = [_KINDS.get(one.kind, (one.kind,)) for one in given.truth.parameters]
    free = tuple(dict.fromkeys(kind for kinds in wanted for kind in kinds))
    observed = ObservedMechanism.of_video(found, model)
    begin = time.perf_counter()
    try:
        options = MechanismDynamicsOptions(free=(*free, "tilt"))
        posterior = identify_mechanism(observed, given.forces, options).posterior
    except InputError as error:
        return {"parameters": None, "forecast": None, "reason": str(error)}
    seconds = time.perf_counter() - begin
    estimates = _estimates(posterior, model, given.truth)
    row: dict[str, Any] = {
        "parameters": {
            **asdict(parameter_errors(estimates)),
            "each": [asdict(e) for e in estimates],
        },
        "doubts": list(posterior.warnings),
        "dynamics_seconds": seconds,
        "forecast": None,
    }
    if given.scene is not None and case.name in SWINGING:
        learned = LearnedMechanism(found, model, posterior)
        try:
            row["forecast"] = asdict(unseen_forecast(learned, given.scene, case.seed))
        except InputError as error:  # a mechanism found wrongly may move nowhere
            row["reason"] = str(error)
    return row


def _estimates(
    posterior: DynamicsPosterior, model: SelfModel, truth: MechanismTruth
) -> list[ParameterEstimate]:
    """Estimates of the true parameters that the found mechanism has."""
    inertia, _ = layers_of(posterior, model, "", False)
    found = []
    for one in truth.parameters:
        stated = (
            _of_body(one, inertia.links, truth, model.tree)
            if one.kind in ("mass", "density", "inertia")
            else _of_joint(one, posterior, truth, model.tree)
        )
        if stated is not None:
            value, std = stated
            found.append(ParameterEstimate(one.name, one.value, value, std, one.low, one.high))
    return found


def _of_body(
    one: MechanismParameter, links: Any, truth: MechanismTruth, tree: KinematicTree
) -> tuple[float, float] | None:
    """Estimate of a mass or an inertia about the joint's axis, and deviation of its logarithm."""
    own = links.get(one.target)
    if own is None or own.covariance is None:
        return None
    if one.kind != "inertia":
        return own.mass, float(own.mass_std) / own.mass
    joint = tree.joint_of(one.target)
    assert joint is not None
    axis = link_frames(tree)[tree.links.index(one.target)][:3, :3].T @ joint.axis
    value = float(axis @ own.inertia @ axis)
    return value, _inertia_std(own, axis) / value


def _inertia_std(own: Any, axis: Array) -> float:
    """Standard deviation of the inertia about an axis through the centre of mass."""
    start = parameters_from(own.mass, own.centre, own.inertia)

    def about(parameters: Array) -> float:
        return float(axis @ mass_centre_inertia(parameters)[2] @ axis)

    steps = 1e-6 * np.maximum(np.abs(start), 1e-6)
    slope = np.array(
        [
            (about(start + step * unit) - about(start)) / step
            for step, unit in zip(steps, np.eye(10), strict=True)
        ]
    )
    return float(np.sqrt(slope @ own.covariance @ slope))


def _of_joint(
    one: MechanismParameter,
    posterior: DynamicsPosterior,
    truth: MechanismTruth,
    tree: KinematicTree,
) -> tuple[float, float] | None:
    """Estimate of a joint's resistance, by the joints that move the same body.

    A planar joint's is that of its shifts: the mean over the slides it consists of.
    """
    own = next(joint for joint in truth.joints if joint.name == one.target)
    joint = tree.joint_of(own.child)
    chain = [] if joint is None else [joint]
    if own.kind == "planar":
        chain = _slides_above(joint, tree)
    names = list(posterior.names)
    wanted = [f"{one.kind} of {joint.name}" for joint in chain]
    rows = [names.index(name) for name in wanted if name in names]
    if not rows:
        return None
    values, stds = posterior.values[rows], posterior.stds[rows]
    return float(values.mean()), float(np.linalg.norm(values * stds) / values.sum())


def _slides_above(joint: TreeJoint | None, tree: KinematicTree) -> list[TreeJoint]:
    """Joints that slide, next above one."""
    found = []
    while joint is not None and (above := tree.joint_of(joint.parent)) is not None:
        if above.type != "prismatic":
            break
        found.append(above)
        joint = above
    return found


def main() -> None:
    """Measure the case given on standard input."""
    print(json.dumps(plain_values(measure_mechanism(pickle.load(sys.stdin.buffer)))))


if __name__ == "__main__":
    main()
