import numpy as np
import open3d as o3d

from autourdf_ros.assessment.metrics.truth.body_points import BodySurfaces
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh


def test_triangles_without_area_have_no_say() -> None:
    box = o3d.geometry.TriangleMesh.create_box()
    vertices = np.asarray(box.vertices, np.float32)
    edge = [
        np.flatnonzero((vertices == corner).all(axis=1))[0] for corner in ([0, 0, 1], [1, 0, 1])
    ]
    triangles = np.concatenate([np.asarray(box.triangles), [[*edge, edge[0]], [edge[1]] * 3]])
    surface = SurfaceMesh(vertices, triangles.astype(np.uint32), np.zeros_like(triangles, np.uint8))
    points = np.array([[0.5, 0, 1.01], [0.5, 0.001, 1.01], [1, 0, 1.01]], np.float32)
    found = BodySurfaces([surface]).attribute(points, np.eye(4)[None])
    assert found.labels.tolist() == [0, 0, 0]
    np.testing.assert_allclose(found.distances, 0.01, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1, atol=1e-6)
