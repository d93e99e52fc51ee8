"""Pictures of a simulated scene, drawn without a graphics card."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import Renderer

SEEN = 2
"""The group of geometries that are shown, as in MuJoCo Menagerie."""
INTRINSICS = Intrinsics.from_field_of_view(640, 480, 40.0)
DARKEST = 0.35
"""Brightness of a surface that is seen edge-on."""

UNPAINTED, LIGHT = (0.5, 0.5, 0.5), (0.9, 0.9, 0.9)
"""MuJoCo's colour of what has none, and what is drawn for it."""

Array = NDArray[np.float64]


class ScenePictures:
    """A camera before a scene, which writes one picture after the other."""

    def __init__(self, model: mujoco.MjModel, stem: Path, eye: Array, middle: Array) -> None:
        """Place the camera.

        Args:
            model: The scene.
            stem: Path of the pictures, which a number and `.png` follow.
            eye: (3,) m, where the camera stands.
            middle: (3,) m, where it looks.
        """
        self._seen = np.flatnonzero(model.geom_group == SEEN)
        surfaces = [surface_of(model, geom) for geom in self._seen]
        self._renderer = Renderer(surfaces, [Camera(INTRINSICS, look_at(eye, middle))])
        self._stem, self.written = stem, list[Path]()

    def draw(self, data: mujoco.MjData) -> None:
        """Write the next picture."""
        poses = np.tile(np.eye(4), (len(self._seen), 1, 1))
        poses[:, :3, :3] = data.geom_xmat[self._seen].reshape(-1, 3, 3)
        poses[:, :3, 3] = data.geom_xpos[self._seen]
        view = self._renderer.render(poses, 0)
        empty = np.isnan(view.depth)
        shade = np.where(empty, 1.0, DARKEST + (1 - DARKEST) * np.nan_to_num(view.incidence))
        paint = np.where(empty[..., None], 255, view.color) * shade[..., None]
        path = self._stem.with_name(f"{self._stem.name}_{len(self.written)}.png")
        Image.fromarray(paint.astype(np.uint8)).save(path)
        self.written.append(path)

    def sheet(self, numbers: list[int], width: int) -> Path:
        """Write some of the pictures side by side; return the path. width: of each, in pixels."""
        chosen = [Image.open(self.written[number]) for number in numbers]
        height = round(width * INTRINSICS.height / INTRINSICS.width)
        rows = [np.asarray(one.resize((width, height), Image.Resampling.LANCZOS)) for one in chosen]
        path = self._stem.with_name(f"{self._stem.name}.png")
        Image.fromarray(np.hstack(rows)).save(path, optimize=True)
        return path


def surface_of(model: mujoco.MjModel, geom: int) -> SurfaceMesh:
    """Return the surface of a geometry in its own frame, in its colour."""
    given = model.geom_rgba[geom][:3]
    color = np.round(255 * np.array(LIGHT if np.allclose(given, UNPAINTED) else given))
    size, kind = model.geom_size[geom], mujoco.mjtGeom(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.mesh(model.geom_dataid[geom])
        first, count = int(mesh.vertadr[0]), int(mesh.vertnum[0])
        face, faces = int(mesh.faceadr[0]), int(mesh.facenum[0])
        shape = trimesh.Trimesh(
            model.mesh_vert[first : first + count],
            model.mesh_face[face : face + faces],
            process=False,
        )
    elif kind == mujoco.mjtGeom.mjGEOM_BOX:
        shape = trimesh.creation.box(2 * size)
    elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        shape = trimesh.creation.icosphere(subdivisions=3, radius=size[0])
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        shape = trimesh.creation.cylinder(size[0], 2 * size[1], sections=64)
    else:
        raise SystemExit(f"no picture of a {kind.name}")
    return from_trimesh(shape, color.astype(np.uint8))
