"""A simulated robot among its depth cameras."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.triangle_mesh import merged
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.cameras import scene
from autourdf_ros.simulation.cameras.noise import (
    NO_NOISE,
    CameraNoise,
    measured_depth,
    miscalibrated,
)
from autourdf_ros.simulation.cameras.pinhole_camera import Intrinsics, cameras_around
from autourdf_ros.simulation.cameras.renderer import Renderer
from autourdf_ros.simulation.workspace import Workspace, ground_height

FIELD_OF_VIEW = 58.0  # degrees, across the shorter side of the image


@dataclass(frozen=True)
class CellOptions:
    """Cameras and scene around the robot. The defaults are the views of the AutoURDF paper.

    Attributes:
        cameras: number of depth cameras, evenly around the robot.
        width: pixels.
        height: pixels.
        elevations: of the cameras above the robot's centre, lowest and highest, degrees.
        noise: of the cameras.
        ground: whether there is a floor.
        clutter: number of objects on the floor.
    """

    cameras: int = 20
    width: int = 800
    height: int = 800
    elevations: tuple[float, float] = (-40.0, 70.0)
    noise: CameraNoise = NO_NOISE
    ground: bool = False
    clutter: int = 0

    def __post_init__(self) -> None:
        """Raise InputError naming a value out of its range."""
        for name, least in (("cameras", 1), ("width", 16), ("height", 16), ("clutter", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}; accepted is {least} or more")
        low, high = self.elevations
        if not -90 < low <= high < 90:
            raise InputError(
                f"the cameras' elevations are {low:g} to {high:g} degrees; accepted is a lowest "
                "and a highest one between -90 and 90"
            )

    @property
    def pixels(self) -> int:
        """Pixels of all cameras' images."""
        return self.cameras * self.width * self.height


@dataclass(frozen=True)
class Image:
    """Measurement of one camera; all arrays are (height, width, ...).

    Attributes:
        points: (..., 3) float32 in the camera's optical frame, metres; NaN where not measured.
        colors: (..., 3) uint8 RGB.
        body: int16 number of the body, BACKGROUND or NOTHING.
    """

    points: NDArray[np.float32]
    colors: NDArray[np.uint8]
    body: NDArray[np.int16]


@dataclass(frozen=True)
class SeenCloud:
    """Measured points of one camera in the fixed frame.

    Attributes:
        points: (N, 3) metres.
        colors: (N, 3) uint8 RGB.
        body: (N,) int16 as in `Image`.
    """

    points: NDArray[np.float64]
    colors: NDArray[np.uint8]
    body: NDArray[np.int16]


class Cell:
    """A robot, and cameras placed to see all of it.

    Attributes:
        robot: as simulated.
        options: of the cell.
        cameras: at their calibrated poses.
        true_cameras: at their true poses.
    """

    def __init__(
        self,
        workspace: Workspace,
        configurations: NDArray[np.float64],
        options: CellOptions,
        rng: np.random.Generator,
    ) -> None:
        """Place the cameras.

        Args:
            configurations: (C, J) joint values at which the cameras must see all of the robot.
        """
        self.robot, self.options = workspace.robot, options
        points = _points_in(self.robot, configurations)
        center, radius = _bounding_sphere(points)
        intrinsics = Intrinsics.from_field_of_view(options.width, options.height, FIELD_OF_VIEW)
        self.cameras = cameras_around(points, options.cameras, intrinsics, options.elevations)
        self.true_cameras = [miscalibrated(camera, options.noise, rng) for camera in self.cameras]
        background = []
        if workspace.ground is not None:
            background = [scene.ground(center, radius, workspace.ground)]
            background += scene.clutter(center, radius, workspace.ground, options.clutter, rng)
        self._renderer = Renderer(self.robot.surfaces, self.true_cameras, merged(background))

    def measure(self, values: NDArray[np.float64], camera: int, rng: np.random.Generator) -> Image:
        """Return the image of camera number `camera` with the joints at `values` (J,)."""
        view = self._renderer.render(self.robot.body_poses(values), camera)
        depth = measured_depth(view, self.options.noise, rng)
        points = self.cameras[camera].intrinsics.deproject(depth)
        return Image(points, view.color, view.body)

    def clouds(self, values: NDArray[np.float64], rng: np.random.Generator) -> list[SeenCloud]:
        """Return the cloud of every camera. Raise InputError where all are empty."""
        clouds = []
        for number, camera in enumerate(self.cameras):
            image = self.measure(values, number, rng)
            seen = np.isfinite(image.points[..., 2])
            points = image.points[seen].astype(np.float64)
            points = points @ camera.pose[:3, :3].T + camera.pose[:3, 3]
            clouds.append(SeenCloud(points, image.colors[seen], image.body[seen]))
        if not any(len(cloud.points) for cloud in clouds):
            raise InputError(f"{self.robot.urdf}: the cameras see nothing of it")
        return clouds


def workspace_of(robot: SimulatedRobot, options: CellOptions) -> Workspace:
    """Return the robot with the ground of the options."""
    return Workspace(robot, ground_height(robot) if options.ground else None)


def _points_in(robot: SimulatedRobot, configurations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (N, 3) of the robot's surface in all configurations (C, J), metres.

    Raise InputError where the robot has no visual geometry.
    """
    points = np.concatenate([robot.vertices(values) for values in configurations])
    if len(points) == 0:
        raise InputError(f"{robot.urdf}: no link has a visual geometry, so no camera can see it")
    return points


def _bounding_sphere(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return centre (3,) and radius of a sphere around (N, 3) points, metres."""
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    return center, float(np.linalg.norm(points - center, axis=1).max())
