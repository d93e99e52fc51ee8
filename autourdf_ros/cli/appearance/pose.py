"""`autourdf pose`: joint values from images of the robot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autourdf_ros.cli.appearance.joint_arguments import joint_positions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autourdf_ros.estimation.appearance.pose.estimate_pose import PoseEstimate

HELP = "find the joints' values in images of the robot"

EPILOG = """OUT is a result folder to which 'autourdf splat' has added splats. IMAGES is a folder
with nerfstudio's transforms.json: one or more images of one configuration, with camera poses in the
base frame of OUT, and with mask_path or before one colour. Joint positions in it are not used, but
differences from them are printed.
exit codes: 0 found, 1 found but doubtful, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder with splats")
    parser.add_argument("images", type=Path, metavar="IMAGES", help="folder with transforms.json")
    parser.add_argument(
        "--start",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="positions (rad or m) near which the robot is; others are near their reference",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Find and print; return 1 where the values are doubtful."""
    import json

    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.data.images.image_folder import read_image_folder
    from autourdf_ros.progress import part
    from autourdf_ros.workflows.appearance.robot_pose import robot_pose

    start = joint_positions(args.start, "--start")
    with progress_bar() as progress:
        images = read_image_folder(args.images, part(progress, 0.0, 0.05), joints=False)
        found = robot_pose(args.result, images, start, progress=part(progress, 0.05, 1.0))
    recorded = images.images[0].joint_positions
    if args.json:
        print(json.dumps(_document(found, recorded), indent=1))
    else:
        print(_summary(found, recorded))
    return 0 if found.verdict.trust == "trusted" else 1


def _document(found: PoseEstimate, recorded: Mapping[str, float]) -> dict[str, Any]:
    joints = {
        name: {
            "value": float(found.free[number]),
            "std": float(found.stds[number]),
            "shown": bool(found.shown[number]),
            "recorded": recorded.get(name),
        }
        for number, name in enumerate(found.names)
    }
    return {
        "joints": joints,
        "covariance": found.covariance.tolist(),
        "robot_psnr": found.psnr,
        "mask_overlap": found.overlap,
        "minima": [
            {"joints": dict(zip(found.names, one.free.tolist(), strict=True)), "loss": one.loss}
            for one in found.minima
        ],
        "verdict": {"trust": found.verdict.trust, "reasons": list(found.verdict.reasons)},
    }


def _summary(found: PoseEstimate, recorded: Mapping[str, float]) -> str:
    """What was found, in lines."""
    import numpy as np

    lines = []
    for number, name in enumerate(found.names):
        value, std = found.free[number], found.stds[number]
        slides = bool(found.slides[number])
        text = (
            f"{value:.4f} m +- {1e3 * std:.1f} mm"
            if slides
            else (f"{value:.4f} rad = {np.degrees(value):.2f} +- {np.degrees(std):.2f} degrees")
        )
        if not found.shown[number]:
            text += ", not determined by the images"
        if name in recorded:
            off = value - recorded[name]
            if not slides:  # whole turns look alike
                off = (off + np.pi) % (2 * np.pi) - np.pi
            apart = f"{1e3 * off:+.1f} mm" if slides else f"{np.degrees(off):+.2f} degrees"
            text += f" ({apart} from the recorded value)"
        lines.append(f"{name}: {text}")
    lines.append(f"robot's pixels {found.psnr:.1f} dB, masks overlap by {found.overlap:.1%}")
    lines.append(f"verdict: {found.verdict.trust}")
    lines += [f"  ! {reason}" for reason in found.verdict.reasons]
    return "\n".join(lines)
