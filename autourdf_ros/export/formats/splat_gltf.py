"""Gaussian splats on the links of a robot as binary glTF.

glTF 2.0 with Khronos' extension KHR_gaussian_splatting (release candidate of 2026): points with
rotation, scale, opacity and the coefficient of degree 0 as attributes. Programs that do not know
the extension show coloured points. Every link is a node of its name, which hangs on its parent's.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

EXTENSION = "KHR_gaussian_splatting"
C0 = 0.28209479177387814
"""Spherical harmonic of degree 0; a colour is 0.5 and C0 times the coefficient."""
_MAGIC, _VERSION, _JSON, _BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
_FLOAT, _POINTS, _ARRAY_BUFFER = 5126, 0, 34962
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_UPRIGHT = [-float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5))]
"""Rotation (x, y, z, w) from z up, as the robot has it, to y up, as glTF has it."""


@dataclass(frozen=True)
class GltfSplats:
    """N splats in the frame of their link.

    Attributes:
        means: (N, 3), m.
        quaternions: (N, 4) w, x, y, z of any length above 0.
        scales: (N, 3) standard deviations (m).
        opacities: (N,) in (0, 1).
        colors: (N, 3) sRGB, usually in [0, 1].
    """

    means: NDArray[np.floating]
    quaternions: NDArray[np.floating]
    scales: NDArray[np.floating]
    opacities: NDArray[np.floating]
    colors: NDArray[np.floating]


@dataclass(frozen=True)
class GltfLink:
    """A link.

    Attributes:
        name: Of it.
        parent: Name of the link that it hangs on; None for the root.
        pose: (4, 4) in its parent, of the root in the base frame.
        splats: On it, or None.
    """

    name: str
    parent: str | None
    pose: NDArray[np.floating]
    splats: GltfSplats | None


def write_splat_gltf(robot: str, links: Sequence[GltfLink], path: Path) -> None:
    """Write a GLB file.

    Args:
        robot: Name of the node above all, which turns z up to y up.
        links: Every one after its parent.
        path: Of the file.
    """
    buffer = _Buffer()
    numbers = {link.name: number for number, link in enumerate(links, 1)}
    nodes: list[dict[str, Any]] = [{"name": robot, "rotation": _UPRIGHT, "children": []}]
    meshes: list[dict[str, Any]] = []
    for link in links:
        node: dict[str, Any] = {
            "name": link.name,
            "translation": np.asarray(link.pose[:3, 3], float).tolist(),
            "rotation": Rotation.from_matrix(link.pose[:3, :3]).as_quat().tolist(),
        }
        if link.splats is not None and len(link.splats.means):
            node["mesh"] = len(meshes)
            meshes.append({"name": link.name, "primitives": [_primitive(link.splats, buffer)]})
        above = nodes[0 if link.parent is None else numbers[link.parent]]
        above.setdefault("children", []).append(len(nodes))
        nodes.append(node)
    content = {
        "asset": {"version": "2.0", "generator": "autourdf_ros"},
        "extensionsUsed": [EXTENSION],
        "scene": 0,
        "scenes": [{"name": robot, "nodes": [0]}],
        "nodes": nodes,
        "meshes": meshes,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.content)}],
    }
    text = json.dumps(content, separators=(",", ":")).encode()
    chunks = [(_JSON, text + b" " * (-len(text) % 4)), (_BIN, bytes(buffer.content))]
    total = 12 + sum(8 + len(chunk) for _, chunk in chunks)
    parts = [struct.pack("<III", _MAGIC, _VERSION, total)]
    for kind, chunk in chunks:
        parts += [struct.pack("<II", len(chunk), kind), chunk]
    path.write_bytes(b"".join(parts))


class _Buffer:
    """The binary chunk, and what says where each array is in it."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, array: NDArray[np.floating], bounds: bool = False) -> int:
        """Append floats (N,) or (N, C), and return the accessor's number."""
        floats = np.ascontiguousarray(array, "<f4")
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": _FLOAT,
            "count": len(floats),
            "type": _TYPES[1 if floats.ndim == 1 else floats.shape[1]],
        }
        if bounds:
            accessor |= {"min": floats.min(axis=0).tolist(), "max": floats.max(axis=0).tolist()}
        place = {"buffer": 0, "byteOffset": len(self.content), "byteLength": floats.nbytes}
        self.views.append({**place, "target": _ARRAY_BUFFER})
        self.content += floats.tobytes()
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def _primitive(splats: GltfSplats, buffer: _Buffer) -> dict[str, Any]:
    turns = splats.quaternions / np.linalg.norm(splats.quaternions, axis=1, keepdims=True)
    shown = np.column_stack([_linear(splats.colors.clip(0, 1)), splats.opacities])
    attributes: Mapping[str, NDArray[np.floating]] = {
        "COLOR_0": shown,
        f"{EXTENSION}:ROTATION": turns[:, [1, 2, 3, 0]],
        f"{EXTENSION}:SCALE": splats.scales,
        f"{EXTENSION}:OPACITY": splats.opacities,
        f"{EXTENSION}:SH_DEGREE_0_COEF_0": (splats.colors - 0.5) / C0,
    }
    return {
        "mode": _POINTS,
        "attributes": {
            "POSITION": buffer.add(splats.means, bounds=True),
            **{name: buffer.add(array) for name, array in attributes.items()},
        },
        "extensions": {EXTENSION: {"kernel": "ellipse", "colorSpace": "srgb_rec709_display"}},
    }


def _linear(colors: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return sRGB colours in [0, 1] as linear ones, which glTF has (IEC 61966-2-1)."""
    return np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
