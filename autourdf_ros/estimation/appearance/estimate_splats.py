"""From images of a robot whose joints and surface are known to splats on its links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheck, check_axes
from autourdf_ros.estimation.appearance.axis_correction import AxisCorrection, combined
from autourdf_ros.estimation.appearance.camera_check import (
    CameraCheck,
    check_cameras,
    with_cameras,
)
from autourdf_ros.estimation.appearance.drawn_examples import DrawnExample, drawn_examples
from autourdf_ros.estimation.appearance.fitting.fit_splats import FittedSplats, fit_splats
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import (
    HeldOutErrors,
    held_out_errors,
    psnr,
)
from autourdf_ros.estimation.appearance.joints.image_joints import ImageJoints
from autourdf_ros.estimation.appearance.light_check import light_changes, light_doubts
from autourdf_ros.estimation.appearance.mask_check import check_masks
from autourdf_ros.estimation.appearance.position_timing import timing_doubts
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_model import Splats
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.progress import Progress, part, silent


@dataclass(frozen=True)
class LinkSurfaces:
    """Points on the surfaces of L links, N in all, to begin with.

    Attributes:
        names: (L,) of the links, in the order of the images' poses.
        points: (N, 3) in the frames of their links, m.
        normals: (N, 3) unit vectors.
        colors: (N, 3) in [0, 1].
        links: (N,) number of each one's link.
    """

    names: tuple[str, ...]
    points: Array
    normals: Array
    colors: Array
    links: NDArray[np.int64]


@dataclass(frozen=True)
class FittedAppearance:
    """Splats, judged.

    Attributes:
        names: (L,) of the links.
        splats: N of them.
        links: (N,) number of each one's link.
        losses: (S,) of the descent's steps.
        held_out: Numbers of the images that were predicted.
        errors: Of these; where cameras were refined, with those of the held-out images refined on
            other pixels than are predicted.
        verdict: Whether the images fit the model.
        axes: Where the images see the joints' axes, or None where they were not checked.
        correction: Of them, where it was asked for; where it is accepted, the splats are those
            that go with it, in the frames of the links as they are at the reference.
        cameras: How far they are off, or None where they were not checked.
        examples: Some of the images held out, beside what is drawn in their places.
        wrong_masks: (F,) share of the robot's pixels in which each mask contradicts the model's
            surface, and which were left out where they are few; None where it was not checked.
    """

    names: tuple[str, ...]
    splats: Splats
    links: NDArray[np.int64]
    losses: Array
    held_out: tuple[int, ...]
    errors: HeldOutErrors
    verdict: Verdict
    axes: AxisCheck | None = None
    correction: AxisCorrection | None = None
    cameras: CameraCheck | None = None
    examples: tuple[DrawnExample, ...] = ()
    wrong_masks: Array | None = None

    @property
    def link_stds(self) -> Array:
        """(L,) root mean square error of a colour on held-out images; nan where none shows it."""
        return np.sqrt(self.errors.links)


def estimate_splats(
    images: Sequence[PosedImage],
    surfaces: LinkSurfaces,
    options: AppearanceOptions,
    progress: Progress = silent,
    joints: ImageJoints | None = None,
    priors: Array | None = None,
) -> FittedAppearance:
    """Fit splats to images, and predict those that are held out.

    Args:
        images: With the poses of all links.
        surfaces: To begin with.
        options: All constants.
        progress: Is called with stage and fraction.
        joints: Of the images, in their order; None: their axes are not checked.
        priors: (J, 4, 4) covariances of the axes, in the components of `joints`, NaN where none is
            known; None: of all.

    Raises:
        InputError: There are too few images, or none shows the robot.
    """
    if len(images) < options.fewest:
        raise InputError(f"{len(images)} images; accepted are {options.fewest} or more")
    if not any(image.mask.any() for image in images):
        raise InputError("the robot is in no mask; accepted are images that show it")
    begin = first_splats(surfaces.points, surfaces.normals, surfaces.colors)
    given = timing_doubts(begin, surfaces.links, images)
    checked = check_masks(begin, surfaces.links, images, options.masks)
    images = checked.images
    held_out = tuple(range(0, len(images), options.held_out))
    used = [image for number, image in enumerate(images) if number not in held_out]
    fitted, errors = _fitted_and_tested(
        begin, surfaces.links, images, held_out, options, part(progress, 0.0, 0.4)
    )
    tested = [images[number] for number in held_out]
    cameras = check_cameras(fitted, surfaces.links, used, tested, options.fit)
    given += cameras.doubts(options.camera, options.far_camera)
    given += light_doubts(
        light_changes(fitted.splats, surfaces.links, tested), options.fit.exposure
    )
    used = with_cameras(used, fitted.cameras)
    axes, correction, doubts = None, None, list[str]()
    if joints is not None and options.axes.share and joints.moved.any():
        of_used = ImageJoints(joints.tree, np.delete(joints.values, held_out, axis=0))
        correct = options.axes.correct
        own = replace(options.axes, share=1.0) if correct else options.axes
        both = (own, options.fit)
        start = begin if correct else fitted.splats
        share = part(progress, 0.4, 0.6)
        axes = check_axes(start, surfaces.links, used, of_used, both, share)
        if correct:
            first, share = axes, part(progress, 0.6, 0.8)
            axes = check_axes(begin, surfaces.links, used, of_used, both, share, first.corrections)
            if priors is None:
                priors = np.full((len(joints.tree.joints), 4, 4), np.nan)
            means, covariances = combined(axes, first, own.groups, priors)
            moved = [
                replace(image, poses=joints.poses(number, means))
                for number, image in enumerate(images)
            ]
            again, better = _fitted_and_tested(
                begin, surfaces.links, moved, held_out, options, part(progress, 0.8, 0.95)
            )
            correction = AxisCorrection(means, covariances, axes.moved, errors.robot - better.robot)
            if correction.accepted:
                fitted, errors, images = again, better, moved
        if correction is None or not correction.accepted:
            doubts = _axis_doubts(axes, joints, options)
    shown = {number: images[number] for number in held_out}
    examples = drawn_examples(fitted.splats, surfaces.links, shown, errors, options.fit.exposure)
    return FittedAppearance(
        surfaces.names,
        fitted.splats,
        surfaces.links,
        fitted.losses,
        held_out,
        errors,
        _judged(errors, surfaces.names, options, [*given, *doubts]),
        axes,
        correction,
        cameras,
        examples,
        checked.shares,
    )


def _fitted_and_tested(
    begin: Splats,
    links: NDArray[np.int64],
    images: Sequence[PosedImage],
    held_out: Sequence[int],
    options: AppearanceOptions,
    progress: Progress,
) -> tuple[FittedSplats, HeldOutErrors]:
    """Return splats fitted to the images but those held out, and the errors of these."""
    used = [image for number, image in enumerate(images) if number not in held_out]
    tested = [images[number] for number in held_out]
    fitted = fit_splats(begin, links, used, options.fit, progress)
    cameras = options.fit.cameras if options.fit.cameras.rounds else None
    errors = held_out_errors(fitted.splats, links, tested, options.fit.exposure, cameras)
    return fitted, errors


def _axis_doubts(axes: AxisCheck, joints: ImageJoints, options: AppearanceOptions) -> list[str]:
    doubts = []
    for number in np.flatnonzero(axes.doubtful(options.axes)):
        turn, turn_error = np.degrees(axes.turns[number])
        shift, shift_error = 1e3 * axes.shifts[number]
        doubts.append(
            f"images see the axis of {joints.tree.joint_names[number]} {turn:.2f} +- "
            f"{turn_error:.2f} degrees and {shift:.1f} +- {shift_error:.1f} mm from the model's"
        )
    return doubts


def _judged(
    errors: HeldOutErrors,
    names: tuple[str, ...],
    options: AppearanceOptions,
    doubts: Sequence[str],
) -> Verdict:
    reasons = []
    overlap = float(np.nanmedian(errors.overlap))
    if overlap < options.overlap:
        reasons.append(
            f"drawn and recorded masks overlap by {overlap:.0%} on held-out images, less than "
            f"{options.overlap:.0%}: cameras, joint positions or masks are not those of this model"
        )
    reasons += doubts
    ratios = psnr(errors.links)
    for name, ratio in zip(names, ratios, strict=True):
        if np.isnan(ratio):
            reasons.append(f"{name} is seen in no held-out image: its colours are not checked")
        elif ratio < options.good:
            reasons.append(
                f"{name} is predicted with {ratio:.1f} dB only, less than {options.good:g} dB"
            )
    return Verdict("doubtful" if reasons else "trusted", tuple(reasons))
