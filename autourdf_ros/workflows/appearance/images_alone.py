"""From images and motor positions alone to a result folder with a whole self-model."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.assessment.checks.gate import check_result
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.unknown.estimate_self_model import (
    FoundSelfModel,
    estimate_self_model,
)
from autourdf_ros.estimation.appearance.unknown.self_model_building import build_self_model
from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.export.checked_document import with_checks
from autourdf_ros.export.document import to_document
from autourdf_ros.export.enrichment import enrich
from autourdf_ros.export.formats.urdf import urdf_names
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.export.result_folder import write_account, write_robot
from autourdf_ros.export.versions import forget_versions
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.layers.appearance import AppearanceLayer
from autourdf_ros.model.result_files import check_output
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.appearance.image_account import image_account
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.link_solids import link_solids
from autourdf_ros.shape.volume_inertia import volume_inertia, weighed
from autourdf_ros.workflows.appearance.image_poses import masked_image
from autourdf_ros.workflows.appearance.splat_result import (
    METHOD,
    images_digest,
    layer_account,
    write_link_splats,
)


def images_to_folder(
    images: RobotImages,
    out: Path,
    name: str,
    options: SelfModelOptions = SelfModelOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> FoundSelfModel:
    """Find a robot's self-model in images, and write its result folder at `out`.

    Args:
        images: With masks and the positions of joints or motors.
        out: Where; an earlier result there is replaced.
        name: Of the robot.
        options: All constants.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: as `check_output` and `estimate_self_model`, or an image has no mask. Nothing
            is written then.
    """
    out = check_output(out)
    found = self_model_of(images, options, part(progress, 0.0, 0.8))
    model = build_self_model(found, images_digest(images))
    _write_robot(found, model, images, out, name, part(progress, 0.8, 0.95))
    _add_splats(found, images, out, part(progress, 0.95, 1.0))
    progress("written", 1.0)
    return found


def self_model_of(
    images: RobotImages, options: SelfModelOptions, progress: Progress = silent
) -> FoundSelfModel:
    """Find a robot's self-model in images.

    Raises:
        InputError: as `estimate_self_model`, or an image has no mask.
    """
    for number, image in enumerate(images.images):
        if image.mask is None:
            raise InputError(
                f"{images.source}: frame {number} has no mask; without a model, accepted are "
                "images with mask_path, white where the robot is"
            )
    masked = [masked_image(image, np.eye(4)[None]) for image in images.images]
    return estimate_self_model(masked, images.joints, images.readings(), options, progress)


def _write_robot(
    found: FoundSelfModel,
    model: SelfModel,
    images: RobotImages,
    out: Path,
    name: str,
    progress: Progress,
) -> None:
    written: UrdfOptions = DEFAULTS
    solids = link_solids(model, written.visual_triangles, part(progress, 0.0, 0.4))
    written = weighed(written, solids)
    model = model.with_layer(volume_inertia(model, solids, written.density))
    names = urdf_names(model, name)
    shown = tuple(None if one is None else one.mesh for one in solids)
    source = {
        "source": None if images.source is None else str(images.source),
        "sha256": images_digest(images),
        "sequences": 1,
        "frames": len(images.images),
    }
    account = image_account(found, model, shown, names.joints, source, images.notes)
    content = ResultContent(account, model, names, solids, written)
    with replacing(out) as folder:
        pairs = write_robot(content, folder, part(progress, 0.4, 0.7))
        document = to_document(content, pairs, folder)
        findings = check_result(folder, document, part(progress, 0.7, 0.8))
        document = with_checks(document, findings)
        write_account(content, document, folder, part(progress, 0.8, 1.0))
    forget_versions(out)


def _add_splats(found: FoundSelfModel, images: RobotImages, out: Path, progress: Progress) -> None:
    """Add the splats to the folder, whose links have the order of those that were found."""
    model = read_self_model(out)
    appearance = replace(found.appearance, names=model.tree.links)
    with tempfile.TemporaryDirectory() as scratch:
        files, links = write_link_splats(appearance, Path(scratch))
        layer = AppearanceLayer(
            links=links,
            provenance=provenance(METHOD, images_digest(images)),
            verdict=appearance.verdict,
            rests_on={key: model.digests[key] for key in ("kinematics", "shape")},
        )
        account = layer_account(appearance, images, model.tree.joint_names)
        enrich(out, layer, progress, files=files, account=account)
