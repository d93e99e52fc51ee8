"""Wavefront OBJ files, part by part. Materials are not opened.

The format: https://paulbourke.net/dataformats/obj/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS, check_triangles
from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene, fans, used_only
from autourdf_ros.errors import InputError

# Runs of lines of one kind, so that numbers are read many at once. A run is bounded, as its words
# take far more memory than its text.
_RUNS = re.compile(
    rb"^(?:(?P<v>(?:v[ \t][^\n]*+\n){1,60000}+)"
    rb"|(?P<f>(?:f[ \t][^\n]*+\n){1,60000}+)"
    rb"|(?P<name>[og](?:[ \t][^\n]*+)?+)\n)",
    re.MULTILINE,
)


@dataclass
class _Content:
    """What is read so far: blocks of vertices, and blocks of triangles by object and group."""

    vertices: list[NDArray[np.float64]] = field(default_factory=list)
    count: int = 0
    triangles: dict[tuple[str, str], list[NDArray[np.int64]]] = field(default_factory=dict)
    triangle_count: int = 0
    key: tuple[str, str] = ("", "")


def read_obj(path: Path) -> RawScene:
    """Read an OBJ file: a part for each object `o`, or for each group `g` of a single object.

    Raises:
        InputError: A line cannot be understood, or there are too many parts or triangles.
    """
    text = path.read_bytes().replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"\r", b"\n")
    text = re.sub(rb"#[^\n]*|^[ \t]+", b"", text, flags=re.MULTILINE) + b"\n"
    content = _Content()
    for run in _RUNS.finditer(text):
        try:
            _take(content, run)
        except (ValueError, OverflowError) as error:
            line = text.count(b"\n", 0, run.start()) + 1
            raise InputError(
                f"{path}: not a readable OBJ file: lines from {line} on: {str(error)[:100]}"
            ) from error
        check_triangles(path, content.triangle_count)
        if len(content.triangles) > BOUNDS.parts:
            raise InputError(
                f"{path}: has more than {BOUNDS.parts} objects or groups; accepted are up to "
                f"{BOUNDS.parts}"
            )
    return RawScene(tuple(_parts(path, content)))


def _take(content: _Content, run: re.Match[bytes]) -> None:
    if run["v"]:
        block = np.array(
            [float(word) for line in _lines(run["v"]) for word in _coordinates(line)]
        ).reshape(-1, 3)
        content.vertices.append(block)
        content.count += len(block)
    elif run["f"]:
        block = _triangles(_lines(run["f"]), content.count)
        content.triangles.setdefault(content.key, []).append(block)
        content.triangle_count += len(block)
    else:
        name = run["name"][1:].decode("utf-8", "replace").strip()
        content.key = (name, "") if run["name"][:1] == b"o" else (content.key[0], name)


def _lines(run: bytes) -> Iterator[list[bytes]]:
    """Yield the words of each line, without the first."""
    return (line.split()[1:] for line in run.split(b"\n") if line.strip())


def _coordinates(words: list[bytes]) -> list[bytes]:
    if len(words) < 3:
        raise ValueError(f"a vertex has {len(words)} coordinates")
    return words[:3]


def _triangles(lines: Iterable[list[bytes]], known: int) -> NDArray[np.int64]:
    """Return (T, 3) triangles of polygons, each as a fan; indices count from the `known` vertices.

    Raises:
        ValueError: A polygon has fewer than three corners, or an unknown vertex.
    """
    rows = list(lines)
    sizes = np.array([len(row) for row in rows])
    written = np.array([int(word.partition(b"/")[0]) for row in rows for word in row], np.int64)
    if sizes.min() < 3:
        raise ValueError(f"a face has {sizes.min()} corners")
    corners = np.where(written < 0, known + written, written - 1)
    if corners.min() < 0 or corners.max() >= known:
        wrong = written[(corners < 0) | (corners >= known)][0]
        raise ValueError(f"a face names vertex {wrong} of {known}")
    return fans(sizes, corners)


def _parts(path: Path, content: _Content) -> list[RawPart]:
    if not content.triangles:
        return []
    vertices = np.concatenate(content.vertices)
    by_object = len({key[0] for key in content.triangles}) > 1
    blocks: dict[str, list[NDArray[np.int64]]] = {}
    for (own, group), found in content.triangles.items():
        blocks.setdefault((own if by_object else group or own) or path.stem, []).extend(found)
    return [
        used_only(RawPart(name, vertices, np.concatenate(found))) for name, found in blocks.items()
    ]
