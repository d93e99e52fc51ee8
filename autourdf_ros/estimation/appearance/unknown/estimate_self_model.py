"""A robot's self-model from images and motor positions alone: the whole algorithm at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.drawn_examples import drawn_examples
from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors
from autourdf_ros.estimation.appearance.kinematics.find_kinematics import (
    FoundKinematics,
    find_kinematics,
    tree_likelihood,
)
from autourdf_ros.estimation.appearance.kinematics.image_motors import ImageMotors, image_motors
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.estimation.appearance.silhouettes.visual_hull import Hull, visual_hull
from autourdf_ros.estimation.appearance.unknown.axis_scatter import axis_scatter
from autourdf_ros.estimation.appearance.unknown.color_refinement import (
    ColoredRobot,
    posed_by,
    refine_by_colors,
)
from autourdf_ros.estimation.appearance.unknown.joint_support import JointSupport, joint_support
from autourdf_ros.estimation.appearance.unknown.labelled_surface import (
    LabelledSurface,
    labelled_surface,
)
from autourdf_ros.estimation.appearance.unknown.self_model_doubts import verdict_of
from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.stopwatch import Stopwatch


@dataclass(frozen=True)
class FoundSelfModel:
    """A self-model.

    Attributes:
        motors: In all images.
        kinematics: As outlines show them.
        robot: Tree and splats in the end; its values are those of the images that were fitted.
        surface: Of the robot at rest.
        support: What held-out images say of every joint.
        appearance: The splats, judged; its axes are those of groups of images.
        timings: Seconds of every stage.
    """

    motors: ImageMotors
    kinematics: FoundKinematics
    robot: ColoredRobot
    surface: LabelledSurface
    support: JointSupport
    appearance: FittedAppearance
    timings: dict[str, float]

    @property
    def axes(self) -> AxisCheck:
        """Where groups of images see the axes."""
        assert self.appearance.axes is not None
        return self.appearance.axes

    @property
    def values(self) -> Array:
        """(F, J) values of the tree's joints in all images."""
        names = self.robot.state.tree.joint_names
        return np.column_stack([self.motors.values[name] for name in names])


def estimate_self_model(
    images: Sequence[PosedImage],
    names: Sequence[str],
    readings: Array,
    options: SelfModelOptions = SelfModelOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> FoundSelfModel:
    """Find tree, joints, shapes and colours of a robot.

    Args:
        images: F of them; their poses do not count.
        names: Of the R readings.
        readings: (F, R) positions of joints or motors (rad or m).
        options: All constants.
        progress: Is called with stage and fraction.

    Raises:
        InputError: There are too few images, none shows the robot at rest or with one motor away
            from it, or they do not fit together.
    """
    watch = Stopwatch()
    motors, used, held_out = _images_of(images, names, readings, options)
    fitted = [images[number] for number in used]
    with watch.stage("outlines"):
        progress("outlines", 0.0)
        silhouettes = _silhouettes(fitted, options.kinematics.pixels)
    own = image_motors(names, readings[used], options.kinematics.motors)
    with watch.stage("kinematics"):
        found = find_kinematics(silhouettes, own, options.kinematics, part(progress, 0.02, 0.4))
    state = found.state
    with watch.stage("first colours"):
        hull = visual_hull(silhouettes.of_images(own.resting), options.kinematics.cell)
        for number in range(options.rounds):
            surface = _surface(silhouettes, hull, state, options)
            share = part(progress, 0.4 + 0.1 * number / options.rounds, 0.5)
            count, steps = options.first_splats, options.first
            state = refine_by_colors(fitted, state, surface, count, steps, share).state
    with watch.stage("colours"):
        surface = _surface(silhouettes, hull, state, options)
        count, steps = options.final.splats, options.final.fit
        robot = refine_by_colors(fitted, state, surface, count, steps, part(progress, 0.5, 0.8))
    with watch.stage("judgement"):
        axes = axis_scatter(
            robot, fitted, options.scatter, options.final.fit, part(progress, 0.8, 0.97)
        )
        joint_names = robot.state.tree.joint_names
        values = np.column_stack([motors.values[name] for name in joint_names])[held_out]
        tested = [images[number] for number in held_out]
        likelihood, judged = tree_likelihood(
            silhouettes, surface.points, robot.state, options.kinematics
        )
        support = joint_support(robot, tested, values, likelihood, judged)
        posed = posed_by(tested, StructureState(robot.state.tree, values))
        errors = held_out_errors(robot.splats, robot.labels, posed)
        verdict = verdict_of(robot.state.tree, found.lost, axes, support, errors, options)
        shown = dict(zip(held_out.tolist(), posed, strict=True))
        examples = drawn_examples(robot.splats, robot.labels, shown, errors)
    appearance = FittedAppearance(
        robot.state.tree.links,
        robot.splats,
        robot.labels,
        robot.losses,
        tuple(int(number) for number in held_out),
        errors,
        verdict,
        axes,
        examples=examples,
    )
    return FoundSelfModel(motors, found, robot, surface, support, appearance, dict(watch.seconds))


def _images_of(
    images: Sequence[PosedImage], names: Sequence[str], readings: Array, options: SelfModelOptions
) -> tuple[ImageMotors, Labels, Labels]:
    """Return the motors in all images, and the numbers of images to fit and to hold out.

    Every so-manieth image of those in which something moves is held out: at rest all views are
    needed, and show no joint.
    """
    if len(images) < options.final.fewest:
        raise InputError(
            f"{len(images)} images; accepted are {options.final.fewest} or more: of the robot at "
            "rest, with one motor away from rest, and with all"
        )
    motors = image_motors(names, readings, options.kinematics.motors)
    moving = np.setdiff1d(np.arange(len(images)), motors.resting)
    held_out = moving[:: options.final.held_out]
    return motors, np.setdiff1d(np.arange(len(images)), held_out), held_out


def _silhouettes(images: Sequence[PosedImage], pixels: int) -> Silhouettes:
    """Return the outlines, of images that are halved until none is larger."""
    smaller = list(images)
    while max(max(image.mask.shape) for image in smaller) > pixels:
        smaller = [image.halved() for image in smaller]
    return Silhouettes.of([one.camera for one in smaller], [one.mask for one in smaller])


def _surface(
    silhouettes: Silhouettes, hull: Hull, state: StructureState, options: SelfModelOptions
) -> LabelledSurface:
    return labelled_surface(
        silhouettes, hull, state, options.kinematics.likelihood, options.outside
    )
