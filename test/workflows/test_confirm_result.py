"""A recording of the moving cabinet decides which edge of its lid is hinged."""

import json

import numpy as np
import pytest
import trimesh
from sample_assembly import cabinet, cabinet_joints, write_cabinet

from autourdf_ros.cli.main import main
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.workflows.assembled_result import read_assembled
from autourdf_ros.workflows.confirm import confirm_result

pytestmark = pytest.mark.slow

OPENED = ((0.0, 0.0), (0.1, 0.4), (0.2, 0.9), (0.15, 1.3), (0.05, 0.7))  # drawer (m), lid (rad)
TRUE = 1  # of the lid's alternatives


def frames():
    """Points all over the parts, with noise, while the drawer slides and the lid turns."""
    rng = np.random.default_rng(0)
    drawer, lid, _ = cabinet_joints()
    meshes = [trimesh.Trimesh(part.vertices, part.triangles) for part in cabinet().parts]
    recorded = []
    for slid, turned in OPENED:
        lifted = exp_se3(turned * twist_of(lid.alternatives[TRUE]))
        poses = [np.eye(4), exp_se3(slid * twist_of(drawer.best)), lifted, lifted]
        points = [
            trimesh.sample.sample_surface(mesh.copy().apply_transform(pose), 2500, seed=1)[0]
            for mesh, pose in zip(meshes, poses, strict=True)
        ]
        points = np.vstack(points)
        recorded.append(points + rng.normal(0, 0.0005, points.shape) + (0.01, -0.02, 0.0))
    return recorded


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recording")
    for number, points in enumerate(frames()):
        trimesh.PointCloud(points).export(folder / f"{number:03d}.ply")
    return folder


@pytest.fixture(scope="module")
def confirmed(tmp_path_factory, recording):
    out = write_cabinet(tmp_path_factory.mktemp("confirmed") / "out")
    assert main(["confirm", str(out), str(recording)]) == 1  # the knob does not turn
    return out


def document_of(folder):
    return json.loads((folder / "reconstruction.json").read_text())


def test_the_lid_turns_about_the_edge_that_it_was_seen_to_turn_about(confirmed):
    joint = read_self_model(confirmed).joints[1]
    true = cabinet_joints()[1].alternatives[TRUE]
    assert joint.type == "revolute"
    assert abs(joint.axis @ true.axis) > 0.9995
    off = joint.point - true.point
    assert np.linalg.norm(off - (off @ true.axis) * true.axis) < 0.004


def test_the_account_says_what_motion_said_of_every_joint(confirmed):
    document = document_of(confirmed)
    said = {one["joint"]: one for one in document["confirm"]["joints"]}
    assert [said[name]["status"] for name in said] == ["confirmed", "confirmed", "unmoved"]
    assert document["confirm"]["verdict"] == "partly confirmed"
    lid = document["assembly"]["joints"][1]
    assert not lid["ambiguous"] and lid["alternatives"][0]["probability"] > 0.99
    assert not any("hinged" in warning for warning in document["warnings"])
    assert "motion, joint joint_3" in " ".join(document["notes"])


def test_parts_stay_where_they_were_given(confirmed):
    given = {part.name.replace(" ", "_"): part for part in cabinet().parts}
    for part in read_assembled(confirmed).assembly.parts:
        assert part.bounds == pytest.approx(given[part.name].bounds, abs=1e-6)


def test_the_version_before_comes_back(tmp_path, recording):
    out = write_cabinet(tmp_path / "out")
    before = document_of(out)
    main(["confirm", str(out), str(recording)])
    assert document_of(out) != before
    assert main(["rollback", str(out)]) == 0
    assert document_of(out) == before


def test_a_result_of_motion_or_a_short_recording_is_refused(tmp_path, recording):
    from autourdf_ros.data.frame import Frame, Recording, Sequence

    out = write_cabinet(tmp_path / "out")
    frame = Frame(np.asarray(frames()[0], np.float32))
    with pytest.raises(InputError, match="2 frames; accepted are 3 or more"):
        confirm_result(out, Recording((Sequence((frame, frame)),)))
    document = document_of(out)
    del document["assembly"]
    (out / "reconstruction.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="no result of parts"):
        read_assembled(out)


def test_a_joint_that_no_alternative_is_gets_that_of_the_motion(tmp_path, recording):
    out = write_cabinet(tmp_path / "out")
    document = document_of(out)
    lid = document["assembly"]["joints"][1]
    assert abs(lid["alternatives"].pop(TRUE)["axis"][1]) == 1
    (out / "reconstruction.json").write_text(json.dumps(document))
    assert main(["confirm", str(out), str(recording)]) == 1
    document, true = document_of(out), cabinet_joints()[1].alternatives[TRUE]
    said = document["confirm"]["joints"][1]
    assert said["status"] == "replaced" and said["proposed"]["type"] == "revolute"
    first = document["assembly"]["joints"][1]["alternatives"][0]
    assert first["source"] == "motion" and first["probability"] > 0.95
    joint = read_self_model(out).joints[1]
    assert abs(joint.axis @ true.axis) > 0.999
    off = joint.point - true.point
    assert np.linalg.norm(off - (off @ true.axis) * true.axis) < 0.005
