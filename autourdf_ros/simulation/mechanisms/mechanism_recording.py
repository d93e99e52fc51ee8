"""Records the video of a moving mechanism, with its truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA, CameraNoise, measured_depth
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import View
from autourdf_ros.simulation.mechanisms.faults.video_faults import NO_FAULTS, Studio, VideoFaults
from autourdf_ros.simulation.mechanisms.mechanism_mjcf import STEP
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.simulation.mechanisms.mechanism_simulation import MechanismMotion, simulate
from autourdf_ros.simulation.mechanisms.mechanism_truth import BodyInertia, MechanismTruth

_DARKEST = 0.55  # brightness of a surface seen at a grazing angle; 1 of one that faces the camera


@dataclass(frozen=True)
class VideoOptions:
    """What the camera records.

    Attributes:
        frames: Number of images.
        size: Width and height (pixels).
        frame_period: Time between images (s).
        jitter: Standard deviation of each image's time, as a share of the period.
        noise: Of depths.
        with_depth: Whether there are depth images.
        with_colors: Whether there are colour images.
        with_masks: Whether the bodies' masks are given.
        color_sigma: Standard deviation of colours (of 255).
        step: Of the simulator (s).
        faults: What goes wrong; nothing by default.

    Raises:
        InputError: a number is out of its range.
    """

    frames: int = 200
    size: tuple[int, int] = (320, 240)
    frame_period: float = 1 / 30
    jitter: float = 0.0
    noise: CameraNoise = REAL_CAMERA
    with_depth: bool = True
    with_colors: bool = False
    with_masks: bool = True
    color_sigma: float = 3.0
    step: float = STEP
    faults: VideoFaults = NO_FAULTS

    def __post_init__(self) -> None:
        if self.frames < 1 or min(self.size) < 8:
            raise InputError(
                f"video: {self.frames} frames of {self.size[0]} x {self.size[1]} pixels; accepted "
                "are at least 1 frame and 8 x 8 pixels"
            )
        if not (self.frame_period > 0 and 0 <= self.jitter <= 0.2 and self.step > 0):
            raise InputError(
                f"frame period {self.frame_period} s, jitter {self.jitter}, step {self.step} s; "
                "accepted are a period and a step above 0, and a jitter of 0 to 0.2"
            )


def record(
    scene: MechanismScene,
    seed: int = 0,
    options: VideoOptions | None = None,
    progress: Progress = silent,
) -> tuple[CameraVideo, MechanismTruth]:
    """Return the video and the truth of a scene; equal arguments give equal results.

    Args:
        scene: With its true parameters and start, as `sample` returns it.
        seed: Of noise, jitter and drive.
        options: What is recorded; None: 200 depth images of 320 x 240 at 30 Hz.
        progress: Is called with stage and fraction.
    """
    options = options or VideoOptions()
    drive_seed, camera_seed = (int(s) for s in np.random.SeedSequence(seed).generate_state(2))
    rng = np.random.default_rng(camera_seed)
    faults = options.faults
    stamps = faults.kept(_stamps(options, rng), rng)
    motion = simulate(scene, faults.moments(stamps).tolist(), drive_seed, options.step)
    camera = camera_of(scene, options.size)
    distance = float(np.linalg.norm(scene.view.target - scene.view.eye))
    surfaces = [body.mesh for body in scene.bodies]
    studio = Studio(surfaces, camera, scene.background, distance, faults)
    moments = np.stack(motion.poses).reshape(len(stamps), faults.bands, len(surfaces), 4, 4)
    images: dict[str, list[Any]] = {"depth": [], "colors": [], "masks": []}
    for number, poses in enumerate(moments):
        progress("rendering", number / len(stamps))
        view = studio.view(poses, number / len(stamps))
        if options.with_depth:
            images["depth"].append(measured_depth(view, options.noise, rng))
        if options.with_colors:
            images["colors"].append(_shaded(view, options.color_sigma, rng))
        if options.with_masks:
            images["masks"].append(studio.mask(view))
    stacked: dict[str, Any] = {
        name: np.stack(items) if items else None for name, items in images.items()
    }
    truth = _truth(scene, stamps, motion, faults.bands)
    return CameraVideo(_pinhole(camera), stamps, **stacked), truth


def camera_of(scene: MechanismScene, size: tuple[int, int]) -> Camera:
    """Return the camera of a scene with images of `size` (width, height in pixels)."""
    view = scene.view
    intrinsics = Intrinsics.from_field_of_view(*size, view.degrees)
    return Camera(intrinsics, look_at(view.eye, view.target))


def _stamps(options: VideoOptions, rng: np.random.Generator) -> NDArray[np.float64]:
    stamps = np.arange(options.frames) * options.frame_period
    late = options.jitter * options.frame_period * rng.standard_normal(options.frames).clip(-2, 2)
    return np.asarray(np.maximum(stamps + late, 0.0) if options.jitter else stamps)


def _pinhole(camera: Camera) -> PinholeCamera:
    inner = camera.intrinsics
    return PinholeCamera(
        inner.width, inner.height, (inner.focal, inner.focal), inner.center, camera.pose
    )


def _shaded(view: View, sigma: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return colours under a light at the camera, with noise; black where there is no surface."""
    facing = np.nan_to_num(view.incidence)[..., None]
    colors = view.color * (_DARKEST + (1 - _DARKEST) * facing)
    noisy = colors + rng.normal(0.0, sigma, colors.shape)
    return np.clip(np.round(noisy), 0, 255).astype(np.uint8)


def _truth(
    scene: MechanismScene, stamps: NDArray[np.float64], motion: MechanismMotion, bands: int
) -> MechanismTruth:
    """Return the truth; `bands` states were observed of every image, the first at its stamp."""
    own = [body for body in scene.bodies if not body.is_driver]
    return MechanismTruth(
        scene.name,
        bodies=tuple(body.name for body in scene.bodies),
        drivers=tuple(body.name for body in scene.bodies if body.is_driver),
        joints=scene.joints,
        coordinates=scene.coordinates,
        parameters=scene.parameters,
        inertias={body.name: BodyInertia(body.mass, body.centre, body.inertia) for body in own},
        homes=np.stack([body.home for body in scene.bodies]),
        stamps=stamps,
        poses=np.stack(motion.poses[::bands], axis=1),
        positions=np.stack(motion.positions[::bands]),
        velocities=np.stack(motion.velocities[::bands]),
        **_acted(scene, motion),
    )


def _acted(scene: MechanismScene, motion: MechanismMotion) -> dict[str, Any]:
    """Return what acted, as arrays of the truth."""
    if not scene.drive.acts:
        return {}
    found: dict[str, Any] = {
        "forces": np.stack([push.forces for push in motion.pushes]),
        "force_stamps": np.array(motion.push_stamps),
    }
    names = motion.pushes[0].contacts
    contacts = {name: np.stack([push.contacts[name] for push in motion.pushes]) for name in names}
    return found | {"contacts": contacts}
