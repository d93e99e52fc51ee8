"""From images without poses to a folder of images whose cameras are known, in metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.unposed.colmap_model import ColmapModel, read_colmap
from autourdf_ros.data.images.unposed.posed_folder import write_posed_folder
from autourdf_ros.data.images.unposed.unposed_images import UnposedImages, read_unposed_images
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.cameras.robot_alignment import find_robot
from autourdf_ros.estimation.appearance.cameras.similarity import Similarity, upright
from autourdf_ros.estimation.appearance.cameras.structure_from_motion import find_views
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.workflows.appearance.finding.robot_views import robot_views

OUTLINES = (
    "metres and base frame are met by the outlines of the model: errors of its shape are errors of "
    "theirs, whose size is not known; autourdf splat --refine-cameras finds what is left"
)


@dataclass(frozen=True)
class StatedLength:
    """A distance between two cameras that somebody measured: names of views, and metres."""

    first: str
    second: str
    metres: float


@dataclass(frozen=True)
class FindingOptions:
    """From which figures on cameras are refused or doubted.

    Attributes:
        least_share: Of views whose cameras are found; below it, all are refused.
        good_share: Of them; below it, cameras are doubtful.
        worst_error: Reprojection error (pixels) above which they are.
        least_overlap: Of the drawn robot's masks and those given, below which they are.
        runner_up: Overlap of the best other place of the robot, of the best one's, from which its
            place is.
        short: A stated length, as a share of the distance of the two cameras that are farthest
            apart, below which the unit is.
    """

    least_share: float = 0.5
    good_share: float = 0.9
    worst_error: float = 1.5
    least_overlap: float = 0.8
    runner_up: float = 0.95
    short: float = 0.2


@dataclass(frozen=True)
class FoundCameras:
    """Cameras of images.

    Attributes:
        cameras: By number of the image, in metres; in the base frame of the model if there is one.
        views: Number of places that images were taken from.
        left_out: Names of views whose cameras were not found.
        error: Reprojection error (pixels), NaN where COLMAP's folder has no points.
        scale: Metres of COLMAP's unit.
        overlap: Of the drawn robot's masks and those given; None without a model.
        notes: What the result does not say, for the user of these images.
        verdict: Whether the cameras can be trusted.
    """

    cameras: Mapping[int, PinholeCamera]
    views: int
    left_out: tuple[str, ...]
    error: float
    scale: float
    overlap: float | None
    notes: tuple[str, ...]
    verdict: Verdict


def find_cameras_to_folder(
    folder: Path,
    out: Path,
    scale: StatedLength | Path,
    colmap: Path | None = None,
    progress: Progress = silent,
) -> FoundCameras:
    """Find the cameras of a folder's images, and write the images with them.

    Args:
        folder: Images, with `transforms.json`.
        out: Where; an earlier folder there is replaced.
        scale: A stated length, or the result folder of the robot that the images show.
        colmap: Folder of cameras that COLMAP has found; None: they are found.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: The images cannot be used, too few cameras are found, or neither robot nor
            length is in the scene. Nothing is written then.
    """
    images = read_unposed_images(folder, part(progress, 0.0, 0.05))
    if colmap is None:
        model = find_views(images, progress=part(progress, 0.05, 0.8))
    else:
        model = named_views(images, read_colmap(colmap), colmap)
    found = scaled_cameras(images, model, scale, progress=part(progress, 0.8, 0.95))
    progress("writing", 0.95)
    write_posed_folder(images.file, found.cameras, _about(found, colmap), found.notes, out)
    return found


def scaled_cameras(
    images: UnposedImages,
    model: ColmapModel,
    scale: StatedLength | Path,
    options: FindingOptions = FindingOptions(),
    progress: Progress = silent,
) -> FoundCameras:
    """Return the cameras of images in metres.

    Args:
        images: Whose cameras are sought.
        model: Cameras by name of the view, in a unit of their own.
        scale: As for `find_cameras_to_folder`.
        options: When to doubt.
        progress: Is called with stage and fraction.

    Raises:
        InputError: Too few cameras are found, or neither robot nor length is in the scene.
    """
    views = images.views
    left_out = tuple(view for view in views if view not in model.cameras)
    share = 1 - len(left_out) / len(views)
    if share < options.least_share or len(views) - len(left_out) < 2:
        raise InputError(
            f"{images.file.path}: cameras of {len(views) - len(left_out)} of {len(views)} views "
            f"were found; accepted are {options.least_share:.0%} or more, at least 2; missing: "
            f"{', '.join(left_out[:8])}{' ...' if len(left_out) > 8 else ''}"
        )
    found = {
        number: model.cameras[view]
        for view, numbers in views.items()
        if view in model.cameras
        for number in numbers
    }
    doubts = []
    if share < options.good_share:
        doubts.append(f"cameras of {len(left_out)} of {len(views)} views were not found")
    if model.error > options.worst_error:
        doubts.append(f"points of the scene are off by {model.error:.2f} pixels in the images")
    notes, overlap = [], None
    if isinstance(scale, Path):
        placed = find_robot(robot_views(scale, images, found), progress=progress)
        similarity, overlap = placed.similarity, placed.overlap
        notes.append(OUTLINES)
        if overlap < options.least_overlap:
            doubts.append(
                f"the robot as drawn overlaps with the masks by {overlap:.0%}: model, masks or "
                "joint positions are not those of the images"
            )
        if placed.runner_up > options.runner_up * overlap:
            doubts.append(
                "the robot stands nearly as well with its base turned otherwise: overlap "
                f"{placed.runner_up:.0%}, of {overlap:.0%}"
            )
    else:
        similarity, remarks, reasons = _by_length(images, model, scale, options)
        notes += remarks
        doubts += reasons
    return FoundCameras(
        {number: similarity.camera(camera) for number, camera in found.items()},
        len(views),
        left_out,
        model.error,
        similarity.scale,
        overlap,
        tuple(notes),
        Verdict("doubtful" if doubts else "trusted", tuple(doubts)),
    )


def _by_length(
    images: UnposedImages, model: ColmapModel, stated: StatedLength, options: FindingOptions
) -> tuple[Similarity, list[str], list[str]]:
    """Return unit and frame by a stated length, and what is to be noted and doubted."""
    centres = []
    for name in (stated.first, stated.second):
        view = next((one.view for one in images.images if name in (one.camera, one.name)), None)
        if view not in model.cameras:
            raise InputError(
                f"{images.file.path}: the stated length names {name!r}, "
                f"{'which is none of its images' if view is None else 'whose camera is not found'};"
                f" accepted are {', '.join([*model.cameras][:6])}"
                f"{' ...' if len(model.cameras) > 6 else ''}"
            )
        centres.append(model.cameras[view].pose[:3, 3])
    apart = float(np.linalg.norm(centres[0] - centres[1]))
    every = np.array([camera.pose[:3, 3] for camera in model.cameras.values()])
    widest = float(np.linalg.norm(every[:, None] - every[None], axis=-1).max())
    if apart < 1e-6 * max(widest, 1e-300):
        raise InputError(
            f"the stated length is between {stated.first!r} and {stated.second!r}, which stand in "
            "the same place; accepted are two cameras apart"
        )
    similarity, agree = upright([*model.cameras.values()], stated.metres / apart)
    up = "what is up in the images, on average" if agree else "unknown: the images do not agree"
    notes = [f"cameras are in a frame of their own, not in the robot's base; up is {up}"]
    doubts = []
    if apart < options.short * widest:
        doubts.append(
            f"the stated length is {apart / widest:.0%} of the distance of the cameras that are "
            "farthest apart: errors of it grow with the robot"
        )
    return similarity, notes, doubts


def named_views(images: UnposedImages, model: ColmapModel, folder: Path) -> ColmapModel:
    """Return what COLMAP found with its images' names as views.

    Args:
        images: Whose files COLMAP was given.
        model: Its images are named as in `transforms.json`, or by the last parts of these paths.
        folder: Of the model, for errors.

    Raises:
        InputError: A name is of two images, or a camera has another size than its image.
    """
    cameras: dict[str, PinholeCamera] = {}
    for name, camera in model.cameras.items():
        known = [one for one in images.images if f"/{one.name}".endswith(f"/{name}")]
        if len(known) > 1:
            raise InputError(
                f"{folder}: image {name!r} may be {known[0].name!r} or {known[1].name!r}; accepted "
                f"are names as in {images.file.path}"
            )
        for one in known:
            height, width = one.color.shape[:2]
            if (camera.width, camera.height) != (width, height):
                raise InputError(
                    f"{folder}: the camera of {name!r} has {camera.width} x {camera.height} "
                    f"pixels; accepted is {width} x {height}, as its image"
                )
            cameras.setdefault(one.view, camera)
    return ColmapModel(cameras, model.points, model.error)


def _about(found: FoundCameras, colmap: Path | None) -> dict[str, Any]:
    """Return how cameras were found, for the folder."""
    return {
        "by": "pycolmap" if colmap is None else str(colmap),
        "views": found.views,
        "left_out": list(found.left_out),
        "reprojection_error": found.error if np.isfinite(found.error) else None,
        "metres_of_a_unit": found.scale,
        "mask_overlap": found.overlap,
        "verdict": found.verdict.trust,
        "reasons": list(found.verdict.reasons),
    }
