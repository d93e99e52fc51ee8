"""How accurate tracked poses of known bodies are, scene by scene.

Records videos of the mechanisms of `autourdf_ros/simulation/mechanisms`, starts tracking from first
poses that are off, and prints a line a video: mean absolute error of positions (mm) and rotations
(degrees) modulo symmetry, the mean over both as Heiden et al. (2022) state it (m and rad mixed),
the largest errors, the share of frames and bodies that were seen, the share of errors within two
standard deviations, and processor time a frame (ms), preparation of the shapes included.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.spatial.transform import Rotation

from autourdf_ros.assessment.metrics.video.pose_error import PoseErrors, pose_errors
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.progress import silent
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES, mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene

SHIFT, TURN = 0.03, np.radians(10.0)
"""By which first poses are off (m, rad)."""


def main() -> None:
    """Study the scenes named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), metavar="SCENE")
    parser.add_argument("--seeds", type=int, default=3, help="videos of a scene (default: 3)")
    parser.add_argument("--frames", type=int, default=200, help="of a video (default: 200)")
    parser.add_argument("--masks", action="store_true", help="give the bodies' masks")
    parser.add_argument("--colors", action="store_true", help="track colours, without depth")
    parser.add_argument("--unplaced", action="store_true", help="give no first poses")
    parser.add_argument("--bodies", action="store_true", help="print a line for every body")
    parser.add_argument("--method", choices=("surface", "icp"), default="surface")
    args = parser.parse_args()
    for name in args.scenes:
        found = [_study(name, seed, args) for seed in range(args.seeds)]
        middle = [np.median([getattr(one, key) for one in found]) for key in KEYS]
        print(f"{name}: median {_line(*middle)}", flush=True)


KEYS = ("position", "angle", "both", "coverage")


def _line(position: float, angle: float, both: float, coverage: float) -> str:
    return (
        f"{1e3 * position:.3f} mm, {np.degrees(angle):.4f} deg, both {both:.5f}, "
        f"within 2 sigma {coverage:.3f}"
    )


def _study(name: str, seed: int, args: argparse.Namespace) -> PoseErrors:
    scene = mechanism_scene(name).sample(seed)
    options = VideoOptions(
        frames=args.frames,
        with_depth=not args.colors,
        with_colors=args.colors,
        with_masks=args.masks,
    )
    video, truth = record(scene, seed, options)
    shapes = _shapes(scene, truth.poses[:, 0], np.random.default_rng(seed))
    if args.unplaced:
        shapes = tuple(VideoShape(s.name, s.mesh, None, s.color) for s in shapes)
    start = time.process_time()
    track, warnings = track_bodies(video, shapes, TrackOptions(method=args.method), silent)
    spent = 1e3 * (time.process_time() - start) / args.frames
    errors = pose_errors(track, truth.poses)
    worst = 1e3 * np.abs(errors.shifts).max(), np.degrees(np.abs(errors.turns).max())
    print(
        f"{name} {seed}: {_line(errors.position, errors.angle, errors.both, errors.coverage)}, "
        f"largest {worst[0]:.1f} mm {worst[1]:.2f} deg, seen {errors.seen:.3f}, {spent:.0f} ms",
        *warnings,
        sep="\n    ",
        flush=True,
    )
    for number, body in enumerate(track.bodies if args.bodies else ()):
        if track.seen[number].any():
            own = pose_errors(track.of([number]), truth.poses[[number]])
            print(f"  {body}: {_line(own.position, own.angle, own.both, own.coverage)}")
            print("    bias mm, deg", 1e3 * own.shifts.mean(0), np.degrees(own.turns.mean(0)))
            print("    spread", 1e3 * own.shifts.std(0), np.degrees(own.turns.std(0)), own.seen)
    return errors


def _shapes(
    scene: MechanismScene, poses: np.ndarray, rng: np.random.Generator
) -> tuple[VideoShape, ...]:
    found = []
    for body, pose in zip(scene.bodies, poses, strict=True):
        axis, along = rng.normal(size=(2, 3))
        turn = Rotation.from_rotvec(TURN * axis / np.linalg.norm(axis)).as_matrix()
        first = pose.copy()
        first[:3, :3] = turn @ pose[:3, :3]
        first[:3, 3] += SHIFT * along / np.linalg.norm(along)
        color = tuple(body.mesh.colors.mean(axis=0).astype(float))
        found.append(VideoShape(body.name, body.mesh, first, color))
    return tuple(found)


if __name__ == "__main__":
    np.set_printoptions(precision=3, suppress=True)
    main()
