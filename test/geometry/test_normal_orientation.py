import numpy as np
import pytest

from autourdf_ros.geometry.normal_orientation import outward

RIM = 0.1  # radius of the plate's rim


def ball(rng, count, radius=1.0, middle=(0.0, 0.0, 0.0)):
    """Points on a ball, and their outer normals."""
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return radius * normals + middle, normals


def plate(rng, count):
    """Points on a round plate with a round rim, and their outer normals."""
    rims, faces = count // 4, count - count // 4
    radii, turns = np.sqrt(rng.random(faces)), rng.uniform(0, 2 * np.pi, faces)
    sides = rng.choice([-1.0, 1.0], faces)
    points = np.column_stack([radii * np.cos(turns), radii * np.sin(turns), RIM * sides])
    normals = np.outer(sides, [0.0, 0.0, 1.0])
    turns, tilts = rng.uniform(0, 2 * np.pi, rims), rng.uniform(-np.pi / 2, np.pi / 2, rims)
    out = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(rims)])
    rim = np.cos(tilts)[:, None] * out + np.outer(np.sin(tilts), [0.0, 0.0, 1.0])
    return np.concatenate([points, out + RIM * rim]), np.concatenate([normals, rim])


def tube(rng, count):
    """Points on a half-open tube with one round end, and their outer normals."""
    sides, ends = count // 2, count - count // 2
    angles = rng.uniform(0, 2 * np.pi, sides)
    normals = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])
    points = normals + np.outer(rng.uniform(-4, 0, sides), [0.0, 0.0, 1.0])
    end, end_normals = ball(rng, 4 * ends)
    upper = np.flatnonzero(end[:, 2] > 0)[:ends]
    return np.concatenate([points, end[upper]]), np.concatenate([normals, end_normals[upper]])


@pytest.mark.parametrize("shape", [ball, plate, tube])
def test_every_normal_points_outward(shape):
    rng = np.random.default_rng(0)
    points, normals = shape(rng, 2000)
    mixed = normals * rng.choice([-1.0, 1.0], (len(normals), 1))
    np.testing.assert_array_equal(outward(points, mixed), normals)


def test_pieces_that_are_apart_are_turned_alike():
    rng = np.random.default_rng(2)
    parts = [ball(rng, 500), ball(rng, 100, 0.3, (3.0, 0, 0)), ball(rng, 60, 0.2, (0, 4.0, 0))]
    points, normals = (np.concatenate(part) for part in zip(*parts, strict=True))
    turned = outward(points, normals * rng.choice([-1.0, 1.0], (len(normals), 1)))
    for piece in np.split(np.einsum("ni,ni->n", turned, normals), [500, 600]):
        assert np.allclose(piece, piece[0])


@pytest.mark.parametrize("count", [0, 1, 5, 12, 13])
def test_few_points_are_no_trouble(count):
    points, normals = ball(np.random.default_rng(3), count)
    np.testing.assert_array_equal(np.abs(outward(points, -normals)), np.abs(normals))
