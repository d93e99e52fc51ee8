"""Records images of a simulated robot from all around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.triangle_mesh import outer_points
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.progress import Progress, silent
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics, cameras_around
from autourdf_ros.simulation.images.image_motions import ImageMotion, image_configurations
from autourdf_ros.simulation.images.image_renderer import ImageRenderer
from autourdf_ros.simulation.images.pybullet_renderer import PybulletRenderer
from autourdf_ros.simulation.images.sunlit_renderer import Sunlight, SunlitRenderer
from autourdf_ros.simulation.images.textured_room import TexturedRoom
from autourdf_ros.simulation.workspace import Workspace

RendererName = Literal["sun", "pybullet"]


@dataclass(frozen=True)
class ImageOptions:
    """What is recorded.

    Attributes:
        motion: Of the robot.
        size: Width and height of an image (pixels).
        field_of_view: Degrees. The cameras are so far away that they see all of the robot in every
            configuration.
        elevations: Of the cameras above the robot's centre, lowest and highest, degrees.
        azimuths: Of the cameras, least and greatest, degrees from x to y.
        renderer: Our ray caster, or PyBullet's.
        shadows: Whether one part shades another.
        room: Whether the robot stands in a room of random texture, not before a plain background.
        seed: Of all randomness.
    """

    motion: ImageMotion = field(default_factory=ImageMotion)
    size: int = 400
    field_of_view: float = 40.0
    elevations: tuple[float, float] = (-10.0, 70.0)
    azimuths: tuple[float, float] = (0.0, 360.0)
    renderer: RendererName = "sun"
    shadows: bool = True
    room: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise InputError naming a value out of its range."""
        if self.size < 16:
            raise InputError(f"size is {self.size}; accepted is 16 or more")
        least, greatest = self.azimuths
        if not 0 < greatest - least <= 360:
            raise InputError(
                f"azimuths are {least:g} to {greatest:g} degrees; accepted are a least and a "
                "greatest, at most 360 degrees apart"
            )
        if self.room and self.renderer != "sun":
            raise InputError(
                f"a room is drawn by the renderer sun, not by {self.renderer}; accepted is sun"
            )
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; accepted is 0 or more")


def record_images(
    robot: SimulatedRobot, options: ImageOptions, progress: Progress = silent
) -> RobotImages:
    """Return images of a robot, each from another side and in the next configuration.

    Args:
        robot: As simulated.
        options: All constants.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: The robot has nothing that is visible, or no free configuration; or PyBullet is
            missing.
    """
    rng = np.random.default_rng(options.seed)
    configurations = image_configurations(Workspace(robot), options.motion, rng)
    points = np.concatenate([outer_points(robot.vertices(values)) for values in configurations])
    if not len(points):
        raise InputError(f"{robot.urdf}: no link has a visual geometry, so no camera can see it")
    intrinsics = Intrinsics.from_field_of_view(options.size, options.size, options.field_of_view)
    zone = (options.elevations, options.azimuths)
    cameras = cameras_around(points, len(configurations), intrinsics, *zone)
    room = _room(points, cameras, options.seed) if options.room else None
    renderer = renderer_of(robot, options, room)
    images = []
    for number, camera in enumerate(rng.permutation(len(cameras))):
        progress("drawing images", number / len(cameras))
        images.append(renderer.draw(configurations[number], _pinhole(cameras[camera])))
    return RobotImages(tuple(images))


def renderer_of(
    robot: SimulatedRobot, options: ImageOptions, room: TexturedRoom | None = None
) -> ImageRenderer:
    """Return what draws the images of a robot.

    Raises:
        InputError: PyBullet is asked for and missing.
    """
    if options.renderer == "pybullet":
        return PybulletRenderer(robot, options.shadows)
    return SunlitRenderer(robot, Sunlight(shadows=options.shadows), room)


def _room(points: Array, cameras: Sequence[Camera], seed: int) -> TexturedRoom:
    """Return a room around the points (N, 3) of a robot and the cameras that see it."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    eyes = np.array([camera.pose[:3, 3] for camera in cameras])
    return TexturedRoom(middle, float(np.linalg.norm(eyes - middle, axis=1).max()), seed)


def _pinhole(camera: Camera) -> PinholeCamera:
    inner = camera.intrinsics
    return PinholeCamera(
        inner.width, inner.height, (inner.focal, inner.focal), inner.center, camera.pose
    )
