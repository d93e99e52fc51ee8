"""How well the rendering node's prediction separates a robot from its surroundings.

A simulated cell (ground, clutter, four depth cameras of 640 x 480 with the noise of a D455, each
calibrated to 1 mm and 0.1 degrees an axis) measures a robot in random configurations. The model is
a result folder of that robot, or the robot itself; the node's own functions predict every camera's
view by encoder readings with noise, and take the robot from the cloud.

    python studies/self_filter_study.py panda --frames 6
    python studies/self_filter_study.py panda --splats 20000 --frames 6
    python studies/self_filter_study.py panda --model OUT --frames 6

prints a row for every camera pose policy: as calibrated, and corrected by what was measured before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.rasterizer.seen_surface import seen_surface
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.images.image_motions import ImageMotion, image_configurations
from autourdf_ros.simulation.simulated_cell import Cell, CellOptions, workspace_of
from autourdf_ros.workflows.appearance.camera_correction import CameraCorrection
from autourdf_ros.workflows.appearance.drawn_robot import DrawnImage
from autourdf_ros.workflows.appearance.link_surfaces import spread_surfaces
from autourdf_ros.workflows.appearance.mesh_robot import MeshRobot, robot_of
from autourdf_ros.workflows.appearance.self_filter import (
    CloudPixels,
    RobotSurface,
    SelfFilterOptions,
)
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

ENCODER = 1e-4  # rad or m, standard deviation
HALF = 0.5


class TrueRobot:
    """The simulated robot itself, drawn as a model would be."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self._robot = robot
        self._shown = [n for n, mesh in enumerate(robot.surfaces) if mesh is not None]
        self._meshes = [mesh for mesh in robot.surfaces if mesh is not None]
        self._painter: DepthPainter | None = None

    def draw(self, readings: Mapping[str, float], camera: PinholeCamera) -> DrawnImage:
        """Return an image of readings by joint name, as `DrawnRobot.draw`."""
        values = np.array([readings[name] for name in self._robot.names])
        poses = self._robot.body_poses(values)[self._shown]
        if self._painter is None:
            self._painter = DepthPainter(replace(camera, pose=np.eye(4)), self._meshes)
        depth, body = self._painter.depth_and_body(np.linalg.inv(camera.pose) @ poses)
        return DrawnImage(None, depth, body, np.isfinite(depth).astype(np.float32))


class TrueSplats:
    """The simulated robot as splats before any fit: discs on its true surface."""

    def __init__(self, robot: SimulatedRobot, count: int) -> None:
        names = tuple(links[0] for links in robot.links)
        pairs = zip(names, robot.surfaces, strict=True)
        meshes = {name: mesh for name, mesh in pairs if mesh is not None}
        found = spread_surfaces(meshes, names, count)
        self._robot, self._links = robot, found.links
        self._splats = first_splats(found.points, found.normals, found.colors)

    def draw(self, readings: Mapping[str, float], camera: PinholeCamera) -> DrawnImage:
        """Return an image of readings by joint name, as `DrawnRobot.draw`."""
        values = np.array([readings[name] for name in self._robot.names])
        poses = self._robot.body_poses(values)
        image = rasterize(posed(self._splats, self._links, poses), camera)
        surface = seen_surface(image)
        mask = 1 - image.pixels[..., 3]
        return DrawnImage(None, surface.depth, surface.number, mask)


class Model:
    """A result folder, drawn by readings as the node hears them."""

    def __init__(self, folder: Path, meshes: bool) -> None:
        self._model = LiveModel(folder)
        self._drawn = MeshRobot(folder) if meshes else robot_of(folder)

    def draw(self, readings: Mapping[str, float], camera: PinholeCamera) -> DrawnImage:
        """Return an image of readings by joint name."""
        motors = {drive.motor for drive in self._model.drives}
        known = {name: value for name, value in readings.items() if name in motors}
        return self._drawn.draw(self._model.joint_values(known), camera)


@dataclass(frozen=True)
class Row:
    """Of one image.

    Attributes:
        overlap: Of predicted and true mask, intersection over union.
        lost: Share of the robot's measured points that are removed.
        kept: Share of the other measured points that stay.
        margin: m.
        drawing: s, of the prediction.
        filtering: s, of the comparison and the correction.
    """

    overlap: float
    lost: float
    kept: float
    margin: float
    drawing: float
    filtering: float


def rows(
    robot: SimulatedRobot,
    drawn: TrueRobot | TrueSplats | Model,
    frames: int,
    seed: int,
    options: SelfFilterOptions,
    correct: bool,
) -> list[Row]:
    """Return a row for every image; the first of each camera is left out where poses are corrected.

    Args:
        robot: As simulated.
        drawn: Its model.
        frames: Configurations.
        seed: Of all randomness.
        options: Of the filter.
        correct: Whether what was measured corrects the camera's pose.
    """
    rng = np.random.default_rng(seed)
    cell_options = CellOptions(
        4, 640, 480, elevations=(15.0, 60.0), noise=REAL_CAMERA, ground=True, clutter=8
    )
    workspace = workspace_of(robot, cell_options)
    configurations = image_configurations(workspace, ImageMotion(random=frames), rng)
    cell = Cell(workspace, configurations, cell_options, rng)
    corrections = [CameraCorrection() for _ in cell.cameras]
    found = []
    for frame, values in enumerate(configurations):
        read = values + rng.normal(0, ENCODER, len(values))
        readings = dict(zip(robot.names, read.tolist(), strict=True))
        for number, camera in enumerate(cell.cameras):
            image = cell.measure(values, number, rng)
            lens = _pinhole(camera)
            lens = replace(lens, pose=lens.pose @ corrections[number].pose)
            begin = time.thread_time()
            view = drawn.draw(readings, lens)
            drawing = time.thread_time() - begin
            points, begin = image.points.reshape(-1, 3), time.thread_time()
            surface, pixels = RobotSurface(view.depth, options), CloudPixels.of(points, lens)
            removed, margin = surface.of_points(pixels)
            if correct:
                corrections[number].see(pixels.image(), view.depth, lens)
            filtering = time.thread_time() - begin
            measured = np.isfinite(points[:, 2])
            own, mask = image.body.ravel() >= 0, view.mask >= HALF
            true = image.body >= 0
            row = Row(
                (mask & true).sum() / (mask | true).sum(),
                removed[own & measured].mean(),
                (~removed)[~own & measured].mean(),
                margin,
                drawing,
                filtering,
            )
            if frame or not correct:
                found.append(row)
    return found


def _pinhole(camera: Camera) -> PinholeCamera:
    inner = camera.intrinsics
    lens = (inner.focal, inner.focal), inner.center
    return PinholeCamera(inner.width, inner.height, *lens, camera.pose)


def table(groups: dict[str, Sequence[Row]]) -> str:
    """Return means and worst images, a line a group."""
    lines = [
        "group                     images  mask IoU (worst)  robot lost (worst)  others kept "
        "(worst)  margin mm  draw ms  filter ms"
    ]
    for name, found in groups.items():
        mean = {key: np.mean([getattr(row, key) for row in found]) for key in vars(found[0])}
        worst = {key: min(getattr(row, key) for row in found) for key in vars(found[0])}
        lines.append(
            f"{name:25} {len(found):6}  {mean['overlap']:.3f} ({worst['overlap']:.3f})     "
            f"{mean['lost']:.2%} ({worst['lost']:.2%})     {mean['kept']:.2%} "
            f"({worst['kept']:.2%})     {1e3 * mean['margin']:6.1f}     "
            f"{1e3 * mean['drawing']:5.1f}  {1e3 * mean['filtering']:6.1f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robot", help="URDF file, or name of one of example-robot-data")
    parser.add_argument("--model", type=Path, help="result folder (default: the robot itself)")
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--splats", type=int, default=0, help="draw the robot itself by so many")
    parser.add_argument("--meshes", action="store_true", help="draw meshes, not splats")
    args = parser.parse_args()
    robot = SimulatedRobot(find_urdf(args.robot))
    drawn = TrueRobot(robot) if args.model is None else Model(args.model, args.meshes)
    if args.splats:
        drawn = TrueSplats(robot, args.splats)
    given = args.frames, args.seed, SelfFilterOptions()
    print(
        table(
            {
                "as calibrated": rows(robot, drawn, *given, False),
                "corrected by its depths": rows(robot, drawn, *given, True),
            }
        )
    )


if __name__ == "__main__":
    main()
