"""The URDF's meshes as written, at the reference configuration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import open3d as o3d
import urchin
from matplotlib.axes import Axes
from numpy.typing import NDArray

from autourdf_ros.model.palette import link_color
from autourdf_ros.report.figures.drawing import WIDTH, figure, panel
from autourdf_ros.report.figures.viewpoint import view_rotation

_VIEWS = ((-50.0, 20.0), (130.0, 20.0))
_LIGHT = np.array([-0.35, 0.45, 0.82])
_HEIGHT = 4.6
_PIXELS = 700  # of the longer side of a picture
_FINER = 2  # rays a pixel, each way, so that edges are smooth


def draw_meshes(urdf: Path, reference: dict[str, float], path: Path) -> None:
    """Draw two shaded views of the visual meshes, read back from the URDF."""
    robot = urchin.URDF.load(str(urdf))
    order = {link.name: index - 1 for index, link in enumerate(robot.links)}
    triangles, normals, colors = [], [], []
    poses = robot.link_fk(cfg={name: v for name, v in reference.items() if name in robot.joint_map})
    for link, pose in poses.items():
        for visual in link.visuals:
            placed = pose @ visual.origin
            for mesh in visual.geometry.meshes:
                triangles.append(mesh.triangles @ placed[:3, :3].T + placed[:3, 3])
                normals.append(mesh.face_normals @ placed[:3, :3].T)
                colors.append(np.tile(link_color(order[link.name]), (len(mesh.faces), 1)))
    solid = [np.concatenate(parts) for parts in (triangles, normals, colors) if parts]
    with figure(path, WIDTH, _HEIGHT) as canvas:
        for place, view in enumerate(_VIEWS):
            axes = panel(canvas, place * WIDTH / 2, 0, WIDTH / 2, _HEIGHT)
            axes.set_axis_off()
            if solid:
                draw_solid(axes, solid[0], solid[1], solid[2], view_rotation(*view))
            axes.set_aspect("equal")


def draw_solid(
    axes: Axes,
    triangles: NDArray[np.float64],
    normals: NDArray[np.float64],
    colors: NDArray[np.float64],
    view: NDArray[np.float64],
) -> None:
    """Draw the triangles that the viewer sees, shaded.

    Args:
        axes: To draw on.
        triangles: (T, 3, 3) corners.
        normals: (T, 3) unit.
        colors: (T, 3) RGB in [0, 1].
        view: (3, 3) rows right, up and toward the viewer.
    """
    corners = triangles.reshape(-1, 3) @ view.T
    low, high = corners.min(0), corners.max(0)
    width, height = np.maximum(high - low, 1e-9)[:2]
    step = max(width, height) / (_PIXELS * _FINER)
    across, up = (_FINER * max(1, round(length / step / _FINER)) for length in (width, height))
    rays = np.zeros((up, across, 6), np.float32)
    rays[..., 0] = low[0] + (np.arange(across) + 0.5) * width / across
    rays[..., 1] = (high[1] - (np.arange(up) + 0.5) * height / up)[:, None]
    rays[..., 2], rays[..., 5] = high[2] + max(width, height), -1
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    faces = np.arange(len(corners), dtype=np.uint32).reshape(-1, 3)
    tensor = o3d.core.Tensor.from_numpy
    scene.add_triangles(tensor(corners.astype(np.float32)), tensor(faces))
    hit = scene.cast_rays(tensor(rays))["primitive_ids"].numpy()
    facing = normals @ view.T
    facing = facing * np.where(facing[:, 2:] < 0, -1, 1)  # open meshes show their inner side
    light = 0.35 + 0.65 * np.clip(facing @ _LIGHT, 0, 1)
    seen = np.insert(np.clip(colors * light[:, None] + 0.08, 0, 1), 3, 1, axis=1)
    inks = np.vstack([seen, np.zeros(4)]).astype(np.float32)  # the last: of rays that hit nothing
    parts = np.minimum(hit, len(seen)).reshape(up // _FINER, _FINER, across // _FINER, _FINER)
    blocks = sum(inks[parts[:, i, :, j]] for i, j in np.ndindex(_FINER, _FINER)) / _FINER**2
    blocks[..., :3] /= np.maximum(blocks[..., 3:], 1e-9)
    axes.imshow(
        np.clip(blocks, 0, 1),
        extent=(low[0], high[0], low[1], high[1]),
        interpolation="antialiased",
        aspect="auto",
        zorder=1,
    )
