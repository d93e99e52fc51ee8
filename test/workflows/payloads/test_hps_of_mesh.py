"""Parts of a mesh for the method hps."""

import numpy as np
import pytest
import trimesh
from weighed_tools import slow_motion

from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData
from autourdf_ros.workflows.payloads.payload_result import _segmented, object_of_mesh


@pytest.mark.slow
def test_parts_of_a_mesh_do_not_depend_on_its_vertices():
    """Its bare vertices were the cloud: sixteen were refused, and 58 cut off 9 % of the wrong."""
    head = trimesh.creation.box((0.03, 0.1, 0.03)).apply_translation((0.1, 0, 0))
    mesh = trimesh.boolean.union([trimesh.creation.box((0.2, 0.02, 0.02)), head])
    times, poses = slow_motion(20)
    recording = recording_of_poses(times, poses, np.zeros((len(times), 6)), "test")
    held = object_of_mesh(mesh, "hammer")
    parts = _segmented(PayloadData(recording, held.body, np.eye(4)), held, "hps").parts
    sides = np.zeros((4, 2))
    np.add.at(sides, (parts, (held.body.centres[:, 0] > 0.085).astype(int)), held.body.volumes)
    assert sides.min(axis=1).sum() < 0.03 * held.body.volume  # of another part than the most of it
    assert np.array_equal(held.corners, mesh.vertices)
