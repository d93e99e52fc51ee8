"""The URDF's meshes as written, at the reference configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import urchin
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from autourdf_ros.model.palette import link_color
from autourdf_ros.report.figures.drawing import WIDTH, figure, panel
from autourdf_ros.report.figures.viewpoint import view_rotation

_VIEWS = ((-50.0, 20.0), (130.0, 20.0))
_LIGHT = np.array([-0.35, 0.45, 0.82])
_HEIGHT = 4.6


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
    """Draw the triangles that face the viewer, shaded, from back to front.

    Args:
        axes: To draw on.
        triangles: (T, 3, 3) corners.
        normals: (T, 3) unit.
        colors: (T, 3) RGB in [0, 1].
        view: (3, 3) rows right, up and toward the viewer.
    """
    seen, facing = triangles @ view.T, normals @ view.T
    front = np.flatnonzero(facing[:, 2] > 0)
    front = front[np.argsort(seen[front, :, 2].mean(1), kind="stable")]
    light = 0.35 + 0.65 * np.clip(facing[front] @ _LIGHT, 0, 1)
    shades = np.clip(colors[front] * light[:, None] + 0.08, 0, 1)
    shapes: Any = seen[front, :, :2]  # typed as a list of polygons, but an array is drawn faster
    axes.add_collection(
        PolyCollection(
            shapes,
            facecolors=shades,
            edgecolors=shades,
            linewidths=0.3,
            rasterized=True,
        )
    )
    axes.autoscale_view()
