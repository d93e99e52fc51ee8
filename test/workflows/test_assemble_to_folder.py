"""A parts result has the given meshes, the given pose at zero, and all that other results have."""

import json
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from sample_assembly import cabinet, cabinet_estimate, write_cabinet

from autourdf_ros.assessment.checks.subject import open_subject
from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.cli.main import main
from autourdf_ros.errors import InputError
from autourdf_ros.export.enrichment import enrich, upgrade
from autourdf_ros.export.versions import rollback
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import Provenance
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.monitoring.repairing.corrected_result import write_corrected
from autourdf_ros.workflows import assemble
from autourdf_ros.workflows.assemble import AssembleOptions, assemble_to_folder, write_assembly

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return write_cabinet(tmp_path_factory.mktemp("assembly") / "out")


@pytest.fixture
def own(tmp_path):
    """A folder that a test may change."""
    return write_cabinet(tmp_path / "out")


def document_of(folder):
    return json.loads((folder / "reconstruction.json").read_text())


def test_the_folder_is_whole(result):
    names = {path.name for path in result.iterdir()}
    assert names == {
        "robot.urdf",
        "robot.srdf",
        "robot.mjcf.xml",
        "reconstruction.json",
        "report.html",
        "figures",
        "meshes",
        "cabinet_description",
        "cabinet_moveit_config",
    }


def test_links_show_the_given_meshes_where_they_were_given(result):
    robot = open_robot(result)
    zeros = dict.fromkeys(robot.joints, 0.0)
    shown = robot.surfaces(zeros)
    for part, link in zip(cabinet().parts, ("cabinet_body", "drawer", "lid", "knob"), strict=True):
        given = trimesh.Trimesh(part.vertices, part.triangles)
        assert len(shown[link].faces) == len(given.faces)
        assert shown[link].bounds == pytest.approx(given.bounds, abs=1e-6)
        assert shown[link].area == pytest.approx(given.area, rel=1e-5)


def test_the_given_pose_is_at_zero_and_within_the_limits(result):
    document = document_of(result)
    assert set(document["reference_configuration"].values()) == {0.0}
    for joint in document["joints"]:
        assert joint["reference"] == 0.0 and joint["limits"] == "collision-free"
        assert joint["lower"] is None or joint["lower"] <= 0 <= joint["upper"]
        assert joint["observed"] == [None, None]


def test_masses_are_of_volumes_and_open_meshes_are_named(result):
    robot = open_robot(result)
    walls = trimesh.Trimesh(cabinet().parts[0].vertices, cabinet().parts[0].triangles)
    assert robot.mass("cabinet_body") == pytest.approx(1000 * walls.volume, rel=1e-6)
    assert robot.mass("knob") == pytest.approx(1000 * np.pi * 0.02**2 * 0.0295, rel=0.3)
    (note,) = [note for note in document_of(result)["notes"] if "bound no volume" in note]
    assert note.startswith("the meshes of knob bound")


def test_what_only_recordings_show_is_empty_or_null(result):
    document = document_of(result)
    for key in ("sequences", "model_order", "loops", "weak_directions", "unexplained_patches"):
        assert document[key] == []
    for key in ("noise", "reference_readings", "limit_margin"):
        assert document[key] is None
    assert document["residuals"] == {"fitted": None, "held_out": None}
    assert document["base"]["kind"] == "fixed" and document["base"]["link"] == "cabinet_body"
    assert all(link["cost"] is None for link in document["links"])


def test_no_check_fails_and_given_meshes_may_be_open(result):
    outcomes = {check["check"]: check for check in document_of(result)["checks"]}
    assert "failed" not in {check["outcome"] for check in outcomes.values()}
    assert "as they were given; 1" in outcomes["visual meshes closed"]["message"]
    assert open_subject(result).meshes_given
    assert main(["check", str(result)]) == 0


def test_the_model_is_read_back(result):
    model = read_self_model(result)
    assert model.tree.root == "cabinet_body" and set(model.layers) >= {"kinematics", "shape"}
    assert [joint.type for joint in model.joints] == ["prismatic", "revolute", "continuous"]


def test_the_estimate_is_written_and_returned(tmp_path, monkeypatch):
    stages = []

    def estimated(assembly, model, options, progress, *_):
        progress("trees", 0.5)
        return cabinet_estimate(assembly, options)

    monkeypatch.setattr(assemble, "assemble", estimated)
    found = assemble_to_folder(
        cabinet(),
        tmp_path / "out",
        "my cabinet",
        AssembleOptions(),
        lambda stage, fraction: stages.append((stage, fraction)),
    )
    assert found.trace.tree.root == 0
    assert document_of(tmp_path / "out")["name"] == "my_cabinet"
    assert "trees" in dict(stages) and stages[-1] == ("written", 1.0)
    fractions = [fraction for _, fraction in stages]
    assert fractions == sorted(fractions)


def test_a_folder_of_something_else_is_refused_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text("x")
    monkeypatch.setattr(assemble, "assemble", lambda *_: pytest.fail("worked"))
    with pytest.raises(InputError, match=r"no result of autourdf \(mine.txt\)"):
        assemble_to_folder(cabinet(), tmp_path, "x", AssembleOptions())


def test_ends_that_no_range_gives_are_bounded(tmp_path):
    found = cabinet_estimate()
    drawer, lid, knob = found.model.joints
    joints = (
        replace(drawer, upper=np.inf),
        replace(lid, lower=-np.inf),
        replace(knob, lower=np.nan, upper=np.nan),
    )
    endless = replace(found, model=found.model.with_parts(joints=joints))
    out = write_assembly(endless, tmp_path / "out", "cabinet", AssembleOptions())
    drawer, lid, knob = document_of(out)["joints"]
    assert drawer["upper"] == pytest.approx(found.trace.assembly.size)
    assert (lid["type"], knob["type"]) == ("continuous", "continuous")
    assert any("joint_1" in note and "end" in note for note in document_of(out)["notes"])
    assert main(["check", str(out)]) == 0


def test_a_layer_comes_and_goes_and_alternatives_stay(own):
    before = document_of(own)
    inertia = LinkInertia(3.0, np.zeros(3), 0.01 * np.eye(3))
    layer = InertiaLayer(links={"drawer": inertia}, provenance=Provenance("scales"))
    enrich(own, layer)
    after = document_of(own)
    assert after["assembly"] == before["assembly"]
    assert "scales" in (own / "report.html").read_text()
    assert "Joints and their alternatives" in (own / "report.html").read_text()
    assert open_robot(own).mass("drawer") == 3.0
    rollback(own)
    assert document_of(own) == before
    assert not upgrade(own)


def test_it_compares_with_itself_and_with_a_change(result, own, capsys):
    assert main(["compare", str(result), str(own)]) == 0
    found = cabinet_estimate()
    lid = found.model.joints[1]
    other = replace(lid, axis=-lid.axis, point=np.array([0.2, 0, 0.401]))
    joints = (found.model.joints[0], other, found.model.joints[2])
    changed = replace(found, model=found.model.with_parts(joints=joints))
    write_assembly(changed, own, "cabinet", AssembleOptions())
    capsys.readouterr()
    assert main(["compare", str(result), str(own)]) == 1
    assert "joint_2" in capsys.readouterr().out


def test_it_can_be_watched_but_not_repaired(own, tmp_path):
    watched = load_watched_model(own)
    assert watched.joints == ("joint_1", "joint_2", "joint_3")
    with pytest.raises(InputError, match="comes from parts that stand still"):
        write_corrected(own, tmp_path / "new", lambda _, document: document, {"told": ""})
