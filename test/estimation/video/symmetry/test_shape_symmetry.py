"""Symmetries of meshes are found, and none where there is none."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.video.symmetry.equivalent_poses import free_turns, nearest_equivalent
from autourdf_ros.estimation.video.symmetry.shape_symmetry import shape_symmetry
from autourdf_ros.geometry.rigid_motion import log_so3
from autourdf_ros.geometry.triangle_mesh import from_trimesh

SHAPES = {
    "sphere": (trimesh.creation.icosphere(3, 0.1), "spherical", 1),
    "capsule": (trimesh.creation.capsule(0.3, 0.03), "axial", 2),
    "cone": (trimesh.creation.cone(0.1, 0.2, sections=64), "axial", 1),
    "box": (trimesh.creation.box((0.1, 0.2, 0.3)), "discrete", 4),
    "square bar": (trimesh.creation.box((0.1, 0.1, 0.3)), "discrete", 8),
    "cube": (trimesh.creation.box((0.2, 0.2, 0.2)), "discrete", 24),
    "hexagonal bar": (trimesh.creation.cylinder(0.1, 0.3, sections=6), "discrete", 12),
    "two boxes": (
        trimesh.util.concatenate(
            trimesh.creation.box((0.1, 0.2, 0.3)),
            trimesh.creation.box((0.1, 0.1, 0.1), np.diag([1.0, 1, 1, 1])).apply_translation(
                (0.1, 0.07, 0.12)
            ),
        ),
        "none",
        1,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", [0, 1])
def test_kind_and_number_of_rotations(name, seed):
    mesh, kind, count = SHAPES[name]
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    pose[:3, 3] = (0.3, -0.2, 0.1)
    found = shape_symmetry(from_trimesh(mesh.copy().apply_transform(pose)))
    assert (found.kind, len(found.rotations)) == (kind, count)
    if kind == "axial":
        assert abs(found.axis @ pose[:3, 2]) == pytest.approx(1, abs=1e-3)


def test_a_handle_breaks_the_symmetry_of_a_drum():
    drum = trimesh.creation.cylinder(0.1, 0.2, sections=64)
    handle = trimesh.creation.box((0.03, 0.02, 0.06)).apply_translation((0.11, 0, 0))
    found = shape_symmetry(from_trimesh(trimesh.util.concatenate(drum, handle)))
    assert found.kind == "discrete"
    assert len(found.rotations) == 2  # end for end about the handle


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(SHAPES)))
def test_the_nearest_equivalent_pose_undoes_any_symmetric_turn(seed, name):
    symmetry = KNOWN.setdefault(name, shape_symmetry(from_trimesh(SHAPES[name][0])))
    rng = np.random.default_rng(seed)
    reference = np.eye(4)
    reference[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    reference[:3, 3] = rng.normal(size=3)
    turn = symmetry.rotations[rng.integers(len(symmetry.rotations))]
    axes = free_turns(symmetry, np.eye(3))
    turn = turn @ Rotation.from_rotvec(axes.T @ rng.normal(size=len(axes)) * 2).as_matrix()
    moved = np.eye(4)
    moved[:3, :3], moved[:3, 3] = turn, symmetry.centre - turn @ symmetry.centre
    found = nearest_equivalent(symmetry, reference @ moved, reference)
    assert np.linalg.norm(log_so3(found[:3, :3].T @ reference[:3, :3])) < 1e-5
    np.testing.assert_allclose(found, reference, atol=1e-5)


KNOWN = {}
