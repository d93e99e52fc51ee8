"""Congruent parts are found, mirror images apart, with the motions between them."""

import numpy as np
import pytest
import trimesh
from part_shapes import FEW, box, part, prepared, tilted

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.contact.congruence import congruent_groups

SHAPE = (box((0.3, 0.1, 0.05), (0, 0, 0)), box((0.1, 0.05, 0.2), (0.1, 0.02, 0.1)))


def _groups(*motions):
    parts = [part(f"part_{i}", *SHAPE, pose=motion) for i, motion in enumerate(motions)]
    parts.append(part("other", trimesh.creation.icosphere(radius=0.1)))
    return congruent_groups(prepared(PartAssembly("some", tuple(parts))), FEW)


@pytest.mark.slow
def test_copies_are_one_group_with_their_motion():
    (group,) = _groups(np.eye(4), tilted(3))
    assert group.members == (0, 1)
    assert group.mirrored == (False, False)
    np.testing.assert_allclose(group.motions[1][0], tilted(3), atol=1e-4)


@pytest.mark.slow
def test_a_mirror_image_is_marked():
    mirror = tilted(3) @ np.diag([-1.0, 1.0, 1.0, 1.0])
    (group,) = _groups(np.eye(4), mirror)
    assert group.mirrored == (False, True)
    assert group.same == (0,)
    assert np.linalg.det(group.motions[1][0][:3, :3]) == pytest.approx(-1)


def test_parts_of_another_size_are_not_congruent():
    assert _groups(np.eye(4), np.diag([1.3, 1.3, 1.3, 1.0])) == ()
