"""A corrected result folder is the corrected model, and keeps all else."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import MOTORS, arm_reconstruction, arm_recording, folded

from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.assessment.comparison.comparison import compare
from autourdf_ros.export.document import to_text
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.result_files import DOCUMENT, REPORT, URDF
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.monitoring.repairing.corrected_document import correct_document
from autourdf_ros.monitoring.repairing.corrected_result import write_corrected
from autourdf_ros.monitoring.repairing.corrected_urdf import correct_urdf
from autourdf_ros.monitoring.repairing.correction import corrected, correction_of
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow

RECORD = {"kind": "test", "told": "repaired for a test"}
LIFT = "arm_lift"
WITHIN_THE_MODEL = {"joint_zero", "joint_axis", "base_pose", "link_shape"}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    made = arm_reconstruction(count=200)
    made = replace(made, base=replace(made.base, kind="fixed"))
    folder = tmp_path_factory.mktemp("results") / "arm"
    return write_reconstruction(made, folder, name="arm", recording=arm_recording(made))


def corrections(model):
    """One correction of every kind, by a name."""
    causes = Causes(model, ("camera",))
    found = {}
    rng = np.random.default_rng(1)
    for cause in causes.table:
        size = 0.3 * cause.changed
        parameters = size * rng.choice([-1.0, 1.0], len(size))
        name = f"{cause.kind}-{cause.subject}-{cause.columns.start}"
        found[name] = cause, correction_of(causes, cause, parameters)
    return found


def edited(model, cause, correction):
    """What changes a folder and its document."""
    covariances = {}
    if cause.kind == "joint_axis":
        covariances[model.joints.index(cause.subject)] = np.diag([1e-6, 2e-6, 1e-8, 2e-8])

    def edit(folder, document):
        new = correct_document(document, correction, covariances)
        correct_urdf(folder, model, correction, new)
        return new

    return edit


def standing(model, readings):
    """Where every vertex of a model is."""
    poses = model.poses(model.values(readings))
    return transform(poses[model.segment_body[model.vertex_segment]], model.vertices)


def test_every_corrected_folder_is_the_corrected_model(result, tmp_path):
    model = load_watched_model(result)
    rng = np.random.default_rng(0)
    readings = [dict(zip(MOTORS, row, strict=True)) for row in rng.uniform(-0.5, 0.5, (4, 4))]
    chosen = corrections(model)
    kinds = {cause.kind for cause, _ in chosen.values()}
    assert kinds == {*WITHIN_THE_MODEL, "camera_pose", "camera_latency", "sag"}
    old = json.loads((result / DOCUMENT).read_text())
    for number, (name, (cause, correction)) in enumerate(chosen.items()):
        if cause.kind not in WITHIN_THE_MODEL:
            continue
        folder = shutil.copytree(result, tmp_path / str(number))
        document = edited(model, cause, correction)(folder, old)
        (folder / DOCUMENT).write_text(to_text(document))
        expected = corrected(model, correction)
        found = load_watched_model(folder)
        for reading in readings:
            there, here = standing(expected, reading), standing(found, reading)
            gaps = np.linalg.norm(there - here, axis=1)
            assert gaps.max() < 2e-6, (name, gaps.max())
            assert np.abs(here - standing(model, reading)).max() > 1e-5, name


@pytest.mark.parametrize("kind", ["joint_axis", "link_shape"])
def test_what_is_made_of_it_passes_the_checks(kind, result, tmp_path):
    model = load_watched_model(result)
    cause, correction = [pair for pair in corrections(model).values() if pair[0].kind == kind][3]
    edit = edited(model, cause, correction)
    folder = write_corrected(result, tmp_path / "new", edit, RECORD)
    old, new = (json.loads((path / DOCUMENT).read_text()) for path in (result, folder))
    assert new["repairs"] == [RECORD]
    assert "repaired for a test" in (folder / REPORT).read_text()
    assert {path.name for path in folder.iterdir()} == {path.name for path in result.iterdir()}
    failed = [
        {one["check"] for one in document["checks"] if one["outcome"] == "failed"}
        for document in (old, new)
    ]
    assert failed[1] <= failed[0]


def test_the_verdict_follows_whether_the_new_model_ran_through_itself(tmp_path):
    made = replace(arm_reconstruction(count=70), warnings=())
    made = replace(made, base=replace(made.base, kind="fixed"))
    good, bad = made.motions[0].joint_values, folded(made).motions[0].joint_values
    folder = write_reconstruction(
        folded(made), tmp_path / "0", name="arm", recording=arm_recording(made)
    )

    def verdict_with(values, folder, out):
        def edit(_, document):
            document["sequences"][0]["joint_values"] = values.tolist()
            return document

        document = json.loads((write_corrected(folder, out, edit, RECORD) / DOCUMENT).read_text())
        return document["verdict"], [text for text in document["warnings"] if "overlap" in text]

    assert verdict_with(good, folder, tmp_path / "1") == ("trusted", [])
    verdict, (reason, *_) = verdict_with(bad, tmp_path / "1", tmp_path / "2")
    assert verdict == "doubtful" and "overlap by up to" in reason


def test_a_zero_moves_nothing_but_its_zero(result, tmp_path):
    model = load_watched_model(result)
    causes = Causes(model, ())
    cause = next(c for c in causes.table if (c.kind, c.subject) == ("joint_zero", MOTORS[1]))
    correction = correction_of(causes, cause, np.array([0.02]))
    edit = edited(model, cause, correction)
    folder = write_corrected(result, tmp_path / "new", edit, RECORD)
    old, new = (json.loads((path / DOCUMENT).read_text()) for path in (result, folder))
    changed = {key for key in old if old[key] != new[key]}
    assert changed <= {
        "joints", "reference_configuration", "sequences", "notes", "checks", "warnings", "layers",
        "disabled_pairs",
    }  # fmt: skip
    for before, after in zip(old["joints"], new["joints"], strict=True):
        keys = {key for key in before if before[key] != after[key]}
        moved = before["name"] == LIFT
        assert keys == ({"reference", "lower", "upper", "observed"} if moved else set())
    found = compare(open_robot(result), open_robot(folder))
    zeros = {joint.names[0]: joint.zero for joint in found.joints}
    assert abs(zeros.pop(LIFT)) == pytest.approx(0.02, abs=2e-3)
    assert set(zeros.values()) == {0.0}
    # The old one is as it was.
    assert "repairs" not in old and (result / URDF).exists()
