"""Collada files (.dae), node by node. Images are not opened.

The format: https://www.khronos.org/files/collada_spec_1_4.pdf.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.data.parts.formats.library_meshes import raw_part
from autourdf_ros.data.parts.formats.mesh_bounds import check_nodes, check_triangles
from autourdf_ros.data.parts.formats.raw_scene import (
    RawPart,
    RawScene,
    UpAxis,
    joined,
    placed,
    used_only,
)
from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml

_UP: dict[str, UpAxis] = {"X_UP": "x", "Y_UP": "y", "Z_UP": "z"}


def read_collada(path: Path) -> RawScene:
    """Read a Collada file: a part for each node with geometry, in its unit, with its up axis.

    Raises:
        InputError: It cannot be read, or holds too much.
    """
    # Before its own reader, which would resolve entities and unpack archives.
    root = read_xml(path, long_texts=True)
    metres, up = _asset(path, root)
    try:
        parts = [replace(one, metres=metres, up=up) for one in _parts(path, _opened(path))]
    except InputError:
        raise
    except Exception as error:  # what its reader raises is not documented
        raise InputError(
            f"{path}: not a readable Collada file ({type(error).__name__}: {str(error)[:100]})"
        ) from error
    return RawScene(tuple(parts))


def _asset(path: Path, root: etree._Element) -> tuple[float | None, UpAxis | None]:
    """Return metres of a unit and the up axis, None where they are not declared."""
    unit = root.find("{*}asset/{*}unit")
    up = root.findtext("{*}asset/{*}up_axis")
    if unit is None or unit.get("meter") is None:
        return None, _UP.get((up or "").strip())
    try:
        metres = float(unit.get("meter", ""))
    except ValueError:
        metres = 0.0
    if not 0.0 < metres < np.inf:
        raise InputError(
            f"{path}: its unit is {str(unit.get('meter'))[:40]!r} m; accepted is a number above 0"
        )
    return metres, _UP.get((up or "").strip())


def _opened(path: Path) -> Any:
    import collada

    ignored = [collada.common.DaeUnsupportedError, collada.common.DaeBrokenRefError]
    with path.open("rb") as stream:
        return collada.Collada(stream, ignore=ignored)


def _parts(path: Path, document: Any) -> Iterator[RawPart]:
    total = 0
    nodes = [] if document.scene is None else document.scene.nodes
    for number, (node, pose) in enumerate(_placed_nodes(path, nodes)):
        found = [_mesh(path, child) for child in node.children if hasattr(child, "geometry")]
        if not found:
            continue
        name = node.xmlnode.get("name") or node.xmlnode.get("id") or f"node_{number}"
        mesh = joined(tuple(found), name)
        total += len(mesh.triangles)
        check_triangles(path, total)
        yield placed(mesh, pose)


def _placed_nodes(path: Path, roots: list[Any]) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """Yield every node with its (4, 4) pose, parents first; instances as often as they occur."""
    waiting = [(node, np.eye(4)) for node in reversed(roots)]
    seen = 0
    while waiting:
        seen += 1
        check_nodes(path, seen + len(waiting))
        node, above = waiting.pop()
        if hasattr(node, "node"):  # an instance of a node
            waiting.append((node.node, above))
            continue
        if not hasattr(node, "matrix"):
            continue
        pose = above @ np.asarray(node.matrix, np.float64)
        yield node, pose
        inner = [one for one in node.children if hasattr(one, "children") or hasattr(one, "node")]
        waiting.extend((one, pose) for one in reversed(inner))


def _mesh(path: Path, instance: Any) -> RawPart:
    """Return all triangles of a geometry in its own frame."""
    found = []
    for primitive in instance.geometry.primitives:
        triangles = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
        corners = triangles.vertex_index
        if corners is None or np.ndim(corners) != 2 or np.shape(corners)[1] != 3:
            continue  # lines
        check_triangles(path, len(corners))
        found.append(used_only(raw_part(path, "", triangles.vertex, corners)))
    return joined(tuple(found), "")
