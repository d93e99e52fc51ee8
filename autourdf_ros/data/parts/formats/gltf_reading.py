"""glTF 2.0 files (.gltf, .glb), node by node. Images are not opened.

The format: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.parts.formats.gltf_container import GltfFile, read_container
from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS, check_nodes, check_triangles
from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene, joined, placed, used_only
from autourdf_ros.errors import InputError

_TRIANGLES, _STRIP, _FAN = 4, 5, 6  # modes of a primitive; the others are points and lines
_KNOWN_EXTENSIONS = ("KHR_mesh_quantization", "KHR_texture_transform")


def read_gltf(path: Path) -> RawScene:
    """Read a glTF file: a part for each node that has a mesh, in metres, its y axis up.

    Raises:
        InputError: It cannot be read, is compressed, or holds too much.
    """
    try:
        return RawScene(tuple(_parts(read_container(path))))
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InputError(
            f"{path}: not a readable glTF file ({type(error).__name__}: {str(error)[:100]})"
        ) from error
    except RecursionError as error:
        raise InputError(f"{path}: not a readable glTF file: it is nested too deeply") from error


def _parts(file: GltfFile) -> list[RawPart]:
    path, content = file.path, file.content
    required = set(content.get("extensionsRequired", ())) - set(_KNOWN_EXTENSIONS)
    packed = sorted(name for name in required if not name.startswith("KHR_materials"))
    if packed:
        raise InputError(
            f"{path}: requires {', '.join(map(str, packed))[:100]}; accepted is plain glTF 2.0: "
            "export it without compression"
        )
    meshes: dict[int, RawPart] = {}
    parts: list[RawPart] = []
    total = 0
    for number, pose in _placed_nodes(file):
        node = content["nodes"][number]
        which = node["mesh"]
        if which not in meshes:
            meshes[which] = _mesh(file, which)
        mesh = meshes[which]
        total += len(mesh.triangles)
        check_triangles(path, total)
        name = node.get("name") or content["meshes"][which].get("name") or f"node_{number}"
        parts.append(replace(placed(mesh, pose), name=str(name)))
    return parts


def _placed_nodes(file: GltfFile) -> list[tuple[int, NDArray[np.float64]]]:
    """Return number and (4, 4) pose of the nodes with a mesh, parents first."""
    nodes = file.content.get("nodes", [])
    scenes = file.content.get("scenes")
    if scenes:
        roots = scenes[file.content.get("scene", 0)].get("nodes", [])
    else:
        roots = sorted(
            set(range(len(nodes))) - {one for n in nodes for one in n.get("children", ())}
        )
    waiting = [(number, np.eye(4)) for number in reversed(roots)]
    found: list[tuple[int, NDArray[np.float64]]] = []
    seen = 0
    while waiting:
        seen += 1
        check_nodes(file.path, seen + len(waiting))  # also ends circles
        number, above = waiting.pop()
        pose = above @ _pose(nodes[number])
        if "mesh" in nodes[number]:
            found.append((number, pose))
        waiting.extend((child, pose) for child in reversed(nodes[number].get("children", [])))
    return found


def _pose(node: dict[str, Any]) -> NDArray[np.float64]:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(node.get("rotation", (0, 0, 0, 1))).as_matrix()
    pose[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), dtype=np.float64)
    pose[:3, 3] = node.get("translation", (0, 0, 0))
    return pose


def _mesh(file: GltfFile, number: int) -> RawPart:
    """Return all triangles of a mesh in its own frame."""
    found = []
    total = 0
    for primitive in file.content["meshes"][number]["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            continue
        positions = file.accessor(primitive["attributes"]["POSITION"], 3)
        if "indices" in primitive:
            order = file.accessor(primitive["indices"], 1)[:, 0]
        else:
            order = np.arange(len(positions))
        total += len(order) // (3 if mode == _TRIANGLES else 1)
        check_triangles(file.path, total)
        corners = _corners(order.astype(np.int64), mode)
        if len(corners) and corners.max() >= len(positions):
            raise ValueError(f"a triangle names vertex {corners.max()} of {len(positions)}")
        part = used_only(RawPart("", positions, corners, 1.0, "y"))
        factor = file.factor(primitive["attributes"]["POSITION"])
        found.append(replace(part, vertices=part.vertices * np.float64(factor)))
        if len(found) > BOUNDS.nodes:
            raise ValueError(f"a mesh has more than {BOUNDS.nodes} primitives")
    return replace(joined(tuple(found), ""), metres=1.0, up="y")


def _corners(order: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """Return (T, 3) triangles of a list, a strip or a fan of vertices."""
    if mode == _TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if len(order) < 3:
        return np.empty((0, 3), np.int64)
    if mode == _FAN:
        return np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], axis=1)
    corners = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
    corners[1::2] = corners[1::2, ::-1]  # every second one of a strip is turned around
    return corners
