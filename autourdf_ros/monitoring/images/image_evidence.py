"""What colour images say of a robot: which links look wrong, and which one is elsewhere.

The splats of a model predict an image at the joints' readings. Each link's residual stands beside
that of the images that the fit held out. Then all beyond one joint is moved, in the frame of the
link that the joint moves: along the joint (a zero is off) or freely (the link is bent); what
explains the images best is the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.exposure import exposed, exposure
from autourdf_ros.estimation.appearance.fitting.fit_options import ResidualOptions
from autourdf_ros.estimation.appearance.fitting.image_slopes import image_information
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.parallel import on_all_cores

FREE = np.eye(6)
"""Directions in which a bent link is displaced: all."""
HALVED = (1.0, 0.5, 0.25)
"""Shares of a step of which the best is taken."""


@dataclass(frozen=True)
class ImageEvidenceOptions:
    """How images are judged.

    Attributes:
        worse: Times the residual of held-out images from which a link looks wrong.
        least: Share of the images' squared residuals that a displacement must explain.
        freer: Share of what is left that a bent link must explain beyond a wrong zero.
        sigmas: Standard deviations that a displacement must have.
        steps: Of Gauss and Newton.
        turn: Of the finite differences (rad), and standard deviation before anything is seen, 30
            times that.
        shift: Likewise (m).
        residuals: How they are weighted.
    """

    worse: float = 1.3
    least: float = 0.2
    freer: float = 0.3
    sigmas: float = 5.0
    steps: int = 6
    turn: float = 0.01
    shift: float = 0.004
    residuals: ResidualOptions = field(default_factory=ResidualOptions)


@dataclass(frozen=True)
class Displacement:
    """All beyond a joint is elsewhere.

    Attributes:
        joint: Number of the joint.
        values: (P,) along the joint (rad or m), or (6,) omega and v in the frame of its child.
        errors: (P,) standard deviations.
        explained: Share of the images' squared residuals that it explains.
    """

    joint: int
    values: Array
    errors: Array
    explained: float

    @property
    def sigmas(self) -> float:
        """Its largest number in standard deviations."""
        return float(np.max(np.abs(self.values) / self.errors))


@dataclass(frozen=True)
class ImageEvidence:
    """What images say.

    Attributes:
        ratios: (L,) residual of each link beside that of held-out images; NaN where not seen.
        zeros: Of every joint that moves, its zero off.
        bent: Likewise, its child bent.
        options: By which it is judged.
    """

    ratios: Array
    zeros: tuple[Displacement, ...]
    bent: tuple[Displacement, ...]
    options: ImageEvidenceOptions

    @property
    def looks_wrong(self) -> NDArray[np.bool_]:
        """(L,) whether a link does."""
        return np.nan_to_num(self.ratios) > self.options.worse

    @property
    def cause(self) -> Displacement | None:
        """What explains the images; None where they look as they should, or nothing explains."""
        if not self.looks_wrong.any():
            return None
        best = max(self.zeros, key=lambda one: one.explained, default=None)
        for bent in self.bent:
            before = 0.0 if best is None else best.explained
            if bent.explained > before + self.options.freer * (1 - before):
                best = bent
        sure = best is not None and best.sigmas > self.options.sigmas
        return best if best is not None and sure and best.explained > self.options.least else None

    def text(self, tree: KinematicTree) -> str:
        """Return it as a sentence."""
        wrong = [tree.links[number] for number in np.flatnonzero(self.looks_wrong)]
        if not wrong:
            return "images show the robot as its splats predict it"
        cause, said = self.cause, f"{', '.join(wrong)} look other than predicted"
        if cause is None:
            return f"{said}; no wrong zero and no bent link explains it"
        joint = tree.joints[cause.joint]
        if len(cause.values) == 1:
            slides = joint.type == "prismatic"
            scale, unit = (1e3, "mm") if slides else (float(np.degrees(1)), "degrees")
            value, error = scale * cause.values[0], scale * cause.errors[0]
            what = f"zero of {joint.name} is off by {value:.2f} +- {error:.2f} {unit}"
        else:
            turn = np.degrees(np.linalg.norm(cause.values[:3]))
            shift = 1e3 * np.linalg.norm(cause.values[3:])
            what = f"{joint.child} is displaced by {turn:.1f} degrees and {shift:.0f} mm"
        return f"{said}; {what}, which explains {cause.explained:.0%} of it"


def image_evidence(
    robot: SplatRobot,
    images: Sequence[PosedImage],
    readings: Array,
    baselines: Array,
    options: ImageEvidenceOptions = ImageEvidenceOptions(),
) -> ImageEvidence:
    """Compare images with what the robot's splats predict.

    Args:
        robot: With splats.
        images: F of them with masks; their poses do not count.
        readings: (F, K) of the free joints.
        baselines: (L,) root mean square error of a colour of each link on images that the fit held
            out; NaN where unknown.
        options: All constants.

    Raises:
        InputError: There is no image.
    """
    if not images:
        raise InputError("0 images; accepted is one or more")
    values = robot.values(np.asarray(readings, float))
    placed = [
        replace(image, poses=robot.tree.motions(own) @ robot.frames)
        for image, own in zip(images, values, strict=True)
    ]
    errors = held_out_errors(robot.splats, robot.links, placed, own_exposure=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.sqrt(errors.links) / np.asarray(baselines, float)
    found = ImageEvidence(ratios, (), (), options)
    if not found.looks_wrong.any():
        return found
    moving = [n for n, joint in enumerate(robot.tree.joints) if joint.type != "fixed"]
    along = {number: _along(robot, number) for number in moving}
    zeros = tuple(
        _displacement(robot, placed, number, along[number], np.zeros(1), options)
        for number in moving
    )
    bent = tuple(
        _displacement(robot, placed, one.joint, FREE, one.values @ along[one.joint], options)
        for one in zeros
    )
    return replace(found, zeros=zeros, bent=bent)


def _along(robot: SplatRobot, number: int) -> Array:
    """Return (1, 6) twist of a joint's child, in the child's frame, for a unit of the joint."""
    joint = robot.tree.joints[number]
    frame = inverse(robot.frames[robot.tree.links.index(joint.child)][None])[0]
    axis = frame[:3, :3] @ joint.axis
    if joint.type == "prismatic":
        return np.concatenate([np.zeros(3), axis])[None]
    point = frame[:3, :3] @ joint.point + frame[:3, 3]
    return np.concatenate([axis, np.cross(point, axis)])[None]


def _displacement(
    robot: SplatRobot,
    images: Sequence[PosedImage],
    number: int,
    basis: Array,
    begin: Array,
    options: ImageEvidenceOptions,
) -> Displacement:
    """Return the displacement (P,) of all beyond a joint that explains the images best.

    Args:
        basis: (P, 6) twists of the joint's child, in its frame, by each number.
        begin: (P,) to begin with.
    """
    tree = robot.tree
    child = tree.links.index(tree.joints[number].child)
    beyond = _beyond(tree, child)
    scale = np.repeat([options.turn, options.shift], 3)
    steps = 1 / np.linalg.norm(basis / scale, axis=1)
    prior = np.diag((30 * steps) ** -2.0)

    def drawn(image: PosedImage, value: Array) -> Floats:
        poses = image.poses.copy()
        own = poses[child]
        poses[beyond] = own @ exp_se3(value @ basis) @ inverse(own[None])[0] @ poses[beyond]
        return rasterize(posed(robot.splats, robot.links, poses), image.camera).pixels

    def information(image: PosedImage, value: Array) -> tuple[Array, Array]:
        now = drawn(image, value)
        seen = exposed(image, exposure(now, image))
        changes = np.stack([drawn(image, value + one) - now for one in np.diag(steps)], axis=-1)
        return image_information(now, changes, steps, seen, options.residuals)

    def cost(image: PosedImage, value: Array) -> float:
        now, known = drawn(image, value), np.isfinite(image.mask)
        seen = exposed(image, exposure(now, image))
        return float(((now[..., :3] - seen.color)[known] ** 2).sum())

    def total(value: Array) -> float:
        return float(np.sum(on_all_cores(lambda image: cost(image, value), images)))

    value, whole = begin, prior
    before, least = total(np.zeros(len(basis))), total(value)
    for _ in range(options.steps):
        rows = on_all_cores(lambda image, at=value: information(image, at), images)
        whole = prior + np.sum([one for one, _ in rows], axis=0)
        slope = prior @ value + np.sum([one for _, one in rows], axis=0)
        change = np.linalg.solve(whole, slope)
        tried = [value - change * share for share in HALVED]
        costs = [total(one) for one in tried]
        best = int(np.argmin(costs))
        if costs[best] >= least:
            break
        value, least = tried[best], costs[best]
    explained = 1 - least / before if before > 0 else 0.0
    return Displacement(number, value, np.sqrt(np.diag(np.linalg.inv(whole))), explained)


def _beyond(tree: KinematicTree, link: int) -> NDArray[np.int64]:
    """Return the numbers of a link and of all links beyond it."""
    found = {tree.links[link]}
    for joint in tree.joints:  # parents come first
        if joint.parent in found:
            found.add(joint.child)
    return np.array([n for n, name in enumerate(tree.links) if name in found])
