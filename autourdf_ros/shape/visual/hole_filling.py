"""What was never seen of a closed mesh, drawn tight between what was seen."""

from __future__ import annotations

import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, diags
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

_MOST_WRONG = 0.1  # of a patch's area that may lie inside out
_PROBE = 0.04  # of the reach: how far before and behind a triangle its sides are probed


def drawn_tight(
    mesh: trimesh.Trimesh, points: NDArray[np.float64], reach: float
) -> trimesh.Trimesh:
    """Return the closed mesh with vertices farther than `reach` (m) from the points moved.

    Each of them goes to the mean of its neighbours, the seen ones staying: a membrane (Botsch et
    al., Polygon Mesh Processing, 2010, sec. 9.3; uniform weights), flat across a flat rim, where
    Poisson surfaces bulge or sink. A patch that would turn inside out stays as it is.
    """
    vertices, faces = np.array(mesh.vertices, float), np.asarray(mesh.faces)
    edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    parts = _components(edges, len(vertices))
    free = cKDTree(points).query(vertices)[0] > reach
    free &= np.isin(parts, parts[~free])
    if not free.any():
        return mesh
    patches = np.where(free, _components(edges[free[edges].all(1)], len(vertices)), -1)
    filled = vertices.copy()
    filled[free] = _membrane(vertices, edges, free)
    while True:
        moved = np.where(free[:, None], filled, vertices)
        wrong = _inside_out(moved, faces, np.where(free, patches, -1), _PROBE * reach)
        if not len(wrong):
            return trimesh.Trimesh(moved, faces, process=False)
        free &= ~np.isin(patches, wrong)


def _components(edges: NDArray[np.integer], count: int) -> NDArray[np.integer]:
    graph = coo_matrix((np.ones(len(edges)), edges.T), shape=(count, count))
    labels: NDArray[np.integer] = connected_components(graph, directed=False)[1]
    return labels


def _membrane(
    vertices: NDArray[np.float64], edges: NDArray[np.integer], free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Places of the free vertices, each in the mean of its neighbours."""
    # In a closed oriented mesh every edge stands once in each direction.
    adjacency = csr_matrix((np.ones(len(edges)), edges.T), shape=(len(vertices),) * 2)
    laplacian = (diags(adjacency.sum(1).A1) - adjacency).tocsr()[free]
    pull = -laplacian[:, ~free] @ vertices[~free]
    places: NDArray[np.float64] = splu(laplacian[:, free].tocsc(), "MMD_AT_PLUS_A").solve(pull)
    return places


def _inside_out(
    vertices: NDArray[np.float64],
    faces: NDArray[np.integer],
    patches: NDArray[np.integer],
    probe: float,
) -> NDArray[np.integer]:
    """The patches (of vertices, -1 for none) too much of whose area has not its inside behind."""
    own = patches[faces].max(1)
    touched = np.flatnonzero(own >= 0)
    if not len(touched):
        return touched
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    scene.add_triangles(_tensor(vertices, np.float32), _tensor(faces, np.uint32))
    corners = vertices[faces[touched]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    step = probe * normals / np.maximum(areas, np.finfo(float).tiny)[:, None]
    before, behind = (
        scene.compute_occupancy(_tensor(corners.mean(1) + side * step, np.float32)).numpy() > 0
        for side in (1, -1)
    )
    total = np.bincount(own[touched], areas)
    wrong = np.bincount(own[touched], areas * (before | ~behind))
    return np.flatnonzero(wrong > _MOST_WRONG * total)


def _tensor(values: NDArray[np.generic], kind: type[np.generic]) -> o3d.core.Tensor:
    return o3d.core.Tensor.from_numpy(np.array(values, kind))
