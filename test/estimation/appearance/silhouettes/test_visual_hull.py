"""Outlines and the space that they leave."""

import numpy as np
import pytest
from sphere_images import AWAY, CENTRE, FOCAL, RADIUS, SIZE, cameras_at, sphere_mask

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.estimation.appearance.silhouettes.visual_hull import visual_hull


def test_the_hull_of_a_sphere_is_one():
    views = cameras_at(20)
    hull = visual_hull(Silhouettes.of(views, [sphere_mask(one) for one in views]), 1.5)

    away = np.linalg.norm(hull.points - CENTRE, axis=1)
    assert away.max() < RADIUS + 2 * hull.size
    volume = len(hull.points) * hull.size**3
    assert volume == pytest.approx(4 / 3 * np.pi * RADIUS**3, rel=0.15)
    outer, normals = hull.surface()
    outward = (hull.points[outer] - CENTRE) / away[outer, None]
    assert np.median(np.sum(outward * normals, axis=1)) > 0.97


def test_distances_are_those_from_the_outline():
    (view,) = cameras_at(1)
    field = Silhouettes.of([view], [sphere_mask(view)])
    right = view.pose[:3, 0]
    edge = FOCAL * RADIUS / np.sqrt(AWAY**2 - RADIUS**2)

    found = field.distances(CENTRE + np.outer([0.0, 0.3, 5.0], right))[0]

    assert found[0] == pytest.approx(-edge, abs=1.5)
    assert found[1] == pytest.approx(FOCAL * 0.3 / AWAY - edge, abs=1.5)
    assert np.isnan(found[2])


def test_masks_of_two_places_are_refused():
    views = cameras_at(8)
    masks = [sphere_mask(one) for one in views]
    masks[:4] = [np.roll(mask, 20, axis=1) for mask in masks[:4]]
    with pytest.raises(InputError, match="no space projects into all masks"):
        visual_hull(Silhouettes.of(views, masks), 1.5)


def test_empty_masks_are_refused():
    views = cameras_at(4)
    with pytest.raises(InputError, match="in no two masks"):
        visual_hull(Silhouettes.of(views, [np.zeros((SIZE, SIZE), np.float32)] * 4), 1.5)
