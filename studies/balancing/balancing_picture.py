"""Pictures of tools on their disc, drawn without a graphics card."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import cKDTree

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import Renderer
from balancing.disc_scene import HALF_HEIGHT, RADIUS

Array = NDArray[np.float64]

_SIZE = (320, 240)  # pixels of one picture
_SHARPER = 2  # pixels that are drawn for one that is written
_FIELD = 40.0  # degrees
_VIEW = np.array([0.5, -0.9, 0.45])  # from the tool to the camera
_DARKEST = 0.35  # brightness of a surface that is seen edge-on
_GREEN = np.array([50, 150, 80], np.uint8)
_COLUMNS = 4


def coloured_mesh(mesh: trimesh.Trimesh, points: Array, colours: Array) -> SurfaceMesh:
    """Return a mesh whose triangles have the colours (n, 3), 0 to 1, of the nearest points."""
    nearest = cKDTree(points).query(mesh.triangles_center)[1]
    plain = from_trimesh(mesh, _GREEN)
    painted = np.round(255 * colours[nearest]).astype(np.uint8)
    return SurfaceMesh(plain.vertices, plain.triangles, painted)


def picture(tool: SurfaceMesh, pose: Array) -> Image.Image:
    """Return the picture of a tool at its pose (4, 4), with the disc below."""
    disc = trimesh.creation.cylinder(RADIUS, 2 * HALF_HEIGHT, sections=64)
    disc.apply_translation((0, 0, -HALF_HEIGHT))
    shown = tool.vertices @ pose[:3, :3].T + pose[:3, 3]
    low = np.minimum(shown.min(axis=0), [-RADIUS, -RADIUS, -HALF_HEIGHT])
    high = np.maximum(shown.max(axis=0), RADIUS)
    middle = (low + high) / 2
    width, height = (_SHARPER * side for side in _SIZE)
    away = np.linalg.norm(high - low) / 2 / np.tan(np.radians(_FIELD / 2))
    eye = middle + away * _VIEW / np.linalg.norm(_VIEW)
    camera = Camera(Intrinsics.from_field_of_view(width, height, _FIELD), look_at(eye, middle))
    renderer = Renderer([tool, from_trimesh(disc, _GREEN)], [camera])
    view = renderer.render(np.stack([pose, np.eye(4)]), 0)
    shade = _DARKEST + (1 - _DARKEST) * np.nan_to_num(view.incidence)
    paint = np.where(np.isnan(view.depth)[..., None], 255, view.color * shade[..., None])
    whole = Image.fromarray(paint.astype(np.uint8))
    return whole.resize(_SIZE, Image.Resampling.LANCZOS)


def write_sheet(pictures: list[Image.Image], path: Path) -> None:
    """Write pictures side by side, four in a row, with few colours: it goes into the docs."""
    rows = -(-len(pictures) // _COLUMNS)
    sheet = Image.new("RGB", (_COLUMNS * _SIZE[0], rows * _SIZE[1]), "white")
    for number, one in enumerate(pictures):
        row, column = divmod(number, _COLUMNS)
        sheet.paste(one, (column * _SIZE[0], row * _SIZE[1]))
    sheet.quantize(64).save(path, optimize=True)
