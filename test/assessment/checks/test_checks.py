"""Each check passes what is right, and names what is wrong, where, and what is accepted."""

import re

import numpy as np
import pytest
import trimesh
from result_documents import write_document
from small_robot import document, write_robot
from toy_robot import write_toy

from autourdf_ros.assessment.checks import gate
from autourdf_ros.assessment.checks.gate import CONTENT, STRUCTURE, check_result, failed, run_checks
from autourdf_ros.assessment.checks.simulators import in_pybullet
from autourdf_ros.assessment.checks.subject import open_subject, subject_of
from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
from autourdf_ros.errors import InputError
from autourdf_ros.subprocesses import CheckError
from autourdf_ros.viewer.viewed_result import load_result

CHECKS = STRUCTURE | CONTENT
ARM_INERTIA = 'ixx="0.002" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"'
SLIDE_LIMIT = '<limit lower="0" upper="0.1" effort="100" velocity="0.1"/>'
END = "</joint>\n  <mujoco"
STILL = np.zeros((3, 2))


@pytest.mark.slow
def test_a_right_robot_passes_everything(tmp_path):
    write_robot(tmp_path)
    findings = check_result(tmp_path, document(STILL))
    assert [finding.check for finding in findings] == list(CHECKS)
    assert {finding.outcome for finding in findings} == {"passed"}, findings


@pytest.mark.slow
def test_a_bare_urdf_has_no_recorded_configurations(tmp_path):
    findings = run_checks(open_subject(write_robot(tmp_path)))
    (skip,) = [finding for finding in findings if finding.outcome != "passed"]
    assert (skip.check, skip.outcome) == ("no self-collision", "skipped")
    assert "no configuration was recorded" in skip.message


@pytest.mark.parametrize(
    ("check", "edit", "message"),
    [
        ("parses", ('mass value="2"', 'mass value="x"'), "link 'arm', inertial: value is 'x'"),
        ("parses", ('joint name="slide"', 'joint name="lift"'), "joint 'lift' is there twice"),
        ("one root", ('parent link="arm"', 'parent link="leg"'), "names link 'leg', which does"),
        ("one root", ('child link="slider"', 'child link="arm"'), "'arm' is the child of several"),
        ("one root", ('parent link="base_link"', 'parent link="slider"'), "connected with root"),
        ("names", ('name="small"', 'name="2 small"'), "robot '2 small': accepted are ASCII"),
        ("names", ('joint name="lift"', 'joint name="lift.1"'), "joint 'lift.1'"),
        ("meshes exist", ("meshes/arm.stl", "meshes/leg.stl"), "'arm': mesh 'meshes/leg.stl' does"),
        ("mesh sizes", ("arm.stl", 'arm.stl" scale="1000 1000 1000'), "is 300 m long; accepted"),
        ("inertias", ('mass value="2"', 'mass value="-2"'), "'arm' has mass -2 kg; accepted"),
        ("inertias", (ARM_INERTIA, ARM_INERTIA.replace("0.002", "-0.002")), "moments -0.002"),
        ("inertias", (ARM_INERTIA, ARM_INERTIA.replace("0.002", "0.09")), "no body has these"),
        ("inertias", (ARM_INERTIA, ARM_INERTIA.replace("0.02", "5")), "of gyration of 1.58 m"),
        ("inertias", ('origin xyz="0.2 0 0"/><mass', 'origin xyz="2 0 0"/><mass'), "1.65 m out"),
        ("limits", ('lower="-1.5"', 'lower="2"'), "limits 2 .. 1.5 rad; accepted is lower below"),
        ("limits", ('upper="0.1"', 'upper="100"'), "limits 0 .. 100 m; accepted are -10 .. 10 m"),
        ("limits", ('effort="50"', 'effort="0"'), "'lift' has effort limit 0; accepted is above 0"),
        ("limits", ('axis xyz="0 1 0"', 'axis xyz="0 0 0"'), "'lift' has axis [0.0, 0.0, 0.0]"),
        ("limits", (SLIDE_LIMIT, ""), "has no limit"),
        ("limits", (END, f'<mimic joint="no"/>{END}'), "mimics 'no', which is no joint"),
        ("limits", (END, f'<mimic joint="slide"/>{END}'), "'slide' mimics itself"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path, check, edit, message):
    findings = CHECKS[check](open_subject(write_robot(tmp_path, edit)))
    assert {finding.outcome for finding in findings} == {"failed"}
    assert any(message in finding.message for finding in findings), findings


def test_open_meshes_and_meshes_inside_out(tmp_path):
    urdf = write_robot(tmp_path)
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(tmp_path / "meshes" / "base.stl")
    box.invert()
    box.export(tmp_path / "meshes" / "arm.stl")
    subject = open_subject(urdf)
    messages = [f.message for f in CHECKS["visual meshes closed"](subject)]
    assert "base.stl' is not closed; accepted is a closed surface" in messages[0]
    assert "arm.stl' is closed, but inside out" in messages[1]
    (collision,) = CHECKS["collision meshes closed"](subject)
    assert collision.outcome == "failed" and "base.stl" in collision.message


def test_a_texture_seam_leaves_a_mesh_closed(tmp_path):
    urdf = write_robot(tmp_path, ("meshes/arm.stl", "meshes/arm.obj"))
    box = trimesh.creation.box((0.3, 0.05, 0.05))
    lines = [f"v {x} {y} {z}" for x, y, z in box.vertices]
    lines += [f"vt {i / 40} 0.5" for i in range(36)]
    for number, face in enumerate(box.faces):
        lines.append("f " + " ".join(f"{v + 1}/{3 * number + i + 1}" for i, v in enumerate(face)))
    (tmp_path / "meshes" / "arm.obj").write_text("\n".join(lines) + "\n")
    (finding,) = CHECKS["visual meshes closed"](open_subject(urdf))
    assert finding.outcome == "passed"


def test_a_collada_file_with_a_document_type_is_not_read(tmp_path):
    urdf = write_robot(tmp_path, ("meshes/arm.stl", "meshes/arm.dae"))
    (tmp_path / "meshes" / "arm.dae").write_text('<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>')
    (finding,) = CHECKS["meshes exist"](open_subject(urdf))
    assert "'meshes/arm.dae' declares a document type" in finding.message


def test_a_massless_link_passes_where_it_is_fixed_to_one_with_a_mass(tmp_path):
    tail = (
        '<link name="tool"/><joint name="flange" type="fixed"><parent link="slider"/>'
        '<child link="tool"/></joint><mujoco>'
    )
    urdf = write_robot(tmp_path, ("<mujoco>", tail))
    assert [f.outcome for f in CHECKS["inertias"](open_subject(urdf))] == ["passed"]
    urdf = write_robot(tmp_path, ("<mujoco>", tail.replace('"fixed"', '"continuous"')))
    (finding,) = CHECKS["inertias"](open_subject(urdf))
    assert "link 'tool' moves, but neither it nor what is fixed to it has a mass" in finding.message


def test_a_point_mass_passes_where_it_is_fixed(tmp_path):
    zero = " ".join(f'{key}="0"' for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    point = f'<inertial><mass value="0.1"/><inertia {zero}/></inertial>'
    tail = (
        f'<link name="tool">{point}</link><joint name="flange" type="fixed">'
        '<parent link="slider"/><child link="tool"/></joint><mujoco>'
    )
    urdf = write_robot(tmp_path, ("<mujoco>", tail))
    assert [f.outcome for f in CHECKS["inertias"](open_subject(urdf))] == ["passed"]
    urdf = write_robot(tmp_path, ("<mujoco>", tail.replace('"fixed"', '"continuous"')))
    (finding,) = CHECKS["inertias"](open_subject(urdf))
    assert "link 'tool' has principal moments 0, 0, 0 kg m²" in finding.message


def test_recorded_values_must_be_within_the_limits(tmp_path):
    urdf = write_robot(tmp_path)
    values = [[0, 0], [1.6, 0.05]]
    (finding,) = CHECKS["limits"](subject_of(urdf, document(values)))
    assert (
        "joint 'lift' was recorded at 0 .. 1.6, but its limits are -1.5 .. 1.5" in finding.message
    )


def toy_document(lift):
    names = ["pan", "lift"]
    return {
        "reference_configuration": {},
        "joints": [{"name": name} for name in names],
        "sequences": [{"joint_values": [[0.0, 0.0], [0.0, lift]], "used": [True, True]}],
    }


def test_self_collision_is_found_where_it_was_recorded_only(tmp_path):
    urdf = write_toy(tmp_path)
    check = CHECKS["no self-collision"]
    (finding,) = check(subject_of(urdf, toy_document(0.2)))
    assert finding.outcome == "passed" and "in 2 configurations" in finding.message
    findings = check(subject_of(urdf, toy_document(1.6)))
    messages = " ".join(f.message for f in findings)
    assert "links 'base' and 'finger' overlap by up to " in messages
    assert "in 1 of 2 recorded configurations; accepted are 5 mm" in messages


def test_what_an_srdf_disables_may_overlap_but_not_what_it_never_saw_touch(tmp_path):
    urdf = write_toy(tmp_path)
    check = CHECKS["no self-collision"]
    found = check(subject_of(urdf, toy_document(1.6)))
    pairs = [finding.message.split("'")[1:4:2] for finding in found]
    assert all(finding.outcome == "failed" for finding in found)

    def srdf(reason):
        lines = [
            f'<disable_collisions link1="{a}" link2="{b}" reason="{reason}"/>' for a, b in pairs
        ]
        # Neighbours, as every SRDF has them.
        lines += [
            f'<disable_collisions link1="{a}" link2="{b}" reason="Adjacent"/>'
            for a, b in [("base", "column"), ("column", "arm"), ("arm", "finger"), ("arm", "hand"),
                         ("arm", "second_finger"), ("finger", "hand"), ("second_finger", "hand")]
        ]  # fmt: skip
        (tmp_path / "robot.srdf").write_text(f"<robot name='toy'>{''.join(lines)}</robot>")

    srdf("User")
    assert [f.outcome for f in check(subject_of(urdf, toy_document(1.6)))] == ["passed"]
    srdf("Never")
    assert {f.outcome for f in check(subject_of(urdf, toy_document(1.6)))} == {"failed"}


def test_a_weak_drive_lets_its_joint_fall(tmp_path):
    urdf = write_robot(tmp_path, ('effort="50"', 'effort="2"'))
    (finding,) = CHECKS["holds itself up"](open_subject(urdf))
    assert finding.outcome == "failed"
    # 2 kg at 0.2 m and 0.5 kg at 0.4 m: 5.89 N m, of which 2 hold it at 1.22 rad.
    assert re.match(r"joint 'lift' ends 1\.[234]\d? rad from where it is held", finding.message)
    assert "gravity asks 5.89 N m, its limit is 2" in finding.message


def test_a_robot_that_gains_energy_is_reported(tmp_path):
    urdf = write_robot(
        tmp_path, ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><dynamics damping="-9000"/>')
    )
    (finding, *_) = CHECKS["holds itself up"](open_subject(urdf))
    assert finding.outcome == "failed"
    assert "no longer finite after" in finding.message or "energy changes by" in finding.message


def test_overlapping_links_do_not_push_each_other_away(tmp_path):
    urdf = write_robot(tmp_path, ('<origin xyz="0.4 0 0"/>', '<origin xyz="-0.1 0 0"/>'))
    (finding,) = CHECKS["holds itself up"](open_subject(urdf))
    assert finding.outcome == "passed"


def test_a_follower_is_held_by_what_it_follows(tmp_path):
    mimic = f'<mimic joint="lift" multiplier="0.1" offset="0.05"/>{END}'
    urdf = write_robot(tmp_path, (END, mimic))
    subject = open_subject(urdf)
    assert subject.reference["slide"] == 0.05
    (finding,) = CHECKS["holds itself up"](subject)
    assert finding.outcome == "passed"


@pytest.mark.slow
def test_every_loader_reports_what_it_misses(tmp_path):
    urdf = write_robot(tmp_path, ("meshes/arm.stl", "meshes/leg.stl"))
    subject = open_subject(urdf)
    for name in ("Pinocchio", "MuJoCo"):
        (finding,) = CHECKS[f"loads in {name}"](subject)
        assert finding.outcome == "failed" and "leg.stl" in finding.message
    (finding,) = CHECKS["loads in PyBullet"](subject)
    assert (finding.outcome, finding.message) == (
        "failed",
        "pybullet.error: Cannot load URDF file.",
    )


@pytest.mark.slow
def test_meshes_of_packages_reach_every_loader(tmp_path):
    folder = tmp_path / "my_robot"
    urdf = write_robot(
        folder,
        ('"meshes/', '"package://my_robot/meshes/'),
        ('<mujoco><compiler strippath="false" discardvisual="false"/></mujoco>', ""),
    )
    findings = run_checks(open_subject(urdf))
    assert failed(findings) == ()
    messages = {finding.check: finding.message for finding in findings}
    assert messages["loads in MuJoCo"].startswith("a copy with meshes as STL: 2 joints, 6 shapes")


def test_pybullet_is_optional_and_may_crash(tmp_path, monkeypatch):
    subject = open_subject(write_robot(tmp_path))
    check = CHECKS["loads in PyBullet"]

    def crash(*_):
        raise CheckError("crashed (SIGSEGV)")

    monkeypatch.setattr(in_pybullet, "run_python", crash)
    assert [(f.outcome, f.message) for f in check(subject)] == [("failed", "crashed (SIGSEGV)")]
    monkeypatch.setattr(in_pybullet.importlib.util, "find_spec", lambda name: None)
    (finding,) = check(subject)
    assert finding.outcome == "skipped" and "pip install autourdf_ros[check]" in finding.message


def test_what_is_no_tree_is_not_looked_at_any_further(tmp_path):
    findings = run_checks(open_subject(write_robot(tmp_path, ('link="arm"/>', 'link="leg"/>'))))
    outcomes = {finding.check: finding.outcome for finding in findings}
    assert outcomes["one root"] == "failed"
    assert {outcomes[name] for name in CONTENT} == {"skipped"}


@pytest.mark.slow
def test_a_check_that_breaks_is_a_finding(tmp_path, monkeypatch):
    def broken(subject):
        raise RuntimeError("library\nbroke")

    monkeypatch.setitem(gate.CONTENT, "names", broken)
    found = failed(run_checks(open_subject(write_robot(tmp_path))))
    assert [f.message for f in found] == ["cannot be checked: RuntimeError: library broke"]


@pytest.mark.slow
def test_no_message_names_the_folder_that_will_be_renamed(tmp_path):
    write_robot(tmp_path, ("meshes/arm.stl", "meshes/leg.stl"))
    findings = check_result(tmp_path, document(STILL))
    assert failed(findings)
    assert not any(str(tmp_path) in finding.message for finding in findings)


def test_a_folder_without_a_robot_and_a_damaged_document_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"has no robot\.urdf; accepted is a result folder"):
        open_subject(tmp_path)
    write_robot(tmp_path)
    (tmp_path / "reconstruction.json").write_text("{")
    with pytest.raises(InputError, match="is no JSON"):
        open_subject(tmp_path)
    (tmp_path / "reconstruction.json").write_text("{}")
    with pytest.raises(InputError, match="has no format autourdf_ros/reconstruction"):
        open_subject(tmp_path)
    write_document(tmp_path, reference_configuration=None)
    with pytest.raises(InputError, match="is damaged"):
        open_subject(tmp_path)


@pytest.mark.parametrize("version", [3, 0, None, "1"])
@pytest.mark.parametrize("reader", [open_subject, open_robot, load_result, load_estimate])
def test_every_reader_reports_a_result_of_another_version(tmp_path, reader, version):
    write_robot(tmp_path)
    write_document(tmp_path, version=version, joints=[], sequences=[])
    complaint = rf"reconstruction\.json: has version {version!r}; accepted are 1 and 2"
    with pytest.raises(InputError, match=complaint) as refusal:
        reader(tmp_path)
    assert str(tmp_path) in str(refusal.value)
