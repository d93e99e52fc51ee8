import numpy as np
import trimesh

from autourdf_ros.shape.segmentation.point_clustering import PointClusterOptions, clustered_points
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface

TEN = PointClusterOptions(clusters=10)


def bar():
    mesh = trimesh.creation.box((0.2, 0.02, 0.02))
    points = trimesh.sample.sample_surface(mesh, 1000, seed=0)[0]
    return points, np.where(points[:, :1] > 0.03, [1.0, 0, 0], [0, 0, 1.0])


def test_clusters_keep_to_colours():
    points, colours = bar()
    labels = clustered_points(ColouredSurface(points, colours), TEN)
    assert labels.max() + 1 == 10
    for label in range(10):
        assert len(np.unique(colours[labels == label], axis=0)) == 1


def test_clusters_keep_together_in_space():
    points, _ = bar()
    labels = clustered_points(ColouredSurface(points), TEN)
    spreads = [points[labels == label].std(0).max() for label in range(10)]
    assert np.median(spreads) < points.std(0).max() / 2


def test_points_of_one_place_are_one_cluster():
    labels = clustered_points(ColouredSurface(np.tile([[0.1, 0.2, 0.3]], (30, 1))), TEN)
    assert len(labels) == 30
