"""A tree whose part hangs on another part than it moves on is never confirmed."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from sample_assembly import BODY, LID, cabinet, cabinet_joints

from autourdf_ros.data.frame import Frame
from autourdf_ros.estimation.parts.confirmation.motion_confirmation import confirm_joints
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.geometry.rigid_motion import exp_se3

pytestmark = pytest.mark.slow

VALUES = ((0.0, 0.0), (0.1, 0.4), (0.2, 0.9), (0.15, 1.3), (0.05, 0.7))  # drawer (m), lid (rad)


def frames():
    rng = np.random.default_rng(0)
    drawer, lid, _ = cabinet_joints()
    meshes = [trimesh.Trimesh(part.vertices, part.triangles) for part in cabinet().parts]
    for slid, turned in VALUES:
        lifted = exp_se3(turned * twist_of(lid.best))
        poses = [np.eye(4), exp_se3(slid * twist_of(drawer.best)), lifted, lifted]
        points = [
            trimesh.sample.sample_surface(mesh.copy().apply_transform(pose), 2500, seed=1)[0]
            for mesh, pose in zip(meshes, poses, strict=True)
        ]
        yield Frame((np.vstack(points) + rng.normal(0, 0.0005, (10000, 3))).astype(np.float32))


def test_a_drawer_that_hangs_on_the_lid_is_contradicted():
    drawer, lid, knob = cabinet_joints()
    wrong = (lid, replace(drawer, parent=LID), knob)
    found = confirm_joints(cabinet(), BODY, wrong, list(frames()))
    assert found.verdict != "confirmed"
    assert found.joints[1].status not in ("confirmed", "unmoved")
    assert "drawer" in " ".join(found.reasons)


def test_a_root_that_is_none_leaves_points_that_no_part_explains():
    drawer, lid, knob = cabinet_joints()
    turned = (replace(lid, parent=LID, child=BODY), drawer, knob)
    found = confirm_joints(cabinet(), LID, turned, list(frames()))
    assert found.verdict == "doubtful"
    assert "lie on no part" in found.reasons[0]
