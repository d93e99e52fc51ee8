"""Fit the baseline of neural bones to images of a robot, and measure it.

    python studies/bones_study.py fit IMAGES --save bones.pt --device cuda --steps 60000 --batch 8
    python studies/bones_study.py measure TESTED bones.pt

IMAGES and TESTED are folders of `autourdf simulate ROBOT --images`, the first also with `--rest`.
Fitting needs PyTorch, NumPy, SciPy, Pillow and no other package of the project's.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.estimation.appearance.bones.bone_images import (
    BoneImages,
    PositionRange,
    bone_images,
    posed_images,
)
from autourdf_ros.estimation.appearance.bones.bone_options import BoneOptions, StaticOptions
from autourdf_ros.estimation.appearance.bones.bone_skinning import Bones
from autourdf_ros.estimation.appearance.bones.colored_splats import ColoredSplats
from autourdf_ros.estimation.appearance.bones.fit_bones import (
    RESTING,
    BoneRobot,
    fit_bones,
)
from autourdf_ros.estimation.appearance.bones.rest_splats import fit_at_rest
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage

_EVERY = 20.0  # s between two lines of progress


def main() -> None:
    """Fit, or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    fit = actions.add_parser("fit")
    fit.add_argument("images", type=Path)
    fit.add_argument("--save", type=Path, required=True)
    fit.add_argument("--device", default="cpu")
    fit.add_argument("--steps", type=int, default=BoneOptions.steps)
    fit.add_argument("--seconds", type=float, help="of all, at most")
    fit.add_argument("--rest-steps", type=int, default=StaticOptions.steps)
    fit.add_argument("--points", type=int, default=StaticOptions.points, help="random, at first")
    fit.add_argument("--batch", type=int, default=1, help="images in a step")
    fit.add_argument("--rate", type=float, default=BoneOptions.rate)
    fit.add_argument("--halvings", type=int, default=0, help="of the images' size")
    fit.add_argument("--bones", type=int)
    fit.add_argument("--seed", type=int, default=0)
    measure = actions.add_parser("measure")
    measure.add_argument("images", type=Path)
    measure.add_argument("robot", type=Path)
    measure.add_argument("--picture", type=Path)
    args = parser.parse_args()
    if args.action == "fit":
        _fit(args)
    else:
        _measure(args)


def _fit(args: argparse.Namespace) -> None:
    device = torch.device(args.device)
    images, positions = posed_images(read_image_folder(args.images))
    for _ in range(args.halvings):
        images = [image.halved() for image in images]
    spans = PositionRange.about_rest(positions)
    data = bone_images(images, positions, spans, device)
    static = StaticOptions(args.rest_steps, min(args.batch, 2), args.points)
    options = BoneOptions(
        static, args.bones, steps=args.steps, images=args.batch, rate=args.rate, seed=args.seed
    )
    begin, last = time.perf_counter(), -_EVERY
    steps = Counter[str]()

    def progress(stage: str, fraction: float) -> None:
        nonlocal last
        steps[stage] += 1
        seconds = time.perf_counter() - begin
        if seconds - last > _EVERY:
            last = seconds
            print(f"{args.save.stem}: {stage} {fraction:.1%} after {seconds:.0f} s", flush=True)

    still = data.chosen(torch.nonzero(data.reaches <= RESTING).squeeze(-1))
    splats = fit_at_rest(still, options.weights.mask, static, args.seed, progress)
    if args.seconds is not None:
        options = replace(options, seconds=args.seconds - (time.perf_counter() - begin))
    robot = fit_bones(data, options, progress, splats)
    seconds = time.perf_counter() - begin
    saved = {
        "splats": {name: value.detach().cpu() for name, value in vars(robot.splats).items()},
        "bones": {name: value.cpu() for name, value in robot.bones.state_dict().items()},
        "greatest": robot.bones.greatest,
        "rest": torch.as_tensor(spans.rest),
        "width": torch.as_tensor(spans.width),
        "degree": robot.degree,
        "seconds": seconds,
        "steps": dict(steps),
        "batch": args.batch,
        "images": len(images),
    }
    torch.save(saved, args.save)
    print(f"{args.save.stem}: {len(robot.splats.means)} splats in {seconds:.0f} s", flush=True)


def load(file: Path) -> tuple[BoneRobot, PositionRange, dict[str, Any]]:
    """Return a saved robot, the scaling of its joints, and all else that was saved."""
    saved = torch.load(file, weights_only=True)
    centers = saved["bones"]["centers"]
    bones = Bones(centers, len(saved["rest"]), saved["greatest"])
    bones.load_state_dict(saved["bones"])
    rest = torch.zeros(len(saved["rest"]))
    robot = BoneRobot(ColoredSplats(**saved["splats"]), bones, rest, saved["degree"])
    return robot, PositionRange(saved["rest"].numpy(), saved["width"].numpy()), saved


@torch.no_grad()
def _measure(args: argparse.Namespace) -> None:
    from autourdf_ros.benchmark.appearance.bones.bone_errors import image_errors

    robot, spans, saved = load(args.robot)
    images, positions = posed_images(read_image_folder(args.images))
    data = bone_images(images, positions, spans, torch.device("cpu"))
    drawn = [
        robot.drawn(data.positions[one : one + 1], data.batch(torch.tensor([one]))[0])[0].numpy()
        for one in range(len(images))
    ]
    row = {
        **{name: saved[name] for name in ("images", "steps", "batch", "seconds")},
        "splats": len(robot.splats.means),
        **image_errors(images, drawn),
        "chamfer": _shape_distance(robot, data, args.images),
    }
    print(json.dumps(row, indent=1))
    if args.picture:
        _draw(args.picture, images, drawn)


def _shape_distance(robot: BoneRobot, data: BoneImages, folder: Path) -> float:
    from autourdf_ros.benchmark.appearance.bones.bone_errors import shape_distance
    from autourdf_ros.benchmark.appearance.measure_appearance import joint_values
    from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

    true = SimulatedRobot(folder / "robot.urdf")
    return shape_distance(robot, data, true, joint_values(true, read_image_folder(folder)))


def _draw(file: Path, images: list[PosedImage], drawn: list[NDArray[np.float32]]) -> None:
    from PIL import Image

    rows = [
        np.concatenate([image.color, pixels[..., :3]], 0)
        for image, pixels in list(zip(images, drawn, strict=True))[:6]
    ]
    picture = np.concatenate(rows, 1).clip(0, 1) * 255
    Image.fromarray(picture.astype(np.uint8)).save(file)


if __name__ == "__main__":
    main()
