"""How right the joints of mechanisms are that are found from simulated depth videos.

`python studies/mechanism_video_joints_study.py [--seeds 5] [--scenes NAME...] [--frames 200]
[--failures]`: records each scene, tracks its bodies from first poses that are off by some 1 cm and
3 degrees, and finds the joints between them; the finger that pushes is tracked, and no body of the
mechanism. For each scene: runs with all types and the tree right (bodies that stand still against
each other count as one), medians of the largest error of an axis (degrees) and of a pivot (mm) in
runs that are right, share of errors within two standard deviations, and seconds for the joints.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))

from mechanism_joints_study import contracted, found_parents_and_types, report, standardised
from mechanism_tracks import TrueJoint, joint_line_errors

from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import find_joints
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse
from autourdf_ros.progress import silent
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES, mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_truth import MechanismTruth

OFF = np.repeat([0.05, 0.01], 3)  # rad, m: standard deviations of first poses


def tracked(name: str, seed: int, frames: int):
    """The track of the mechanism's bodies, their shapes, and the truth."""
    scene = mechanism_scene(name).sample(seed)
    video, truth = record(scene, seed, VideoOptions(frames=frames))
    rng = np.random.default_rng(seed)
    shapes = []
    for body, pose in zip(scene.bodies, truth.poses[:, 0], strict=True):
        off = exp_se3(rng.normal(size=6) * OFF)
        first = pose.copy()
        first[:3, :3], first[:3, 3] = off[:3, :3] @ pose[:3, :3], pose[:3, 3] + off[:3, 3]
        shapes.append(VideoShape(body.name, body.mesh, first))
    track = track_bodies(video, shapes, TrackOptions(), silent)[0]
    kept = [number for number, body in enumerate(track.bodies) if body not in truth.drivers]
    own = PoseTrack(
        tuple(track.bodies[number] for number in kept),
        track.stamps,
        track.poses[kept],
        track.covariances[kept],
        track.centres[kept],
        tuple(track.symmetries[number] for number in kept),
    )
    return own, [shape for shape in shapes if shape.name in own.bodies], truth


def true_joint(truth: MechanismTruth, parent: str, child: str) -> TrueJoint:
    """The joint that moves a body, in the frame of a body that stands as its parent does."""
    joint = next(one for one in truth.joints if one.child == child)
    homes = {"world": np.eye(4), **dict(zip(truth.bodies, truth.homes, strict=True))}
    frame = np.eye(4)
    across = np.linalg.svd(joint.axis[None])[2][1:]
    frame[:3, :3] = np.column_stack([across[0], np.cross(joint.axis, across[0]), joint.axis])
    frame[:3, 3] = joint.pivot
    values = np.zeros((len(truth.stamps), 1))
    return TrueJoint(child, parent, joint.kind, inverse(homes[parent]) @ frame, np.eye(4), values)


def measure(name: str, seed: int, frames: int):
    """Whether all is right, errors, standardised errors, seconds, and what was found."""
    track, shapes, truth = tracked(name, seed, frames)
    started = time.perf_counter()
    found = find_joints(track, shapes, JointsOptions(), silent)
    seconds = time.perf_counter() - started
    wanted = contracted({one.child: (one.parent or "world", one.kind) for one in truth.joints})
    got = found_parents_and_types(found, track.bodies)
    rows, scaled = [], []
    adjusted = found.trace.adjusted
    for edge, covariance in zip(adjusted.fit.edges, adjusted.frame_covariances, strict=True):
        if wanted == got and edge.kind not in ("fixed", "free"):
            parent = "world" if edge.parent < 0 else track.bodies[edge.parent]
            joint = true_joint(truth, parent, track.bodies[edge.child])
            rows.append(joint_line_errors(joint, edge.frame))
            scaled += standardised(joint, edge.frame, covariance)
    return wanted == got, rows, scaled, seconds, (got, found.warnings)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--scenes", nargs="*", default=list(SCENES))
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--failures", action="store_true", help="a line for each wrong run")
    add_scheduler_argument(parser, "one run after the other")
    options = parser.parse_args()
    with asked_cluster(options) as connect:
        for name in options.scenes:
            pieces = [(name, seed, options.frames) for seed in range(options.seeds)]
            runs = dict(each_of(measure, pieces, connect))
            report(name, "likelihood", [runs[piece] for piece in pieces], failures=options.failures)


if __name__ == "__main__":
    main()
