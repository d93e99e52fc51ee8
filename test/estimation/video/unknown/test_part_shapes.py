"""Parts of which some sides were seen become closed shapes, and say how much is a guess."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.video.video_shape import SeenSides
from autourdf_ros.estimation.video.unknown import part_shapes as module
from autourdf_ros.estimation.video.unknown.part_shapes import part_shapes, shape_doubts
from autourdf_ros.model.layers.shape import Surface

pytestmark = pytest.mark.slow


def _seen(towards=None):
    """Points on a box at (1, 0, 0), of all faces or of those that face a direction."""
    box = trimesh.creation.box((0.2, 0.1, 0.06)).apply_translation((1, 0, 0))
    points, faces = trimesh.sample.sample_surface(box, 3000, seed=0)
    normals = box.face_normals[faces]
    kept = np.ones(len(points), bool) if towards is None else normals @ towards > 0.5
    return Surface(np.asarray(points[kept], float), np.asarray(normals[kept], float))


def _shown(*surfaces):
    """What a frame shows of surfaces: all of it."""
    return [SeenSides(one.points, one.normals, 0.003) for one in surfaces]


def test_a_body_that_was_seen_all_round_is_itself_and_no_doubt():
    (part,) = part_shapes([_seen()], _shown(_seen()))
    mesh = trimesh.Trimesh(part.shape.mesh.vertices, part.shape.mesh.triangles)
    assert mesh.is_watertight and mesh.volume == pytest.approx(0.2 * 0.1 * 0.06, rel=0.1)
    assert part.shape.name == "part_1" and np.allclose(
        part.shape.first_pose[:3, 3], [1, 0, 0], atol=5e-3
    )
    assert np.abs(mesh.bounds.mean(axis=0)).max() < 1e-6
    assert shape_doubts([part]) == ()
    assert part.shape.seen is None


def test_sides_that_were_never_seen_are_named_and_those_seen_kept(monkeypatch):
    monkeypatch.setattr(module, "GUESSED", 0.1)
    seen = [_seen(), _seen(np.array([0, -1.0, 1.0]) / np.sqrt(2))]
    found = part_shapes(seen, _shown(*seen))
    assert found[0].unseen < 0.05 < 0.2 < found[1].unseen
    (doubt,) = shape_doubts(found)
    assert doubt.startswith("part_2: ") and "never seen" in doubt
    assert found[0].shape.seen is None
    kept = found[1].shape.seen
    assert kept.width == 0.003
    placed = kept.points + found[1].shape.first_pose[:3, 3]
    np.testing.assert_allclose(placed, seen[1].points, atol=1e-12)
