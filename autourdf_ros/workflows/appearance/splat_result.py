"""From a result folder and images to the same folder with splats on its links."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.axis_correction import AxisCorrection
from autourdf_ros.estimation.appearance.camera_check import CameraCheck
from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance, estimate_splats
from autourdf_ros.estimation.appearance.held_out_images import psnr
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.splats.harmonics import TERMS
from autourdf_ros.estimation.appearance.splats.splat_file import read_splats, write_splats
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, joined, moved
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.export.enrichment import LayerAccount, enrich
from autourdf_ros.geometry.arrays import Labels
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.layers.appearance import AppearanceLayer, LinkSplats
from autourdf_ros.model.layers.layer import LayerName
from autourdf_ros.model.result_files import DOCUMENT, SPLATS, result_document
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.appearance.image_figure import draw_images
from autourdf_ros.workflows.appearance.corrected_axes import axis_priors, corrected_axes
from autourdf_ros.workflows.appearance.image_poses import (
    image_joints,
    posed_images,
    without_lost_motors,
)
from autourdf_ros.workflows.appearance.link_surfaces import link_surfaces
from autourdf_ros.workflows.appearance.model_masks import with_model_masks

SECTION = "images"
"""Key of the document with the light and the account of the fit, and name of its figure."""
METHOD = "appearance/splats"
_USED: tuple[LayerName, ...] = ("kinematics", "shape")


def splat_result(
    out: Path,
    images: RobotImages,
    options: AppearanceOptions = AppearanceOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
    model_masks: bool = False,
) -> FittedAppearance:
    """Find splats on the links of a result folder, and write them as a new version.

    Where axes are corrected, the new version has them, too: URDF, what follows, and account.

    Args:
        out: Result folder.
        images: Of its robot, in its base frame.
        options: All constants.
        progress: Is called with stage and fraction, and may raise to cancel.
        model_masks: Whether images without a mask get that of the result's meshes.

    Raises:
        InputError: The folder is none or is being written, or the images are not of this robot or
            cannot be used. Nothing is written then.
    """
    model = read_self_model(out)
    given, images = images, without_lost_motors(result_document(out), images)
    if model_masks:
        progress("drawing masks", 0.0)
        images = with_model_masks(out, model, images)
    posed = posed_images(model, images)
    digest = images_digest(given)
    surfaces = link_surfaces(out, model.tree.links, options.splats)
    joints = image_joints(model, images)
    priors = axis_priors(model, joints)
    found = estimate_splats(posed, surfaces, options, part(progress, 0.0, 0.8), joints, priors)
    before = None
    if found.correction is not None and found.correction.accepted:
        before = corrected_axes(model, joints, found.correction, digest)
        after = link_frames(joints.corrected(found.correction.corrections))
        shifts = np.linalg.inv(after) @ link_frames(model.tree)
        found = replace(found, splats=moved(found.splats, found.links, shifts))
    with tempfile.TemporaryDirectory() as scratch:
        files, links = write_link_splats(found, Path(scratch))
        layer = AppearanceLayer(
            links=links,
            provenance=provenance(METHOD, digest),
            verdict=found.verdict,
            rests_on={name: model.digests[name] for name in _USED if name in model.digests},
        )
        account = layer_account(found, images, model.tree.joint_names)
        enrich(out, layer, part(progress, 0.8, 1.0), files=files, account=account, before=before)
    return found


def read_result_splats(folder: Path) -> tuple[Splats, Labels]:
    """Return the splats of a result folder and the number of each one's link.

    Raises:
        InputError: The folder has no splats, or they are damaged.
    """
    model = read_self_model(folder)
    if model.appearance is None or not model.appearance.links:
        raise InputError(
            f"{folder}: has no splats; accepted is a folder that 'autourdf splat' added them to"
        )
    light = _light(folder)
    groups, numbers = [], []
    for name, own in model.appearance.links.items():
        path = folder / own.file
        if not path.is_file():
            raise InputError(f"{path}: is missing; accepted is a whole result folder")
        splats = read_splats(path, light)
        groups.append(splats)
        numbers.append(np.full(len(splats.means), model.tree.links.index(name)))
    return joined(groups), np.concatenate(numbers).astype(np.int64)


def _light(folder: Path) -> Floats:
    section = result_document(folder).get(SECTION)
    light = np.array(section.get("light") if isinstance(section, dict) else None, dtype=object)
    if light.shape != (TERMS, 3):
        raise InputError(
            f"{folder / DOCUMENT}: {SECTION}: light has the shape {light.shape}; accepted are "
            f"{TERMS} rows of 3 numbers"
        )
    return np.asarray(light, np.float32)


def write_link_splats(
    found: FittedAppearance, folder: Path
) -> tuple[dict[str, Path], dict[str, LinkSplats]]:
    """Write a file of splats for every link; return them by the names a result has, and by link."""
    files, links = {}, {}
    for number, name in enumerate(found.names):
        chosen = found.links == number
        if not chosen.any():
            continue
        path = folder / f"{name}.ply"
        write_splats(found.splats, chosen, path)
        files[f"{SPLATS}/{name}.ply"] = path
        std = float(found.link_stds[number])
        links[name] = LinkSplats(
            f"{SPLATS}/{name}.ply",
            hashlib.sha256(path.read_bytes()).hexdigest(),
            std if np.isfinite(std) else None,
        )
    return files, links


def layer_account(
    found: FittedAppearance, images: RobotImages, joints: tuple[str, ...]
) -> LayerAccount:
    """Return what document and report say of the fit."""
    return LayerAccount(
        sections={SECTION: _section(found, images, joints)},
        figures={SECTION: lambda path: draw_images(found.examples, path)},
    )


def _section(
    found: FittedAppearance, images: RobotImages, joints: tuple[str, ...]
) -> dict[str, Any]:
    """Return the account of the fit for the document; None where nothing was seen."""
    errors = found.errors
    return {
        "source": None if images.source is None else str(images.source),
        "images": len(images.images),
        "camera_notes": list(images.notes),
        "held_out": list(found.held_out),
        "splats": len(found.links),
        "light": found.splats.light,
        "psnr": float(np.nanmean(psnr(errors.whole))),
        "robot_psnr": float(np.nanmean(psnr(errors.robot))),
        "color_psnr": None if errors.colors is None else float(np.nanmean(psnr(errors.colors))),
        "wrong_masks": None if found.wrong_masks is None else float(np.mean(found.wrong_masks)),
        "mask_overlap": float(np.nanmean(errors.overlap)),
        "least_robot_psnr": float(np.nanmin(psnr(errors.robot))),
        "least_mask_overlap": float(np.nanmin(errors.overlap)),
        "link_psnr": {
            name: float(ratio) if np.isfinite(ratio) else None
            for name, ratio in zip(found.names, psnr(errors.links), strict=True)
        },
        "cameras": None if found.cameras is None else _cameras(found.cameras),
        "axes": {} if found.axes is None else _axes(found.axes, joints),
        "correction": None if found.correction is None else _correction(found.correction, joints),
    }


def _cameras(cameras: CameraCheck) -> dict[str, Any]:
    """Return how far cameras are off (pixels), and held-out PSNR with cameras as stated."""
    stated = cameras.stated
    return {
        "refined": cameras.refined,
        "off": cameras.typical,
        "most_off": float(np.max(cameras.pixels)),
        "stated_robot_psnr": None if stated is None else float(np.nanmean(psnr(stated.robot))),
    }


def _axes(axes: AxisCheck, joints: tuple[str, ...]) -> dict[str, Any]:
    """Return by joint how far its axis is off, and the standard errors (rad, m)."""
    turns, shifts = axes.turns, axes.shifts
    return {
        name: {
            "turn": turns[number, 0],
            "turn_error": turns[number, 1],
            "shift": shifts[number, 0],
            "shift_error": shifts[number, 1],
        }
        for number, name in enumerate(joints)
        if axes.moved[number]
    }


def _correction(correction: AxisCorrection, joints: tuple[str, ...]) -> dict[str, Any]:
    """Return by joint how far its axis was moved (rad, m), whether it was, and the gain."""
    mean, error = correction.gain
    return {
        "accepted": correction.accepted,
        "gain": mean,
        "gain_error": error if np.isfinite(error) else None,
        "joints": {
            name: {
                "turn": float(np.linalg.norm(correction.corrections.turns[number])),
                "shift": float(np.linalg.norm(correction.corrections.shifts[number])),
            }
            for number, name in enumerate(joints)
            if correction.moved[number]
        },
    }


def images_digest(images: RobotImages) -> str:
    """Return the SHA-256 of images, cameras and joint positions."""
    total = hashlib.sha256(images.readings().tobytes())
    for image in images.images:
        total.update(image.camera.pose.tobytes())
        total.update(image.color.tobytes())
    return total.hexdigest()
