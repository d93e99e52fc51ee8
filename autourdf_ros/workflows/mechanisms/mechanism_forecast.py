"""What a mechanism's folder will do: joint values with a band, and depth images."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.derived.depth_picture import read_depth_picture, write_depth_picture
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.forecast.state_forecast import (
    ForecastOptions,
    StateForecast,
    forecast_states,
)
from autourdf_ros.estimation.dynamics.posterior.posterior_file import read_posterior
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh, merged
from autourdf_ros.model.document.entries import Entries
from autourdf_ros.model.document.self_model_reading import described_model
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.result_files import BACKGROUND, DOCUMENT, MECHANISM, POSTERIOR, URDF
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.urdf.mesh_reading import read_meshes
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, silent
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import mechanism_document
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

STATES = "states.csv"
FRAMES = "frames"


@dataclass(frozen=True)
class AheadOptions:
    """Choices of the user.

    Attributes:
        seconds: How far ahead.
        states: Draws from the posterior, seed and band.
        frames: Whether depth images are made.
    """

    seconds: float = 5.0
    states: ForecastOptions = field(default_factory=ForecastOptions)
    frames: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.seconds < np.inf:
            raise InputError(f"seconds: is {self.seconds}; accepted is a finite number above 0")


@dataclass(frozen=True)
class MechanismForecast:
    """What comes.

    Attributes:
        states: Joint values.
        depth: (T, H, W) depths (m), NaN where none; None where not asked for or not known.
    """

    states: StateForecast
    depth: NDArray[np.float32] | None


def forecast_result(
    out: Path, options: AheadOptions | None = None, progress: Progress = silent
) -> MechanismForecast:
    """Forecast a mechanism's folder from the end of its video on, at the video's period.

    Args:
        out: Result folder whose dynamics were found.
        options: Choices.
        progress: Is called with stage and fraction.

    Raises:
        InputError: the folder has no posterior or is damaged, or the simulation diverges.
    """
    options = options or AheadOptions()
    document = mechanism_document(out)
    if not (out / POSTERIOR).is_file():
        raise InputError(
            f"{out}: has no {POSTERIOR}; accepted is a result of autourdf mechanism without "
            "--no-dynamics"
        )
    posterior = read_posterior(out / POSTERIOR)
    stamps = np.array(document["sequences"][-1]["stamps"], float)
    period = float(np.median(np.diff(stamps)))
    end = posterior.ends[options.states.motion].stamp
    count = max(1, round(options.seconds / period))
    ahead = np.asarray(end + period * np.arange(1, count + 1), np.float64)
    states = forecast_states(posterior, ahead, options.states)
    progress("states", 0.3)
    if not options.frames or document[MECHANISM].get("depth_range") is None:
        return MechanismForecast(states, None)
    view = mechanism_view(out, document)
    depth = []
    for number, values in enumerate(states.positions):
        progress("frames", 0.3 + 0.7 * number / count)
        depth.append(view.depth(dict(zip(states.joints, values.tolist(), strict=True))))
    return MechanismForecast(states, np.stack(depth))


@dataclass(frozen=True)
class MechanismView:
    """Renders a mechanism at joint values.

    Attributes:
        model: Its model.
        painter: Of the links with a mesh, in the model's order.
        links: Numbers of these links.
    """

    model: SelfModel
    painter: DepthPainter
    links: tuple[int, ...]

    def depth(self, values: Mapping[str, float]) -> NDArray[np.float32]:
        """Return (H, W) depths (m) at joint values (rad or m) by name."""
        tree = self.model.tree
        row = np.array([values.get(joint.name, joint.reference) for joint in tree.joints])
        return self.painter.depth(tree.motions(row)[list(self.links)])


def mechanism_view(out: Path, document: Mapping[str, Any]) -> MechanismView:
    """Return what renders a result folder as its camera saw it.

    Raises:
        InputError: the folder is damaged; names file and key.
    """
    model = described_model(document, str(out / DOCUMENT))
    placed = _reference_meshes(out, model)
    links = tuple(number for number, link in enumerate(model.tree.links) if link in placed)
    meshes = [placed[model.tree.links[number]] for number in links]
    camera = _camera(Entries(document, str(out / DOCUMENT)).child(MECHANISM).child("camera"))
    return MechanismView(model, DepthPainter(camera, meshes, _background(out, camera)), links)


def _camera(entry: Entries) -> PinholeCamera:
    focal, principal = entry.array("focal", (2,)), entry.array("principal", (2,))
    return PinholeCamera(
        int(entry.number("width")),
        int(entry.number("height")),
        (float(focal[0]), float(focal[1])),
        (float(principal[0]), float(principal[1])),
        entry.array("pose", (4, 4)),
    )


def _background(out: Path, camera: PinholeCamera) -> NDArray[np.float32] | None:
    path = out / BACKGROUND
    return read_depth_picture(path, camera.height, camera.width) if path.is_file() else None


def _reference_meshes(out: Path, model: SelfModel) -> dict[str, SurfaceMesh]:
    """Meshes of the links, in the base frame at the reference configuration."""
    robot = read_description(out / URDF)
    meshes = read_meshes(robot)
    frames = dict(zip(model.tree.links, link_frames(model.tree), strict=True))
    found = {}
    for link in robot.links:
        own = [shape for shape in link.shapes if shape.role == "visual" and shape.kind == "mesh"]
        known = [(shape, meshes[shape.filename].mesh) for shape in own]
        parts = [
            from_trimesh(
                trimesh.Trimesh(np.asarray(mesh.vertices) * shape.scale, mesh.faces, process=False)
            ).transformed(frames[link.name] @ shape.pose)
            for shape, mesh in known
            if mesh is not None and link.name in frames
        ]
        if (whole := merged(parts)) is not None:
            found[link.name] = whole
    return found


def write_forecast(found: MechanismForecast, folder: Path, progress: Progress = silent) -> Path:
    """Write `states.csv` and, with depth, `frames/NNNN.png` (16-bit mm, 0 where none).

    The folder is written beside and renamed.

    Args:
        found: What comes.
        folder: Where; must be new, empty or an earlier forecast.
        progress: Is called with stage and fraction.

    Raises:
        InputError: something else is there.
    """
    folder = folder.expanduser().resolve()
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if folder.is_file() or there - {STATES, FRAMES}:
        raise InputError(f"{folder}: holds something else; accepted is a new or empty folder")
    with replacing(folder) as new:
        _write_states(found.states, new / STATES)
        if found.depth is not None:
            (new / FRAMES).mkdir()
            for number, image in enumerate(found.depth):
                progress("images", number / len(found.depth))
                write_depth_picture(image, new / FRAMES / f"{number:04d}.png")
    return folder


def _write_states(states: StateForecast, path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        names = [f"{joint}{end}" for joint in states.joints for end in ("", "_lower", "_upper")]
        writer.writerow(["stamp", *names])
        table = np.stack([states.positions, states.lower, states.upper], axis=2)
        for stamp, row in zip(states.stamps, table, strict=True):
            writer.writerow([f"{stamp:.6f}", *(f"{value:.9g}" for value in row.ravel())])
