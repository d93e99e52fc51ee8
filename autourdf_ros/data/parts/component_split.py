"""Split one mesh into its connected components."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS
from autourdf_ros.data.parts.formats.raw_scene import RawPart, joined, used_only
from autourdf_ros.data.parts.part_assembly import SetAside
from autourdf_ros.data.parts.parts_options import LIMITS, PartLimits
from autourdf_ros.errors import InputError

_MOST_COMPONENTS = 20_000  # bound of time; a soup of loose triangles has as many as triangles

_SURFACES_OF_A_PART = 4  # bound of time: an outer one, and cavities


@dataclass(frozen=True)
class Split:
    """What a mesh was split into.

    Attributes:
        parts: The largest first, numbered from 1.
        set_aside: Small components far from all others, by number.
        note: A sentence for the user; empty where the mesh is one component.
    """

    parts: tuple[RawPart, ...]
    set_aside: tuple[SetAside, ...]
    note: str


def split_components(part: RawPart, limits: PartLimits = LIMITS) -> Split:
    """Split a mesh whose vertices are merged.

    A component smaller than `limits.small_component` of the mesh joins the nearest large one, if
    that is within `limits.joining`. An inner surface, whose triangles face inwards, joins the
    smallest component around it.

    Raises:
        InputError: There are more components than the bound.
    """
    components = _components(part)
    if len(components) < 2:
        return Split((part,), (), "")
    diagonal = _diagonal(part.vertices)
    owners, lonely = _owners(components, diagonal, limits)
    groups: dict[int, list[RawPart]] = {}
    for number, owner in enumerate(owners):
        if owner >= 0:
            groups.setdefault(owner, []).append(components[number])
    width = len(str(len(groups)))
    parts = tuple(
        joined(tuple(group), f"{part.name}_{number:0{width}d}")
        for number, group in enumerate(groups.values(), 1)
    )
    aside = tuple(
        SetAside(f"{part.name}_component_{number + 1}", reason) for number, reason in lonely.items()
    )
    return Split(parts, aside, _note(part.name, len(components), len(parts), len(aside), limits))


def _note(name: str, components: int, parts: int, aside: int, limits: PartLimits) -> str:
    added = components - parts - aside
    text = f"The mesh '{name}' has {components} connected components and was split into {parts}"
    if added:
        text += (
            f"; {added} inner surfaces or components below {100 * limits.small_component:g} % of "
            "its size were joined to others"
        )
    return text + (f"; {aside} were set aside." if aside else ".")


def _components(part: RawPart) -> list[RawPart]:
    """Return the connected components, those with the largest boxes first."""
    corners = part.triangles
    ones = np.ones(2 * len(corners), bool)
    rows, columns = corners[:, :2].ravel(), corners[:, 1:].ravel()
    graph = coo_array((ones, (rows, columns)), shape=(len(part.vertices),) * 2)
    count, labels = connected_components(graph, directed=False)
    if count > _MOST_COMPONENTS:
        raise InputError(
            f"'{part.name}': has {count} connected components; accepted are up to "
            f"{_MOST_COMPONENTS}: its triangles do not share vertices"
        )
    of_triangles = labels[corners[:, 0]]
    order = np.argsort(of_triangles, kind="stable")
    cuts = np.flatnonzero(np.diff(of_triangles[order])) + 1
    found = [used_only(replace(part, triangles=corners[one])) for one in np.split(order, cuts)]
    whole = _diagonal(part.vertices)
    # Rounded, so that rounding errors do not order equal ones.
    return sorted(found, key=lambda one: -round(_diagonal(one.vertices) / whole, 6))


def _owners(
    components: list[RawPart], diagonal: float, limits: PartLimits
) -> tuple[list[int], dict[int, str]]:
    """Return the component that each belongs to, -1 for none, and why for those."""
    owners = list(range(len(components)))
    small = [_diagonal(one.vertices) < limits.small_component * diagonal for one in components]
    _check_count(len(small) - sum(small), _SURFACES_OF_A_PART * BOUNDS.parts)
    for number, one in enumerate(components):
        if not small[number] and (around := _around(components[:number], one)) is not None:
            owners[number] = owners[around]
    large = sorted({owner for number, owner in enumerate(owners) if not small[number]})
    lonely: dict[int, str] = {}
    if not large:
        return owners, lonely
    _check_count(len(large), BOUNDS.parts)
    nearest = _Nearest([components[number] for number in large])
    for number in (index for index, is_small in enumerate(small) if is_small):
        gap, which = nearest(components[number].vertices)
        if gap <= limits.joining * diagonal:
            owners[number] = large[which]
        else:
            owners[number] = -1
            share = 100 * _diagonal(components[number].vertices) / diagonal
            lonely[number] = (
                f"is {share:.2g} % of the mesh in size and {100 * gap / diagonal:.2g} % "
                "of its size from the nearest part"
            )
    return owners, lonely


def _check_count(found: int, most: int) -> None:
    if found > most:
        raise InputError(
            f"a mesh has {found} connected components of {100 * LIMITS.small_component:g} % of its "
            f"size or more; accepted are up to {most}"
        )


class _Nearest:
    """Which of several surfaces is nearest to a point of a set."""

    def __init__(self, surfaces: list[RawPart]) -> None:
        import open3d as o3d

        self._library = o3d
        self._origin = np.mean([one.vertices.mean(0) for one in surfaces], axis=0)
        self._scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        for one in surfaces:
            self._scene.add_triangles(
                self._tensor(one.vertices),
                o3d.core.Tensor.from_numpy(one.triangles.astype(np.uint32)),
            )

    def __call__(self, points: NDArray[np.float64]) -> tuple[float, int]:
        """Return the least distance of (N, 3) points, and the number of that surface."""
        asked = self._tensor(points)
        found = self._scene.compute_closest_points(asked, nthreads=1)
        gaps = np.linalg.norm((found["points"] - asked).numpy(), axis=1)
        closest = int(np.argmin(gaps))
        return float(gaps[closest]), int(found["geometry_ids"].numpy()[closest])

    def _tensor(self, points: NDArray[np.float64]) -> Any:
        return self._library.core.Tensor.from_numpy((points - self._origin).astype(np.float32))


def _around(larger: list[RawPart], inner: RawPart) -> int | None:
    """Return the smallest box's component around one that faces inwards; None otherwise."""
    if not larger or _volume(inner) >= 0:
        return None
    low, high = inner.vertices.min(0), inner.vertices.max(0)
    for number in range(len(larger) - 1, -1, -1):
        one = larger[number].vertices
        if (one.min(0) <= low).all() and (high <= one.max(0)).all() and _volume(larger[number]) > 0:
            return number
    return None


def _volume(part: RawPart) -> float:
    """Return the signed volume; 0 for an open surface."""
    edges = part.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forth = edges @ (len(part.vertices), 1)
    back = edges[:, ::-1] @ (len(part.vertices), 1)
    if not np.array_equal(np.sort(forth), np.sort(back)):
        return 0.0
    a, b, c = np.moveaxis(part.vertices[part.triangles] - part.vertices.mean(0), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def _diagonal(points: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))
