"""Watches a robot by colour images: learns how it looks, then says what looks other than predicted.

At first nothing may be wrong. Every camera learns what is behind the robot, how well the splats
predict each link before it, and the light. Then its newest images are judged by `image_evidence`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.light_check import LIGHT
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.rasterizer.seen_surface import seen_surface
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.monitoring.images.image_evidence import (
    ImageEvidence,
    ImageEvidenceOptions,
    image_evidence,
)
from autourdf_ros.monitoring.images.image_report import ImageReport
from autourdf_ros.monitoring.images.learnt_view import (
    LearntView,
    SeenImage,
    learnt_view,
    light_beside_fit,
    robot_alone,
    shown,
    small_image,
)
from autourdf_ros.monitoring.images.robot_masks import MaskingOptions

_MOST_LEARNT = 16  # images of a camera; every other one goes where there are more


@dataclass(frozen=True)
class ImageWatchOptions:
    """How images are taken and judged.

    Attributes:
        learning: Seconds of a camera's images in which nothing may be wrong.
        least: Images of a camera that learning needs.
        judged: Newest images of every camera that are judged.
        age: Seconds after which an image is not judged any more.
        width: Pixels above which images are halved.
        pixels: That the robot must cover in an image, as predicted.
        link_pixels: That a link must cover in the images that are judged; smaller ones are not
            judged by themselves.
        repeats: Successive judgements in which something must show before it is reported.
        masks: How the robot is separated from what is behind it.
        judging: How images are judged.
    """

    learning: float = 60.0
    least: int = 6
    judged: int = 3
    age: float = 30.0
    width: int = 640
    pixels: int = 50
    link_pixels: int = 100
    repeats: int = 2
    masks: MaskingOptions = field(default_factory=MaskingOptions)
    judging: ImageEvidenceOptions = field(default_factory=ImageEvidenceOptions)


class ImageWatch:
    """Judges images of one robot. One thread at a time may call it.

    Attributes:
        report: Of the latest judgement; None before the first image.
    """

    def __init__(
        self, robot: SplatRobot, fitted: Array, options: ImageWatchOptions = ImageWatchOptions()
    ) -> None:
        """Start to learn.

        Args:
            robot: With splats.
            fitted: (L,) root mean square error of a colour of each link on images that the fit held
                out; NaN where unknown.
            options: All constants.
        """
        self._robot, self._fitted, self._options = robot, np.asarray(fitted, float), options
        self._seen: dict[str, deque[SeenImage]] = {}
        self._learnt: dict[str, LearntView] = {}
        self._before: deque[tuple[int, int] | None] = deque(maxlen=options.repeats)
        self.report: ImageReport | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints whose readings images need."""
        return self._robot.names

    def take(self, camera: str, stamp: float, image: RobotImage) -> None:
        """Add an image with its joint positions. It is judged by `judge`.

        Args:
            camera: Name of the camera.
            stamp: Seconds.
            image: With the positions of the joints that move by themselves.

        Raises:
            InputError: It has another size than those before it, or nothing of the robot is in
                sight.
        """
        free = np.array([image.joint_positions[name] for name in self._robot.names])
        small = small_image(image, self._robot.gaussians(free)[2], self._options.width)
        seen = self._seen.setdefault(camera, deque())
        if seen and _lens(seen[-1].image) != _lens(small):
            self._forget(camera)
            raise InputError(
                f"{camera}: its images have another size or lens than before: its camera learns "
                "anew, in which time nothing may be wrong"
            )
        if seen and stamp <= seen[-1].stamp:
            self._forget(camera)
            raise InputError(f"{camera}: the clock of its stamps was set back; it learns anew")
        new = SeenImage(stamp, small, free)
        pixels = int(shown(self._robot, new).sum())
        if pixels < self._options.pixels:
            raise InputError(
                f"{camera}: the robot should cover {pixels} pixels of {small.camera.width} x "
                f"{small.camera.height}; accepted are {self._options.pixels} or more"
            )
        seen.append(new)
        if camera in self._learnt:
            while len(seen) > self._options.judged:
                seen.popleft()
        elif len(seen) > _MOST_LEARNT:
            self._seen[camera] = deque(list(seen)[::2])

    def _forget(self, camera: str) -> None:
        self._seen[camera].clear()
        self._learnt.pop(camera, None)
        self._before.clear()

    def judge(self) -> None:
        """Learn from the images taken, or judge the newest ones; `report` has the outcome."""
        newest = max((seen[-1].stamp for seen in self._seen.values() if seen), default=None)
        if newest is None:
            return
        for camera, seen in self._seen.items():
            if camera not in self._learnt and self._enough(seen):
                self._learnt[camera] = learnt_view(self._robot, list(seen), self._options.masks)
                seen.clear()
        chosen = [
            (one, learnt)
            for camera, learnt in self._learnt.items()
            for one in self._seen[camera]
            if one.stamp >= newest - self._options.age
        ]
        if not chosen:
            if not self._learnt:
                self.report = ImageReport(newest)
            return
        masks = self._options.masks
        images = [
            robot_alone(self._robot, one, learnt.scene, learnt.twist, masks)
            for one, learnt in chosen
        ]
        lights = light_beside_fit(self._robot, images) - [learnt.light for _, learnt in chosen]
        changed = float(np.median(lights[np.isfinite(lights)])) if np.isfinite(lights).any() else 0
        if changed > LIGHT:
            self._before.clear()
            text = f"the light on the robot changed by {changed:.0%}: images are not judged"
            self.report = ImageReport(newest, text)
            return
        readings = np.array([one.free for one, _ in chosen])
        baselines = np.where(self._large(images), self._baselines(), np.nan)
        found = image_evidence(self._robot, images, readings, baselines, self._options.judging)
        self.report = self._reported(newest, found)

    def _enough(self, seen: Sequence[SeenImage]) -> bool:
        options = self._options
        long = bool(seen) and seen[-1].stamp - seen[0].stamp >= options.learning
        return long and len(seen) >= options.least

    def _baselines(self) -> Array:
        """Return (L,) root mean square errors while nothing was wrong, of the worst camera."""
        rows = [self._fitted, *(np.sqrt(learnt.links) for learnt in self._learnt.values())]
        return np.fmax.reduce(rows)

    def _large(self, images: Sequence[PosedImage]) -> NDArray[np.bool_]:
        """Return (L,) which links cover enough pixels of these images to be judged."""
        robot, count = self._robot, np.zeros(len(self._robot.tree.links), int)
        for image in images:
            drawn = rasterize(posed(robot.splats, robot.links, image.poses), image.camera)
            number = seen_surface(drawn).number
            own = robot.links[number[(number >= 0) & np.isfinite(image.mask)]]
            count += np.bincount(own, minlength=len(count))
        return np.asarray(count >= self._options.link_pixels)

    def _reported(self, stamp: float, found: ImageEvidence) -> ImageReport:
        """Return the report; a cause is named once successive judgements agree on it."""
        tree, cause = self._robot.tree, found.cause
        wrong = bool(found.looks_wrong.any())
        key = (cause.joint, len(cause.values)) if cause is not None else (-1, 0)
        self._before.append(key if wrong else None)
        agreed = len(self._before) == self._options.repeats and len(set(self._before)) == 1
        ratios = {
            name: float(ratio)
            for name, ratio in zip(tree.links, found.ratios, strict=True)
            if np.isfinite(ratio)
        }
        text = found.text(tree)
        if not (wrong and agreed):
            return ImageReport(stamp, f"judged once more: {text}" if wrong else text, ratios)
        report = ImageReport(stamp, text, ratios, wrong=True)
        if cause is None:
            return report
        joint = tree.joints[cause.joint]
        return replace(report, joint=joint.name, child=joint.child)


def _lens(image: PosedImage) -> tuple[object, ...]:
    camera = image.camera
    return camera.width, camera.height, camera.focal, camera.principal
