"""A result's splats and held-out images, as the viewer shows them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.drawn_examples import around_robot
from autourdf_ros.estimation.appearance.held_out_images import COVERED, psnr
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.model.result_files import result_document
from autourdf_ros.viewer.appearance.link_splats import ShownSplats
from autourdf_ros.viewer.appearance.seen_images import SeenImage
from autourdf_ros.viewer.appearance.shown_appearance import ShownAppearance
from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot
from autourdf_ros.workflows.appearance.image_poses import (
    configured_poses,
    configured_values,
    masked_image,
    without_lost_motors,
)
from autourdf_ros.workflows.appearance.splat_result import (
    SECTION,
    images_digest,
    read_result_splats,
)

_MOST = 12  # images on the page


def viewed_appearance(folder: Path, given: Path | None) -> tuple[ShownAppearance, str | None]:
    """Return what the viewer shows of a result's appearance, and a sentence on its fault.

    Args:
        folder: Result folder; without splats, nothing is shown.
        given: Folder of the images; None for the one that the document names.

    Raises:
        InputError: The splats are damaged, or the `given` images cannot be read, are none of this
            robot, or the result has no splats.
    """
    document = result_document(folder)
    section = document.get(SECTION)
    if not isinstance(section, dict) or not document["layers"].get("appearance"):
        if given is not None:
            raise InputError(
                f"--images: {given} is given, but {folder} has no splats; accepted are images of a "
                "result to which 'autourdf splat' has added them"
            )
        return ShownAppearance(), None
    splats = shown_splats(folder)
    source = given or section["source"]
    if source is None:
        return ShownAppearance(splats), "The splats come from images in memory: none is shown here."
    try:
        images = read_image_folder(Path(source))
        known = without_lost_motors(document, images)
        shown = _seen_images(folder, known, section["held_out"])
    except (InputError, OSError) as error:
        if given is not None:
            raise
        problem = f"The recorded images are not shown: {error}. --images says where they are."
        return ShownAppearance(splats), problem
    return ShownAppearance(splats, shown), _fault(images, document)


def shown_splats(folder: Path) -> dict[str, ShownSplats]:
    """Return the splats of a result folder by link, lit as at the reference configuration.

    Raises:
        InputError: The folder has no splats, or they are damaged.
    """
    robot = DrawnRobot(folder)
    splats, links = read_result_splats(folder)
    model = robot.model
    poses = configured_poses(model, model.reference_configuration, str(folder))
    lit = posed(splats, links, poses)
    unmoved = posed(splats, links, np.tile(np.eye(4), (len(poses), 1, 1)))
    covariances = unmoved.covariances[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    found = {}
    for number in np.unique(links):
        own = links == number
        found[model.tree.links[number]] = ShownSplats(
            splats.means[own], covariances[own], lit.colors[own].clip(0, 1), splats.opacities[own]
        )
    return found


def _seen_images(folder: Path, images: RobotImages, held_out: list[int]) -> tuple[SeenImage, ...]:
    """Return some of the held-out images, evenly chosen, and what is drawn in their places."""
    numbers = [number for number in held_out if number < len(images.images)]
    places = np.linspace(0, len(numbers) - 1, min(_MOST, len(numbers))).round().astype(int)
    robot = DrawnRobot(folder)
    return tuple(_seen_image(robot, numbers[place], images) for place in places)


def _seen_image(robot: DrawnRobot, number: int, images: RobotImages) -> SeenImage:
    image = images.images[number]
    values = configured_values(robot.model, image.joint_positions, str(images.source))
    found = robot.draw(image.joint_positions, image.camera)
    assert found.color is not None  # splats have colours
    part = around_robot(found.mask if image.mask is None else image.mask / np.iinfo(np.uint8).max)
    return SeenImage(
        number,
        image.camera,
        dict(zip(robot.model.tree.joint_names, values.tolist(), strict=True)),
        image.color[part],
        found.color[part],
        None if image.mask is None else _ratio(image, found.color),
    )


def _ratio(image: RobotImage, drawn: NDArray[np.uint8]) -> float | None:
    """Return the PSNR of the robot's pixels (dB); None where none shows it."""
    recorded = masked_image(image, np.eye(4)[None])
    inside = recorded.mask > COVERED
    if not inside.any():
        return None
    errors = (recorded.color - drawn.astype(np.float32) / np.float32(255)) ** 2
    return float(psnr(float(errors[inside].mean())))


def _fault(images: RobotImages, document: Mapping[str, Any]) -> str | None:
    stated = document["layers"]["appearance"].get("data_digest")
    if not stated or stated == images_digest(images):
        return None
    return (
        f"{images.source} is not, or no longer, what the splats were fitted to: its SHA-256 "
        "differs."
    )
