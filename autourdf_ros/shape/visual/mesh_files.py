"""Mesh files as RViz, MoveIt, PyBullet and MuJoCo read them: OBJ with material, binary STL."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.shape.visual.texture import Texture
from autourdf_ros.shape.visual.unseen_surface import dulled

MeshAppearance = Texture | NDArray[np.float64]
"""A texture, or one (3,) RGB colour in [0, 1]."""


def write_visual(
    folder: Path,
    stem: str,
    mesh: trimesh.Trimesh,
    appearance: MeshAppearance,
    dull: NDArray[np.bool_],
) -> Path:
    """Write an OBJ with its MTL, and a PNG for a texture; return the OBJ's path.

    The names hold a hash of the content, since RViz caches meshes by their name.

    Args:
        folder: Where.
        stem: How the names begin.
        mesh: What to write.
        appearance: A texture or one colour.
        dull: (T,) triangles that get a second, greyer material where the appearance is one colour.
    """
    if isinstance(appearance, Texture):
        picture, uv, shades = _png(appearance.image), appearance.uv, {"": np.ones(3)}
        groups = {"": np.ones(len(mesh.faces), bool)}
    else:
        picture, uv, shades = b"", None, {"": appearance, "_unseen": dulled(255 * appearance) / 255}
        groups = {"": ~dull, "_unseen": dull}
    body = _obj_vertices(mesh, uv)
    parts = {end: _obj_faces(mesh, uv, own) for end, own in groups.items() if own.any()}
    shades = {end: shades[end].round(4) for end in parts}
    described = [*parts, *parts.values(), *(str(shade.tolist()) for shade in shades.values())]
    name = f"{stem}_{_digest(' '.join([body, *described]).encode() + picture)}"
    material = "".join(_material(f"{name}{end}", shade) for end, shade in shades.items())
    if picture:
        (folder / f"{name}.png").write_bytes(picture)
        material += f"map_Kd {name}.png\n"
    (folder / f"{name}.mtl").write_text(material)
    path = folder / f"{name}.obj"
    drawn = "".join(f"usemtl {name}{end}\n{faces}" for end, faces in parts.items())
    path.write_text(f"mtllib {name}.mtl\no {stem}\n{body}{drawn}")
    return path


def write_collision(folder: Path, stem: str, mesh: trimesh.Trimesh) -> Path:
    """Write a binary STL; returns its path. The name holds a hash of the content."""
    content = trimesh.exchange.stl.export_stl(mesh)
    path = folder / f"{stem}_{_digest(content)}.stl"
    path.write_bytes(content)
    return path


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:10]


def _png(image: NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, format="png")
    return buffer.getvalue()


def _material(name: str, color: NDArray[np.float64]) -> str:
    shade = " ".join(f"{channel:.4f}" for channel in color)
    return f"newmtl {name}\nKa {shade}\nKd {shade}\nKs 0.1 0.1 0.1\nNs 10\nd 1\nillum 2\n"


def _obj_vertices(mesh: trimesh.Trimesh, uv: NDArray[np.float64] | None) -> str:
    lines = [
        _rows("v %.7g %.7g %.7g", mesh.vertices),
        _rows("vn %.4f %.4f %.4f", mesh.vertex_normals),
    ]
    if uv is not None:
        lines.append(_rows("vt %.6f %.6f", uv.reshape(-1, 2)))
    return "".join(lines)


def _obj_faces(
    mesh: trimesh.Trimesh, uv: NDArray[np.float64] | None, chosen: NDArray[np.bool_]
) -> str:
    faces = np.asarray(mesh.faces) + 1
    if uv is None:
        return _rows("f %d//%d %d//%d %d//%d", np.repeat(faces, 2, axis=1)[chosen])
    corners = 1 + np.arange(faces.size).reshape(-1, 3)
    interleaved = np.stack([faces, corners, faces], axis=-1).reshape(-1, 9)
    return _rows("f %d/%d/%d %d/%d/%d %d/%d/%d", interleaved[chosen])


def _rows(form: str, values: NDArray[np.generic]) -> str:
    return (f"{form}\n" * len(values)) % tuple(np.asarray(values).ravel().tolist())
