"""The result folder is complete, replaces only its own kind, and is whole at any moment."""

import html
import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import urchin
from synthetic_robot import arm_reconstruction, arm_recording, folded

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.cli.terminal.summary import checks_summary, summary
from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.limits.drive_limits import DriveLimits
from autourdf_ros.model.result_files import check_output
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import Mimic
from autourdf_ros.shape.urdf_options import UrdfOptions
from autourdf_ros.workflows import reconstruct as workflow
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow

SMALL = arm_reconstruction(count=70)
SMALL = replace(SMALL, warnings=(*SMALL.warnings, "Mind <script>this</script>."))
SEEN: list[float] = []
RECORDING = arm_recording(SMALL)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    out = tmp_path_factory.mktemp("result") / "deep" / "out"
    return write_reconstruction(
        SMALL,
        out,
        name="my arm",
        recording=RECORDING,
        progress=lambda stage, fraction: SEEN.append(fraction),
    )


def test_it_holds_what_the_architecture_names(result):
    assert {path.name for path in result.iterdir()} == {
        "robot.urdf",
        "robot.srdf",
        "robot.mjcf.xml",
        "my_arm_description",
        "my_arm_moveit_config",
        "meshes",
        "figures",
        "reconstruction.json",
        "report.html",
    }
    assert [path.name for path in result.parent.iterdir()] == ["out"]


def test_the_document_holds_everything(result):
    document = json.loads((result / "reconstruction.json").read_text())
    urdf = urchin.URDF.load(str(result / "robot.urdf"))
    assert document["format"] == "autourdf_ros/reconstruction"
    assert document["version"] == 2
    assert document["name"] == urdf.name == "my_arm"
    assert list(document["reference_configuration"]) == [j.name for j in urdf.actuated_joints]
    assert document["reference_readings"]["arm/lift"] == -0.4
    assert [link["name"] for link in document["links"]] == [link.name for link in urdf.links[1:]]
    lift = document["joints"][1]
    assert lift["name"] == "arm_lift"
    assert lift["motor"]["name"] == "arm/lift"
    assert lift["axis_std"] == pytest.approx((1.5e-5) ** 0.5)
    assert lift["probabilities"] == {"exists": 1.0, "parent": pytest.approx(0.87), "type": 0.98}
    assert lift["confidence"] == pytest.approx(0.87 * 0.98)
    assert document["unexplained_patches"] == [{"link": "link_2", "points": 40, "cost": 3.5}]
    assert document["weak_directions"] == [
        {"joints": ["arm_lift", "slide"], "turns": [0.05, 0.04], "shifts": [0.0, 0.0]}
    ]
    assert document["base"]["link"] == document["links"][0]["name"]
    assert document["base"]["kind"] == "floating" and document["base"]["turn"] == 0.1
    assert document["notes"] == ["the base floats"]
    assert document["loops"][0] == {
        "links": [document["links"][1]["name"], document["links"][3]["name"]],
        "joints": ["arm_lift", "slide"],
        "type": "revolute",
        "axis": [0.0, 1.0, 0.0],
        "point": [0.0, 0.0, 0.0],
        "misfit": 1.2,
    }
    low, high = lift["observed"]
    assert low < -0.4 < high
    assert document["joints"][2]["line_std"] is None
    assert document["joints"][3]["upper"] is None
    sequence = document["sequences"][1]
    assert len(sequence["joint_values"]) == len(sequence["base_poses"]) == 5
    assert sequence["residuals"][-1] is None and sequence["used"][-1] is False
    assert sequence["held_out"] == [False, False, False, True, False]
    fitted, held_out = document["residuals"]["fitted"], document["residuals"]["held_out"]
    assert 6e-4 < fitted < 9e-4 and 6e-4 < held_out < 9e-4 and fitted != held_out
    assert document["links"][1]["cost"] == 0.5 and document["links"][1]["held_out_cost"] == 0.7
    assert document["input"]["frames"] == 10 and len(document["input"]["sha256"]) == 64
    assert document["input"]["cameras"] == ["/camera_0/points"]
    sensors = (result / "my_arm_moveit_config" / "config" / "sensors_3d.yaml").read_text()
    assert "point_cloud_topic: /camera_0/points" in sensors
    assert document["verdict"] == "trusted" and document["warnings"]
    assert document["timings"]["registration"] == 4.2
    assert document["assumed"]["density"] == 1000
    shares = [link["unseen_area_share"] for link in document["links"]]
    assert all(0 <= share < 0.5 for share in shares[:4]) and shares[4] == 1.0
    assert document["software"]["open3d-cpu"]


def test_its_checks_are_recorded_and_what_fails_is_a_warning(result):
    document = json.loads((result / "reconstruction.json").read_text())
    outcomes = {check["check"]: check["outcome"] for check in document["checks"]}
    assert outcomes["inertias"] == outcomes["loads in PyBullet"] == "passed"
    assert outcomes["holds itself up"] == "passed"
    bad = [check for check in document["checks"] if check["outcome"] == "failed"]
    assert document["warnings"][len(SMALL.warnings) :] == [
        f"{check['check']}: {check['message']}" for check in bad
    ]


def test_what_fails_a_check_is_written_and_reported(tmp_path, monkeypatch):
    finding = Finding("names", "failed", "link 'x': accepted is 'y'")
    monkeypatch.setattr(workflow, "check_result", lambda *_: (finding,))
    out = write_reconstruction(SMALL, tmp_path / "out", name="arm", recording=RECORDING)
    document = json.loads((out / "reconstruction.json").read_text())
    assert document["warnings"][-1] == "names: link 'x': accepted is 'y'"
    assert "link &#39;x&#39;: accepted is &#39;y&#39;" in (out / "report.html").read_text()
    assert document["verdict"] == "trusted"  # the files are wrong, not what was recorded
    assert checks_summary(document).splitlines() == [
        "checks  0 of 1 checks passed, 0 skipped; failed: names",
        "  ✗ names: link 'x': accepted is 'y'",
    ]


def test_a_model_that_ran_through_itself_where_it_was_recorded_is_doubtful(tmp_path):
    made = folded(SMALL)
    out = write_reconstruction(made, tmp_path / "out", name="arm", recording=RECORDING)
    document = json.loads((out / "reconstruction.json").read_text())
    assert made.verdict == "trusted" and document["verdict"] == "doubtful"
    (reason,) = [text for text in document["warnings"] if "links 'link_0' and 'link_2'" in text]
    assert re.fullmatch(
        r"no self-collision: links 'link_0' and 'link_2' overlap by up to [\d.]+ mm in 1 of 8 "
        r"recorded configurations; accepted are 5 mm",
        reason,
    )
    page = (out / "report.html").read_text()
    assert "⚠ doubtful</b>" in page and html.escape(reason).replace("&#x27;", "&#39;") in page
    lines = summary(made, document, out).splitlines()
    assert lines.index("verdict: doubtful") < lines.index(f"  ! {reason}")
    assert reason not in checks_summary(document)  # it is said once
    assert "no self-collision" in checks_summary(document)


def test_a_model_that_failed_stays_so(tmp_path):
    made = folded(replace(SMALL, verdict="failed"))
    out = write_reconstruction(made, tmp_path / "out", name="arm", recording=RECORDING)
    assert json.loads((out / "reconstruction.json").read_text())["verdict"] == "failed"


def test_the_report_is_self_contained(result):
    page = (result / "report.html").read_text()
    words = ("seen in 3 points only", "the base floats", "frames held out")
    for name in ("arm_lift", "my_arm", "trusted", *words):
        assert name in page
    assert "<script" not in page and "&lt;script&gt;" in page
    assert page.count("data:image/svg+xml;base64,") == 6
    assert 'src="http' not in page and "href=" not in page
    assert len(list((result / "figures").glob("*.svg"))) == 6


def test_an_earlier_result_is_replaced(tmp_path, result):
    out = shutil.copytree(result, tmp_path / "out")
    write_reconstruction(SMALL, out, name="second", recording=RECORDING)
    assert json.loads((out / "reconstruction.json").read_text())["name"] == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_only_packages_of_the_earlier_result_are_its_own(tmp_path, result):
    out = shutil.copytree(result, tmp_path / "out")
    assert check_output(out) == out
    (out / "my_arm_gazebo").mkdir()
    with pytest.raises(InputError, match="my_arm_gazebo"):
        check_output(out)


def test_nothing_else_is_replaced(tmp_path, result):
    notes = tmp_path / "notes"
    notes.mkdir()
    assert check_output(notes) == notes
    (notes / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        check_output(notes)
    (notes / "reconstruction.json").write_text((result / "reconstruction.json").read_text())
    with pytest.raises(InputError, match=r"holds thesis\.tex beside an earlier result"):
        write_reconstruction(SMALL, notes, name="x", recording=RECORDING)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match="is a file"):
        check_output(file)
    with pytest.raises(InputError, match="is not a writable folder"):
        check_output(file / "below")


@pytest.mark.parametrize("stage", ["mesh of link_1", "check: holds itself up", "figure: tree"])
def test_cancelling_leaves_nothing(tmp_path, stage):
    def cancel(reached, fraction):
        if reached == stage:
            raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        write_reconstruction(
            SMALL, tmp_path / "out", name="x", recording=RECORDING, progress=cancel
        )
    assert list(tmp_path.iterdir()) == []


def test_progress_rises_to_one(result):
    assert sorted(SEEN) == SEEN and SEEN[-1] == 1.0


def test_a_link_that_no_point_shows_stands_in_the_tree_without_a_mesh(tmp_path):
    """As one in the middle of two others, known from how these move."""
    links = list(SMALL.model.links)
    nothing = np.zeros((0, 3))
    shades = np.zeros((0, 3), np.uint8)
    links[2] = replace(links[2], surface=Surface(nothing, nothing, shades))
    unseen = replace(
        SMALL,
        model=SMALL.model.with_parts(links),
        labels=np.where(SMALL.labels == 2, 1, SMALL.labels),
    )
    out = write_reconstruction(unseen, tmp_path / "out", name="arm", recording=RECORDING)
    urdf = urchin.URDF.load(str(out / "robot.urdf"))
    assert not urdf.link_map["link_2"].visuals and not urdf.link_map["link_2"].collisions
    assert urdf.link_map["link_3"].visuals
    document = json.loads((out / "reconstruction.json").read_text())
    assert document["links"][2]["unseen_area_share"] is None
    assert (out / "report.html").is_file()


def test_mimics_and_given_limits_are_reported(tmp_path):
    joints = list(SMALL.model.joints)
    joints[2] = replace(joints[2], mimic=Mimic("arm/lift", -0.1, 0.02))
    model = SelfModel.of("arm", SMALL.model.links, tuple(joints))
    out = write_reconstruction(
        replace(SMALL, model=model),
        tmp_path / "out",
        name="arm",
        recording=RECORDING,
        options=UrdfOptions(drives={"arm/lift": DriveLimits(2.0, 30.0, 4.0)}),
    )
    document = json.loads((out / "reconstruction.json").read_text())
    pan, lift, slide, _ = document["joints"]
    assert slide["mimic"] == {"joint": "arm_lift", "multiplier": -0.1, "offset": 0.02}
    assert pan["mimic"] is None
    assert [joint["limits"] for joint in (pan, lift)] == ["observed", "given"]
    assert lift["drive"] == {"velocity": 2.0, "effort": 30.0, "acceleration": 4.0}
    assert pan["drive"]["velocity"] == 1.0
    page = (out / "report.html").read_text()
    assert "mimics arm_lift" in page and "10% of it at either end" in page
