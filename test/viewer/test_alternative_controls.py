"""Alternatives of joints between parts on the page: chosen, shown, moved, and back again."""

import copy
import json
import shutil
from math import pi

import numpy as np
import pytest
from sample_assembly import write_cabinet

from autourdf_ros.errors import InputError
from autourdf_ros.model.document.alternatives import ranked_joints
from autourdf_ros.viewer.local_server import start_server, stop_server
from autourdf_ros.viewer.page import Page
from autourdf_ros.viewer.recorded_frames import find_recording, moments
from autourdf_ros.viewer.viewed_result import ViewedResult, load_result

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return load_result(write_cabinet(tmp_path_factory.mktemp("viewer") / "out"))


@pytest.fixture
def server():
    started = start_server(port=0)
    yield started
    stop_server(started)


@pytest.fixture
def page(server, result):
    return Page(server, result, moments(result.document, None))


def handles(server):
    return list(server.gui._gui_input_handle_from_uuid.values())


def choice(server, joint):
    return next(h for h in handles(server) if hasattr(h, "options") and joint in h.label)


def slider(page, joint):
    return page.sliders._sliders[joint]


def pose(page, link):
    return page._robot.link_pose(link).copy()


def test_every_joint_with_alternatives_has_a_choice_the_ambiguous_first(page, server):
    found = [h for h in handles(server) if hasattr(h, "options")]
    assert [h.label.split()[-1] for h in found] == ["joint_2", "joint_1"]
    assert found[0].options[0] == "1: revolute about (0 1 0), 46%"
    assert found[0].options[3] == "4: prismatic along (0 0 1), 8%"
    assert "as likely to be hinged" in found[0].hint
    assert not any(type(h).__name__ == "GuiTextHandle" for h in handles(server))


def test_the_slider_moves_the_subtree_by_the_chosen_alternative(page, server):
    lid, drawer = pose(page, "lid"), pose(page, "drawer")
    choice(server, "joint_2").value = choice(server, "joint_2").options[1]
    assert pose(page, "lid") == pytest.approx(lid)
    slider(page, "joint_2").value = 90.0
    # The lid stands upright on the edge at x = 0.2: what was up points to +x.
    motion = pose(page, "lid") @ np.linalg.inv(lid)
    assert motion[:3, :3] @ [0, 0, 1] == pytest.approx([-1, 0, 0], abs=1e-6)
    edge = np.array([0.2, 0.1, 0.401, 1])
    assert motion @ edge == pytest.approx(edge, abs=1e-6)
    knob = np.array([-0.1, 0.1, 0.42, 1])
    assert (motion @ knob)[:3] == pytest.approx(pose(page, "knob")[:3, 3], abs=1e-6)
    assert pose(page, "drawer") == pytest.approx(drawer)


def test_another_type_has_another_unit_and_range(page, server, result):
    lid = pose(page, "lid")
    choice(server, "joint_2").value = choice(server, "joint_2").options[3]
    shown = slider(page, "joint_2")
    assert shown.label.endswith("joint_2 (mm)") and shown.min == 0.0
    assert 500 < shown.max < 1000  # the size of the cabinet, since no collision ends it
    shown.value = 100.0
    assert pose(page, "lid")[:3, 3] - lid[:3, 3] == pytest.approx([0, 0, 0.1], abs=1e-6)
    choice(server, "joint_2").value = choice(server, "joint_2").options[0]
    assert slider(page, "joint_2").label.endswith("joint_2 (°)")
    assert slider(page, "joint_2").max == pytest.approx(180, abs=0.1)
    assert pose(page, "lid") == pytest.approx(lid)
    assert page.sliders.values["joint_2"] == 0.0


def test_the_chosen_axis_is_shown_in_place_of_the_first(page, server):
    def arrow():
        handle = server.scene._handle_from_node_name["/robot/axes/1/arrow"]
        return np.asarray(handle.points).mean((0, 1)) + np.array([-0.2, 0, 0.401])

    assert arrow() == pytest.approx([-0.2, 0, 0.401], abs=1e-4)
    choice(server, "joint_2").value = choice(server, "joint_2").options[1]
    assert arrow() == pytest.approx([0.2, 0, 0.401], abs=1e-4)
    label = server.scene._handle_from_node_name["/robot/axes/1/label"]
    assert "alternative 2" in label.text
    choice(server, "joint_2").value = choice(server, "joint_2").options[0]
    assert arrow() == pytest.approx([-0.2, 0, 0.401], abs=1e-4)


def test_the_chosen_axis_follows_its_moved_parent(page, server):
    choice(server, "joint_1").value = choice(server, "joint_1").options[1]
    before = server.scene._handle_from_node_name["/robot/axes/0"].wxyz.copy()
    slider(page, "joint_1").value = 5.0
    assert not np.allclose(server.scene._handle_from_node_name["/robot/axes/0"].wxyz, before)


def test_what_is_not_offered_chooses_nothing(page, server):
    lid = pose(page, "lid")
    choice(server, "joint_2").value = "5: anything <b>"
    slider(page, "joint_2").value = 90.0
    turned = np.linalg.inv(lid) @ pose(page, "lid")
    assert turned[:3, 3] == pytest.approx([0, 0, 0], abs=1e-6)  # about its own hinge
    assert page.sliders.values["joint_2"] == pytest.approx(pi / 2)


def test_a_fixed_alternative_stands_still(server, result):
    document = copy.deepcopy(dict(result.document))
    document["assembly"]["joints"][1]["alternatives"][3]["type"] = "fixed"
    shown = ViewedResult(result.folder, document, result.judgements, ranked_joints(document))
    page = Page(server, shown)
    lid = pose(page, "lid")
    choice(server, "joint_2").value = choice(server, "joint_2").options[3]
    assert slider(page, "joint_2").disabled
    slider(page, "joint_2").value = 30.0
    assert pose(page, "lid") == pytest.approx(lid)


def test_there_are_no_frames_and_no_recording(result, tmp_path):
    assert moments(result.document, None) == ()
    assert find_recording(result.document, None) == (None, None)
    with pytest.raises(InputError, match="comes from parts that stand still"):
        find_recording(result.document, tmp_path)


def test_damaged_alternatives_are_refused(result, tmp_path):
    folder = tmp_path / "out"
    shutil.copytree(result.folder, folder)
    document = json.loads((folder / "reconstruction.json").read_text())
    document["assembly"]["joints"][0]["alternatives"] = []
    (folder / "reconstruction.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"reconstruction.json.assembly.joints\[0\].alternatives"):
        load_result(folder)
