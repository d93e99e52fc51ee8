"""`autourdf splat`: colours of a robot's links from images, as Gaussian splats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.number_arguments import whole_number
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.data.images.robot_images import RobotImages
    from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance
    from autourdf_ros.progress import Progress

HELP = "find the colours of the robot's links in images, as Gaussian splats"

EPILOG = """IMAGES is a folder with nerfstudio's transforms.json whose frames have joint_positions
and mask_path, too; camera poses are in the base frame of RESULT. Or it is a bag of ros2 bag record
with sensor_msgs/Image or CompressedImage, CameraInfo, TF and joint states; images in which the
robot moves fast are left out. Every tenth image is held out and
predicted. RESULT is replaced whole or not at all; 'autourdf rollback' brings the version before
back.
exit codes: 0 written, 1 written but doubtful, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "images", type=Path, metavar="IMAGES", help="folder with transforms.json, or a bag"
    )
    parser.add_argument(
        "--model", type=Path, required=True, metavar="RESULT", help="result folder of the robot"
    )
    parser.add_argument(
        "--topics",
        nargs="+",
        metavar="TOPIC",
        help="of a bag: Image or CompressedImage (default: all but those named depth)",
    )
    parser.add_argument(
        "--base-frame",
        metavar="FRAME",
        help="of a bag: TF frame of RESULT's base (default: base_link)",
    )
    parser.add_argument(
        "--splats", type=whole_number, metavar="N", help="about how many (default: 20000)"
    )
    parser.add_argument(
        "--steps",
        type=whole_number,
        nargs=2,
        metavar=("COARSE", "FINE"),
        help="at half and at full size of the images (default: 600 900)",
    )
    parser.add_argument(
        "--exposure",
        action="store_true",
        help="every image has its own exposure, which is found along with the splats",
    )
    parser.add_argument(
        "--correct-axes",
        action="store_true",
        help="move the axes of RESULT's joints to where images and model together have them, if "
        "that predicts held-out images better",
    )
    parser.add_argument(
        "--model-masks",
        action="store_true",
        help="images without a mask get that of RESULT's meshes, less what depth images show "
        "elsewhere",
    )


def run(args: argparse.Namespace) -> int:
    """Fit; return 1 where the verdict is doubtful."""
    from dataclasses import replace

    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
    from autourdf_ros.model.document.self_model_reading import read_self_model
    from autourdf_ros.model.result_files import result_document
    from autourdf_ros.progress import part
    from autourdf_ros.workflows.appearance.splat_result import splat_result

    result_document(args.model)
    options = AppearanceOptions()
    if args.splats is not None:
        options = replace(options, splats=args.splats)
    if args.steps is not None:
        coarse, fine = args.steps
        options = replace(options, fit=replace(options.fit, coarse_steps=coarse, fine_steps=fine))
    if args.exposure:
        options = replace(options, fit=replace(options.fit, exposure=True))
    if args.correct_axes:
        options = replace(options, axes=replace(options.axes, correct=True))
    let_terminate_clean_up()
    with progress_bar() as progress:
        images, left_out = _images(args, part(progress, 0.0, 0.05))
        found = splat_result(
            args.model, images, options, part(progress, 0.05, 1.0), args.model_masks
        )
    print(_summary(found, read_self_model(args.model).tree.joint_names))
    for reason, count in left_out.items():
        print(f"warning: {count} image(s) left out: {reason}", file=sys.stderr)
    print(f"see it: autourdf render {args.model} -o image.png")
    return 0 if found.verdict.trust == "trusted" else 1


def _images(args: argparse.Namespace, progress: Progress) -> tuple[RobotImages, Mapping[str, int]]:
    """Return the images, and the number of those of a bag that are left out, by reason."""
    from autourdf_ros.data.bags.plain_bag import is_bag
    from autourdf_ros.data.images.image_bag import ImageBagOptions, read_image_bag
    from autourdf_ros.data.images.image_folder import read_image_folder
    from autourdf_ros.model.document.self_model_reading import read_self_model
    from autourdf_ros.workflows.appearance.image_poses import joint_names

    if not is_bag(args.images):
        if args.topics or args.base_frame:
            raise InputError(
                f"--topics and --base-frame are of bags; {args.images} is none: accepted is a bag"
            )
        return read_image_folder(args.images, progress), {}
    options = ImageBagOptions(
        images=tuple(args.topics or ()), base_frame=args.base_frame or ImageBagOptions.base_frame
    )
    found = read_image_bag(args.images, joint_names(read_self_model(args.model)), options, progress)
    return found.images, found.left_out


def _summary(found: FittedAppearance, joints: tuple[str, ...]) -> str:
    """What was found, in lines."""
    import numpy as np

    from autourdf_ros.estimation.appearance.held_out_images import psnr
    from autourdf_ros.workflows.appearance.corrected_axes import correction_text

    lines = [f"{len(found.links)} splats; {len(found.held_out)} images held out and predicted:"]
    lines.append(
        f"  whole image {np.nanmean(psnr(found.errors.whole)):.1f} dB, robot "
        f"{np.nanmean(psnr(found.errors.robot)):.1f} dB, masks overlap by "
        f"{np.nanmean(found.errors.overlap):.1%}"
    )
    for name, ratio in zip(found.names, psnr(found.errors.links), strict=True):
        lines.append(f"  {name}: {'not seen' if np.isnan(ratio) else f'{ratio:.1f} dB'}")
    if found.axes is not None:
        lines.append("axes, as the images see them, from those of the model:")
        for number in np.flatnonzero(found.axes.moved):
            (turn, turn_error), (shift, shift_error) = (
                np.degrees(found.axes.turns[number]),
                1e3 * found.axes.shifts[number],
            )
            lines.append(
                f"  {joints[number]}: {turn:.2f} +- {turn_error:.2f} degrees, {shift:.1f} +- "
                f"{shift_error:.1f} mm"
            )
    if found.correction is not None:
        lines.append(correction_text(found.correction, joints))
    lines.append(f"verdict: {found.verdict.trust}")
    lines += [f"  ! {reason}" for reason in found.verdict.reasons]
    return "\n".join(lines)
