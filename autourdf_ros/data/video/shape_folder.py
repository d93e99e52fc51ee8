"""Reads and writes the shapes of a video: `shapes.yaml`, and meshes beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import trimesh
import yaml
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.image_files import check_file
from autourdf_ros.data.parts.formats.mesh_file import read_mesh_file
from autourdf_ros.data.parts.formats.raw_scene import joined
from autourdf_ros.data.video.primitive_shapes import PrimitiveKind, PrimitiveShape
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.files.yaml_reading import parse_yaml
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh

Array = NDArray[np.float64]

SHAPES_FILE = "shapes.yaml"
_PRIMITIVES: tuple[PrimitiveKind, ...] = get_args(PrimitiveKind)
_KEYS = {"name", "mesh", "scale", "pose", "color", *_PRIMITIVES}
_MOST_SHAPES = 200  # masks number them in 8 bits
_ACCEPTED = (
    "accepted is 'shapes:' with a list of name, one of mesh, box, sphere, cylinder and capsule, "
    "and where known scale, pose and color"
)


def read_shapes(folder: Path) -> tuple[VideoShape, ...]:
    """Return the shapes of a folder with `shapes.yaml`.

    Raises:
        InputError: names the file, the shape and the key, the value found, and what is accepted.
    """
    path = folder / SHAPES_FILE
    check_file(path, f"accepted is a folder with {SHAPES_FILE}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    found = parse_yaml(text, str(path))
    entries = found.get("shapes") if isinstance(found, dict) else None
    if not isinstance(entries, list) or not 0 < len(entries) <= _MOST_SHAPES:
        raise InputError(f"{path}: has no list of 1 to {_MOST_SHAPES} shapes; {_ACCEPTED}")
    shapes = tuple(_shape(path, number, entry) for number, entry in enumerate(entries))
    names = [shape.name for shape in shapes]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}: the name {double!r} occurs twice; accepted are unique names")
    return shapes


def write_shapes(
    shapes: Sequence[VideoShape], primitives: Sequence[PrimitiveShape | None], folder: Path
) -> None:
    """Write shapes to an existing folder: primitives as such, others as PLY.

    Args:
        shapes: Of the bodies.
        primitives: What each is, or None: a mesh.
        folder: An existing one.
    """
    entries = []
    for shape, primitive in zip(shapes, primitives, strict=True):
        entry: dict[str, Any] = {"name": shape.name}
        if primitive is None:
            entry["mesh"] = f"{shape.name}.ply"
            trimesh.Trimesh(shape.mesh.vertices, shape.mesh.triangles, process=False).export(
                folder / entry["mesh"]
            )
        else:
            entry[primitive.kind] = [float(value) for value in primitive.size]
        if shape.first_pose is not None:
            turn = Rotation.from_matrix(shape.first_pose[:3, :3]).as_quat().tolist()
            entry["pose"] = {"position": shape.first_pose[:3, 3].tolist(), "quaternion": turn}
        if shape.color is not None:
            entry["color"] = [float(value) for value in shape.color]
        entries.append(entry)
    text = yaml.safe_dump({"shapes": entries}, sort_keys=False, default_flow_style=None)
    replace_text(folder / SHAPES_FILE, text)


def _shape(path: Path, number: int, entry: Any) -> VideoShape:
    if not isinstance(entry, dict):
        raise InputError(f"{path}: shape {number} is {entry!r:.60}; {_ACCEPTED}")
    name = entry.get("name")
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{path}: name of shape {number} is {name!r:.60}; accepted is a text")
    where = f"{path}: shape {name!r:.60}"
    if unknown := [key for key in entry if key not in _KEYS]:
        raise InputError(f"{where}: has the key {unknown[0]!r:.60}; {_ACCEPTED}")
    kinds = [kind for kind in ("mesh", *_PRIMITIVES) if kind in entry]
    if len(kinds) != 1:
        raise InputError(f"{where}: has {', '.join(kinds) or 'no shape'}; {_ACCEPTED}")
    color = None
    if "color" in entry:
        red, green, blue = _numbers(where, "color", entry["color"], 3)
        color = red, green, blue
        if not all(0 <= value <= 255 for value in color):
            raise InputError(f"{where}: color is {list(color)}; accepted are 0 to 255")
    paint = None if color is None else np.array(color).round().astype(np.uint8)
    if kinds == ["mesh"]:
        mesh = _mesh(path, where, entry, paint)
    else:
        mesh = _primitive(where, kinds[0], entry, paint)
    pose = None if entry.get("pose") is None else _pose(where, entry["pose"])
    return VideoShape(name, mesh, pose, color)


def _primitive(
    where: str, kind: Any, entry: dict[str, Any], paint: NDArray[np.uint8] | None
) -> SurfaceMesh:
    given = entry[kind] if isinstance(entry[kind], list) else [entry[kind]]
    size = tuple(_numbers(where, kind, given, len(given)))
    try:
        return PrimitiveShape(kind, size).surface(paint)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _mesh(
    path: Path, where: str, entry: dict[str, Any], paint: NDArray[np.uint8] | None
) -> SurfaceMesh:
    given = entry["mesh"]
    if not isinstance(given, str) or not given or "\0" in given:
        raise InputError(f"{where}: mesh is {given!r:.60}; accepted is a file beside {path.name}")
    file = path.parent / given
    if not file.resolve().is_relative_to(path.parent.resolve()):
        raise InputError(f"{where}: mesh is {given!r:.60}; accepted are files in {path.parent}")
    check_file(file, "accepted are PLY, STL, OBJ, GLB, DAE and OFF meshes")
    (scale,) = _numbers(where, "scale", [entry.get("scale", 1.0)], 1)
    if not scale > 0:
        raise InputError(f"{where}: scale is {scale}; accepted are metres of one unit, above 0")
    part = joined(read_mesh_file(file).parts, given)
    if not len(part.triangles) or not np.isfinite(part.vertices).all():
        raise InputError(f"{file}: has no triangles, or vertices that are not finite")
    unit = scale if "scale" in entry else (part.metres or 1.0)
    return from_trimesh(_closed(file, part.vertices * unit, part.triangles), paint)


def _closed(
    file: Path, vertices: NDArray[np.float64], triangles: NDArray[np.int64]
) -> trimesh.Trimesh:
    """Return a closed surface, normals outward; corners that coincide are joined where needed."""
    solid = trimesh.Trimesh(vertices, triangles, process=False)
    if not solid.is_watertight:
        solid = trimesh.Trimesh(vertices, triangles, process=True)
        solid.merge_vertices()
        trimesh.repair.fill_holes(solid)  # of three or four corners, as rounding makes them
    if not solid.is_watertight:
        raise InputError(
            f"{file}: its surface is open; accepted is a closed one (fill the holes, or give a "
            "primitive instead)"
        )
    if not solid.is_winding_consistent or solid.volume < 0:
        solid.fix_normals()
    return solid


def _pose(where: str, given: Any) -> Array:
    if not isinstance(given, dict) or set(given) != {"position", "quaternion"}:
        raise InputError(
            f"{where}: pose is {given!r:.60}; accepted is position [x, y, z] (m) and quaternion "
            "[x, y, z, w] in the world"
        )
    turn = np.array(_numbers(where, "quaternion", given["quaternion"], 4))
    if not 0.99 < np.linalg.norm(turn) < 1.01:
        raise InputError(f"{where}: quaternion is {turn.tolist()}; accepted is norm 1")
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(turn).as_matrix()
    pose[:3, 3] = _numbers(where, "position", given["position"], 3)
    return pose


def _numbers(where: str, name: str, given: Any, count: int) -> list[float]:
    numbers = isinstance(given, list) and len(given) == count
    if not numbers or not all(_is_number(value) for value in given):
        raise InputError(f"{where}: {name} is {given!r:.60}; accepted: {count} numbers")
    return [float(value) for value in given]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9
