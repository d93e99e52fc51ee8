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
    from autourdf_ros.estimation.appearance.camera_check import CameraCheck
    from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance
    from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
    from autourdf_ros.estimation.appearance.unknown.estimate_self_model import FoundSelfModel
    from autourdf_ros.progress import Progress

HELP = "find a robot's colours in images, as Gaussian splats; without a model, all of the robot"

EPILOG = """IMAGES is a folder with nerfstudio's transforms.json whose frames have joint_positions
and mask_path, too; or a bag of ros2 bag record with sensor_msgs/Image or CompressedImage,
CameraInfo, TF and joint states, of which images in which the robot moves fast are left out. Every
tenth image is held out and predicted.
With --model, camera poses are in the base frame of RESULT, which is replaced whole or not at all;
'autourdf rollback' brings the version before back.
Without it, tree, joints and shapes are found in the images, too, and written to OUT: that takes
images of the robot at rest from all sides, of every motor while all others are at rest, and of all
motors in other configurations.
exit codes: 0 written, 1 written but doubtful, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "images", type=Path, metavar="IMAGES", help="folder with transforms.json, or a bag"
    )
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--model", type=Path, metavar="RESULT", help="result folder of the robot")
    target.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="OUT",
        help="result folder to write, with a model that is found in the images alone",
    )
    parser.add_argument(
        "--name", help="of the robot, with --out (default: name of the folder IMAGES)"
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
        "--refine-cameras",
        action="store_true",
        help="find every camera's pose along with the splats, near to where it is said to be",
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
    return _with_model(args) if args.model is not None else _from_images_alone(args)


def _from_images_alone(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.data.bags.plain_bag import is_bag
    from autourdf_ros.data.images.image_folder import read_image_folder
    from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
    from autourdf_ros.progress import part
    from autourdf_ros.workflows.appearance.images_alone import images_to_folder

    needing = {
        "--model-masks": args.model_masks,
        "--correct-axes": args.correct_axes,
        "--refine-cameras": args.refine_cameras,
    }
    for name, given in needing.items():
        if given:
            raise InputError(f"{name} is of a model; accepted is it with --model alone")
    if is_bag(args.images):
        raise InputError(
            f"{args.images} is a bag; accepted is one with --model, and a folder with "
            "transforms.json without"
        )
    options = SelfModelOptions()
    final = options.final
    if args.splats is not None:
        final = replace(final, splats=args.splats)
    final = replace(final, fit=_descent(args, final.fit))
    options = replace(options, final=final)
    let_terminate_clean_up()
    with progress_bar() as progress:
        images = read_image_folder(args.images, part(progress, 0.0, 0.05))
        name = args.name or args.images.resolve().name
        found = images_to_folder(images, args.out, name, options, part(progress, 0.05, 1.0))
    print(_found(found))
    print(_summary(found.appearance, found.robot.state.tree.joint_names))
    print(f"see it: autourdf render {args.out} -o image.png")
    return 0 if found.appearance.verdict.trust == "trusted" else 1


def _descent(args: argparse.Namespace, fit: SplatFitOptions) -> SplatFitOptions:
    """Return the descent with what the user chose."""
    from dataclasses import replace

    from autourdf_ros.estimation.appearance.fitting.fit_options import REFINED_CAMERAS

    if args.steps is not None:
        coarse, fine = args.steps
        fit = replace(fit, coarse_steps=coarse, fine_steps=fine)
    if args.refine_cameras:
        fit = replace(fit, cameras=REFINED_CAMERAS)
    return replace(fit, exposure=True) if args.exposure else fit


def _found(found: FoundSelfModel) -> str:
    """Return the tree that was found, a line for every joint."""
    tree = found.robot.state.tree
    lines = [f"{len(tree.joints)} joints of {len(found.motors.motors)} motors:"]
    for number, joint in enumerate(tree.joints):
        lines.append(
            f"  {joint.name}: {joint.type}, on {joint.parent}; moves what it should with "
            f"probability {found.support.exists[number]:.3f}, hangs there with "
            f"{found.support.parents[number]:.3f}"
        )
    return "\n".join(lines)


def _with_model(args: argparse.Namespace) -> int:
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
    options = replace(options, fit=_descent(args, options.fit))
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
    if found.wrong_masks is not None and found.wrong_masks.mean() > 0.001:
        lines.append(
            f"  masks contradict the model's surface in {found.wrong_masks.mean():.1%} of the "
            "robot's pixels, which are left out"
        )
    for name, ratio in zip(found.names, psnr(found.errors.links), strict=True):
        lines.append(f"  {name}: {'not seen' if np.isnan(ratio) else f'{ratio:.1f} dB'}")
    if found.cameras is not None:
        lines.append(_cameras(found.cameras))
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


def _cameras(cameras: CameraCheck) -> str:
    """Return how far cameras are off, and what that does to held-out images."""
    import numpy as np

    from autourdf_ros.estimation.appearance.held_out_images import psnr

    off = f"cameras are off by {cameras.typical:.1f} pixels (median)"
    if cameras.stated is None:
        return f"  {off}, as held-out images show; they are used as they are"
    return (
        f"  {off}, which is corrected; held-out images above have cameras of other pixels than are "
        f"predicted, as they are stated they give the robot "
        f"{np.nanmean(psnr(cameras.stated.robot)):.1f} dB"
    )
