import numpy as np
import pytest
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.shape.segmentation.over_segmentation import ClusterOptions, over_segmented
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import mesh_solid
from autourdf_ros.shape.solid.solid_options import SolidOptions


def two_colours():
    mesh = trimesh.creation.box((0.1, 0.02, 0.02))
    points = trimesh.sample.sample_surface(mesh, 2000, seed=0)[0]
    colours = np.where(points[:, :1] > 0, [1.0, 0, 0], [0, 0, 1.0])
    return mesh_solid(mesh, ColouredSurface(points, colours), SolidOptions(elements=2000))


def test_no_cluster_crosses_colours_and_all_are_compact():
    body = two_colours()
    labels = over_segmented(body, ClusterOptions(clusters=20))
    assert set(labels) == set(range(20))
    for label in range(20):
        own = labels == label
        assert len(np.unique(body.colours[own], axis=0)) == 1
        assert np.ptp(body.centres[own], axis=0).max() < 0.03


def test_more_clusters_than_elements_are_as_many_as_elements():
    body = two_colours()
    labels = over_segmented(body, ClusterOptions(clusters=10**6))
    assert labels.max() + 1 == len(body.centres)


def test_no_clusters_are_refused():
    with pytest.raises(InputError, match="0 clusters"):
        over_segmented(two_colours(), ClusterOptions(clusters=0))


def test_no_cluster_crosses_the_border_of_a_group():
    body = two_colours()
    groups = (body.centres[:, 0] > np.median(body.centres[:, 0])).astype(np.int64)
    labels = over_segmented(body, ClusterOptions(clusters=20), groups)
    assert 2 <= labels.max() + 1 <= 21
    for label in range(labels.max() + 1):
        assert len(set(groups[labels == label])) == 1
