"""How far cameras that stand seem to move between two recordings, and one that was moved.

`.venv/bin/python studies/camera_drift_study.py z1 so101 ur5_gripper` draws a simulated cell as the
suite `cell` does (four depth cameras with errors as of real ones, each wrongly calibrated) for each
robot, and records further motions in front of the same cameras. The cameras are aligned in each
recording, as `reconstruct` does, and compared with those of the first. Then camera 2 is put off in
the first recording, by 0.3 degrees and 3 mm. Lines: robot, which recording, by how much each camera
turned (degrees) and shifted at the robot's middle (mm), relative to the median of all.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from autourdf_ros.assessment.comparison.camera_changes import relative_changes
from autourdf_ros.benchmark.cases.suites import FULL, suite
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.result.corrected_cameras import corrected_cameras
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.geometry.rigid_motion import exp_se3, transform
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions

SEQUENCES, FRAMES = 2, 6
MOVED, TURN, SHIFT = 1, np.radians(0.3), 0.003  # camera, rad, m


def recording_of(recorder: Recorder) -> Recording:
    """Everything that a recorder records."""
    frames = [frame.frame for frame in recorder.frames()]
    parts = [frames[FRAMES * number : FRAMES * (number + 1)] for number in range(SEQUENCES)]
    return Recording(tuple(Sequence(tuple(part), str(n)) for n, part in enumerate(parts)))


def moved(frame: Frame) -> Frame:
    """A frame as it is where a camera has moved, and nobody knows."""
    assert frame.cameras is not None and frame.camera_poses is not None
    own, eye = frame.cameras == MOVED, frame.camera_poses[MOVED, :3, 3]
    off = exp_se3(np.array([0, 0, TURN, 0, 0, 0]))
    points = frame.points.astype(np.float64)
    points[own] = transform(off, points[own] - eye) + eye + [SHIFT, 0, 0]
    return replace(frame, points=points.astype(np.float32))


def corrected(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Poses (C, 4, 4) of its cameras as aligned, and the robot's middle (3,)."""
    prepared = prepare(recording, ReconstructionOptions.points, report=lambda share: None)
    cameras = corrected_cameras(recording, prepared)
    return np.stack([camera.pose for camera in cameras]), prepared.centre


def lines_of(robot: str, motions: int) -> list[str]:
    """Return the lines of a robot."""
    (case, *_) = suite("cell", SEQUENCES, (robot,), 1)
    options: RecorderOptions = replace(case.options, sequences=SEQUENCES, frames=FRAMES)
    simulated = SimulatedRobot(find_urdf(robot))
    first = Recorder(simulated, options)
    recordings = {"first": recording_of(first)}
    for seed in range(1, 1 + motions):
        other = Recorder(simulated, replace(options, seed=seed), first.cell)
        recordings[f"motion {seed}"] = recording_of(other)
    parts = recordings["first"].sequences
    recordings["camera 2 moved"] = Recording(
        tuple(replace(part, frames=tuple(map(moved, part.frames))) for part in parts)
    )
    (before, middle), lines = corrected(recordings.pop("first")), []
    for name, recording in recordings.items():
        turns, shifts = relative_changes(before, corrected(recording)[0], middle)
        figures = [
            f"{np.degrees(turn):.3f}° {1e3 * shift:.2f} mm"
            for turn, shift in zip(turns, shifts, strict=True)
        ]
        lines.append(f"{robot}, {name}: {', '.join(figures)}")
    return lines


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("robots", nargs="+", choices=FULL)
    parser.add_argument("--motions", type=int, default=3, help="beside the first (default: 3)")
    add_scheduler_argument(parser, "one robot after the other")
    args = parser.parse_args()
    with asked_cluster(args) as connect:
        for _, lines in each_of(lines_of, [(one, args.motions) for one in args.robots], connect):
            print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
