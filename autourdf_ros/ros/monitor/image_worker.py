"""Watches by colour images, in a thread of its own that leaves the processor to the clouds."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rclpy.node import Node

from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.data.recording.recorded_images import SerializedImage, read_image
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.result_files import result_document
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.images.image_report import ImageReport
from autourdf_ros.monitoring.images.image_watch import ImageWatch, ImageWatchOptions
from autourdf_ros.ros.cell.color_cameras import ColorImages
from autourdf_ros.ros.common.matched_subscription import lasting
from autourdf_ros.workflows.appearance.robot_pose import splat_robot
from autourdf_ros.workflows.appearance.splat_result import SECTION

_POLL = 0.05  # s
_PATIENCE = 2.0  # s to wait for the current judgement at the end, and for a later joint reading
_YIELD = 10  # niceness: clouds come first
_LEAST_STALE = 5.0  # s
_STALE = 3  # periods without an image from which a camera's silence is named
_ALL = -math.inf  # every image is stamped later


@dataclass(frozen=True)
class ImageSettings:
    """What the monitor node takes of colour images.

    Attributes:
        topics: Of the images; none: they are not watched.
        period: Seconds between two images of a camera that are judged.
        longest_gap: Seconds between two joint readings around an image.
        fastest: Speed of a joint (rad/s or m/s) above which an image is not judged.
        options: Of the judgement.
    """

    topics: tuple[str, ...]
    period: float
    longest_gap: float = 0.2
    fastest: float = 0.2
    options: ImageWatchOptions = field(default_factory=ImageWatchOptions)


@dataclass(frozen=True)
class _Loaded:
    """The model by which images are judged."""

    folder: Path
    model: LiveModel
    watch: ImageWatch


class ImageWorker:
    """Judges the newest images every few seconds, until it is closed.

    Attributes:
        problems: By camera, why its newest image was not taken.
        seconds: That the latest judgement took (s).
    """

    def __init__(
        self,
        settings: ImageSettings,
        images: ColorImages,
        folder: Callable[[], Path],
        history: JointHistory,
    ) -> None:
        """Start the thread.

        Args:
            settings: What is taken.
            images: Of the cameras.
            folder: Returns that of the current model.
            history: The motors' readings.
        """
        self._settings, self._images = settings, images
        self._folder, self._history = folder, history
        self._loaded: _Loaded | None = None
        self._refused: Path | None = None
        self._model_problem = self._failure = ""
        self.problems: dict[str, str] = {}
        self.seconds = float("nan")
        self._looked: dict[str, float] = {}  # stamp of the newest image that was looked at
        self._taken = dict.fromkeys(settings.topics, time.monotonic())
        self._judging: float | None = None  # when the judgement in progress began
        self._watching = True
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def report(self) -> ImageReport | None:
        """The latest, by the current model."""
        loaded = self._loaded
        return None if loaded is None or loaded.folder != self._folder() else loaded.watch.report

    def watch(self, on: bool) -> None:
        """Judge images from now on, or none; what is known is kept."""
        self._taken = dict.fromkeys(self._settings.topics, time.monotonic())
        self._watching = on

    def connect(self) -> None:
        """Subscribe to what is published by now."""
        for subscription in self._images.subscriptions:
            subscription.connect()

    def problem_list(self) -> list[str]:
        """Return why images, or those of a camera, are not judged, each in a few words."""
        if self._model_problem or self._failure:
            return [self._model_problem or self._failure]
        problems = self._images.problems()
        if not problems and (missing := self._images.missing(_ALL)):
            problems = [missing]
        problems += self.problems.values()
        ages = {topic: self._age(topic) for topic in self._settings.topics}
        if not problems:
            problems = [
                f"no image of {topic} was taken {lasting(age)}"
                for topic, age in ages.items()
                if age > self._longest
            ]
        return problems

    @property
    def stale(self) -> bool:
        """Whether the report is of images that came long ago."""
        return min(map(self._age, self._settings.topics)) > self._longest

    @property
    def _longest(self) -> float:
        """Seconds without an image that are too long."""
        return max(_STALE * self._settings.period, _LEAST_STALE)

    def _age(self, topic: str) -> float:
        """Return the seconds since an image was taken, but for judgements: they may take long."""
        judging = self._judging
        return (time.monotonic() if judging is None else judging) - self._taken[topic]

    def close(self) -> None:
        """End the thread; a long judgement is left behind."""
        self._closed.set()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        # Threads that it starts inherit this.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _YIELD)
        while not self._closed.wait(_POLL):
            if not self._watching:
                continue
            try:
                self._step()
            except Exception as error:  # the next images must be judged after any failure
                self._failure = f"images were not judged: {type(error).__name__}: {error}"

    def _step(self) -> None:
        watch = self._current()
        if watch is None:
            return
        taken = [self._take(topic, watch) for topic in self._settings.topics]
        if any(taken):
            self._judging = begin = time.monotonic()
            try:
                watch.watch.judge()
            finally:
                self.seconds = time.monotonic() - begin
                self._taken = {topic: at + self.seconds for topic, at in self._taken.items()}
                self._judging = None
            self._failure = ""

    def _current(self) -> _Loaded | None:
        """Return the current model with its images' judgement; None where it has no splats."""
        folder = self._folder()
        if self._loaded is not None and self._loaded.folder == folder:
            return self._loaded
        if self._refused == folder:
            return None
        try:
            self._loaded, self._refused = _load(folder, self._settings.options), None
            self._model_problem = ""
        except InputError as error:
            self._loaded, self._refused = None, folder
            self._model_problem = f"colour images are not judged: {error}"
        return self._loaded

    def _take(self, topic: str, watch: _Loaded) -> bool:
        """Take the newest image of a camera if it is due; return whether one was taken."""
        image = self._images.newest(topic)
        if (
            image is None
            or 0 <= image.stamp - self._looked.get(topic, _ALL) < self._settings.period
        ):
            return False
        newest = self._history.latest
        if newest is None or newest[0] < image.stamp:
            # Readings come later than images; one that is far ahead of them has another clock.
            behind = 0.0 if newest is None else image.stamp - newest[0]
            if behind > _PATIENCE:
                self.problems[topic] = (
                    f"{topic}: the newest joint reading is {behind:.2f} s before its image"
                )
            return False
        self._looked[topic] = image.stamp
        try:
            self._pass_on(image, watch)
        except AutourdfError as error:
            self.problems[topic] = str(error)
            return False
        except Exception as error:  # an image may hold anything
            self.problems[topic] = f"{topic}: {type(error).__name__}: {error}"
            return False
        self.problems.pop(topic, None)
        self._taken[topic] = time.monotonic()
        return True

    def _pass_on(self, image: SerializedImage, watch: _Loaded) -> None:
        found = self._history.at(image.stamp)
        if found is None:
            raise InputError(
                f"{image.topic}: joint readings begin after its image, or clocks differ"
            )
        positions, velocities, gap = found
        if gap > self._settings.longest_gap:
            raise InputError(
                f"{image.topic}: joint readings around its image are {gap:.2f} s apart; accepted "
                f"are {self._settings.longest_gap:g} s"
            )
        fastest = int(np.argmax(np.abs(velocities)))
        if abs(velocities[fastest]) > self._settings.fastest:
            raise InputError(
                f"{image.topic}: {self._history.joints[fastest]} moves by "
                f"{abs(velocities[fastest]):.2f} rad/s or m/s in its image; accepted are "
                f"{self._settings.fastest:g}"
            )
        readings = dict(zip(self._history.joints, positions.tolist(), strict=True))
        values = watch.model.joint_values(readings)
        watch.watch.take(image.topic, image.stamp, read_image(image, values))


def color_watch(
    node: Node,
    settings: ImageSettings,
    base_frame: str,
    reliability: str,
    timeout: float,
    folder: Callable[[], Path],
    history: JointHistory,
) -> ImageWorker | None:
    """Return what watches by colour images; None where the node is given no topic."""
    if not settings.topics:
        return None
    images = ColorImages(node, settings.topics, base_frame, reliability, timeout)
    return ImageWorker(settings, images, folder, history)


def _load(folder: Path, options: ImageWatchOptions) -> _Loaded:
    """Return the model of a folder. Raise InputError where it has no splats."""
    robot = splat_robot(folder)
    section = result_document(folder).get(SECTION, {})
    return _Loaded(
        folder,
        LiveModel(folder),
        ImageWatch(robot, _held_out(section.get("link_psnr", {}), robot.tree.links), options),
    )


def _held_out(by_link: dict[str, float | None], links: tuple[str, ...]) -> Array:
    """Return (L,) root mean square errors, from PSNR (dB); NaN where a link was not seen."""
    psnr = np.array([by_link.get(name) for name in links], float)  # None becomes NaN
    return np.asarray(10 ** (-psnr / 20))
