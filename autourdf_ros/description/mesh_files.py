"""Mesh files as RViz, MoveIt, PyBullet and MuJoCo read them: OBJ with material, binary STL."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.description.texture import Texture

Look = Texture | NDArray[np.float64]
"""A texture, or one (3,) RGB colour in [0, 1]."""


def write_visual(folder: Path, stem: str, mesh: trimesh.Trimesh, look: Look) -> Path:
    """Write an OBJ with its MTL, and a PNG where `look` is a texture; returns the OBJ's path.

    The names carry a hash of the content, since RViz caches meshes by their name.
    """
    if isinstance(look, Texture):
        picture, uv, shade = _png(look.image), look.uv, np.ones(3)
    else:
        picture, uv, shade = b"", None, look
    body = _obj_body(mesh, uv)
    name = f"{stem}_{_digest(body.encode() + picture + shade.round(6).tobytes())}"
    color = " ".join(f"{channel:.4f}" for channel in shade)
    material = f"newmtl {name}\nKa {color}\nKd {color}\nKs 0.1 0.1 0.1\nNs 10\nd 1\nillum 2\n"
    if picture:
        (folder / f"{name}.png").write_bytes(picture)
        material += f"map_Kd {name}.png\n"
    (folder / f"{name}.mtl").write_text(material)
    path = folder / f"{name}.obj"
    path.write_text(f"mtllib {name}.mtl\no {stem}\nusemtl {name}\n{body}")
    return path


def write_collision(folder: Path, stem: str, mesh: trimesh.Trimesh) -> Path:
    """Write a binary STL; returns its path. The name carries a hash of the content."""
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


def _obj_body(mesh: trimesh.Trimesh, uv: NDArray[np.float64] | None) -> str:
    faces = np.asarray(mesh.faces) + 1
    lines = [
        _rows("v %.7g %.7g %.7g", mesh.vertices),
        _rows("vn %.4f %.4f %.4f", mesh.vertex_normals),
    ]
    if uv is None:
        lines.append(_rows("f %d//%d %d//%d %d//%d", np.repeat(faces, 2, axis=1)))
    else:
        corners = 1 + np.arange(faces.size).reshape(-1, 3)
        lines.append(_rows("vt %.6f %.6f", uv.reshape(-1, 2)))
        interleaved = np.stack([faces, corners, faces], axis=-1).reshape(-1, 9)
        lines.append(_rows("f %d/%d/%d %d/%d/%d %d/%d/%d", interleaved))
    return "".join(lines)


def _rows(form: str, values: NDArray[np.generic]) -> str:
    return (f"{form}\n" * len(values)) % tuple(np.asarray(values).ravel().tolist())
