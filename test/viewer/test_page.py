"""What the page's controls do, by the server's side of them."""

import json
import threading
from math import pi

import numpy as np
import pytest

from autourdf_ros.viewer.local_server import start_server, stop_server
from autourdf_ros.viewer.page import Page
from autourdf_ros.viewer.recorded_frames import find_recording, moments
from autourdf_ros.viewer.viewed_result import ViewedResult, load_result

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(sample):
    return load_result(sample.folder)


@pytest.fixture
def server():
    started = start_server(port=0)
    yield started
    stop_server(started)


@pytest.fixture
def page(server, result):
    recording, _ = find_recording(result.document, None)
    return Page(server, result, moments(result.document, recording))


def control(server, label):
    """The handle of the control with a label; a joint's slider by the joint's name."""
    handles = server.gui._gui_input_handle_from_uuid.values()
    return next(h for h in handles if label in getattr(h, "label", ""))


def node(server, name):
    return server.scene._handle_from_node_name[name]


def link_places(server, result):
    """Origins of the axes' frames, which go with the joints' children."""
    count = len(result.document["joints"])
    return np.array([node(server, f"/robot/axes/{i}").position for i in range(count)])


def test_every_joint_has_a_slider_with_the_urdf_s_limits(page, server, result):
    for joint in result.document["joints"]:
        slider = control(server, joint["name"])
        linear = joint["type"] == "prismatic"
        scale, unit = (1e3, "(mm)") if linear else (180 / pi, "(°)")
        assert slider.label.endswith(f"{joint['name']} {unit}")
        bounds = [joint["lower"], joint["upper"]] if joint["upper"] is not None else [-pi, pi]
        assert [slider.min, slider.max] == pytest.approx(list(scale * np.array(bounds)), abs=0.11)
        assert slider.value == pytest.approx(scale * joint["reference"], abs=0.06)


def test_a_slider_moves_the_links_beyond_its_joint_and_no_others(page, server, result):
    before = link_places(server, result)
    control(server, "arm_lift").value += 20.0
    after = link_places(server, result)
    assert np.allclose(after[:2], before[:2]) and not np.allclose(after[2:], before[2:], atol=0.01)
    lift = result.document["joints"][1]
    moved = np.deg2rad(control(server, "arm_lift").value) - lift["reference"]
    arm = before[2] - np.array(lift["point"])
    axis = np.array(lift["axis"])
    turned = (  # Rodrigues' formula
        arm * np.cos(moved)
        + np.cross(axis, arm) * np.sin(moved)
        + axis * (axis @ arm) * (1 - np.cos(moved))
    )
    assert after[2] == pytest.approx(lift["point"] + turned, abs=1e-4)


def test_both_looks_of_the_robot_move_and_one_is_seen(page, server):
    names = [f"/robot/{style}/visual/link_0/link_1/link_2" for style in ("recorded", "parts")]
    before = [np.array(node(server, name).wxyz) for name in names]
    control(server, "arm_lift").value += 20.0
    after = [np.array(node(server, name).wxyz) for name in names]
    assert np.allclose(after[0], after[1]) and not np.allclose(after, before, atol=0.01)
    seen = [node(server, f"/robot/{style}/visual") for style in ("recorded", "parts")]
    assert [style.visible for style in seen] == [False, True]
    control(server, "parts in colour").value = False
    assert [style.visible for style in seen] == [True, False]


def test_a_frame_poses_the_robot_and_shows_its_points(page, server, result):
    control(server, "frame").value = 6
    truth = result.document["sequences"][1]["joint_values"][1]
    assert list(page.sliders.values.values()) == truth
    for joint, value in zip(result.document["joints"], truth, strict=True):
        scale = 1e3 if joint["type"] == "prismatic" else 180 / pi
        slider = control(server, joint["name"])
        shown = np.clip(scale * value, slider.min, slider.max)
        assert slider.value == pytest.approx(shown, abs=0.06)
    seen = find_recording(result.document, None)[0].frames[6].points
    assert np.array_equal(node(server, "/points").points, seen)
    control(server, "recorded points").value = False
    assert not node(server, "/points").visible


def test_the_model_stands_where_the_points_of_its_frame_are(page, server, result):
    """The arm's points were posed by these values: its last link is among them."""
    control(server, "frame").value = 6
    place = node(server, "/robot/axes/2").position
    assert np.linalg.norm(node(server, "/points").points - place, axis=1).min() < 0.06


def test_the_base_goes_with_the_frame_and_back_to_the_reference(server, result):
    shift = np.eye(4)
    shift[:3, 3] = 0.1, 0.2, 0.3
    document = json.loads(json.dumps(result.document))
    document["sequences"][0]["base_poses"][2] = shift.tolist()
    shifted = ViewedResult(result.folder, document, result.judgements)
    page = Page(server, shifted, moments(document, None))
    control(server, "frame").value = 2
    assert node(server, "/robot").position == pytest.approx([0.1, 0.2, 0.3])
    page._reset()
    assert node(server, "/robot").position == pytest.approx([0, 0, 0])
    assert page.sliders.values == pytest.approx(document["reference_configuration"])


def test_frames_go_by_while_they_play_and_begin_again(page, server):
    time = control(server, "frame")
    page.frames.advance()
    assert time.value == 0
    control(server, "play").value = True
    seen = []
    for _ in range(10):
        page.frames.advance()
        seen.append(time.value)
    assert seen == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]


def test_playing_ends_when_the_event_is_set(page):
    end = threading.Event()
    thread = threading.Thread(target=page.play, args=(end,))
    thread.start()
    end.set()
    thread.join(10)
    assert not thread.is_alive()


def test_a_value_from_outside_stays_within_the_limits(page, server, result):
    """What arrives by the network is whatever was sent."""
    slider = control(server, "arm_lift")
    slider.value = 1e9
    assert page.sliders.values["arm_lift"] == pytest.approx(np.deg2rad(slider.max))
    slider.value = float("nan")
    assert np.isfinite(list(page.sliders.values.values())).all()
    control(server, "frame").value = 10**6
    assert page.frames.now.number == 5
    assert np.isfinite(link_places(server, result)).all()


def test_without_frames_there_is_no_time(server, result):
    assert Page(server, result).frames is None
    with pytest.raises(StopIteration):
        control(server, "frame")


def test_no_control_takes_a_text_or_a_file(page, server):
    kinds = {type(handle).__name__ for handle in server.gui._gui_input_handle_from_uuid.values()}
    assert kinds == {"GuiSliderHandle", "GuiCheckboxHandle", "GuiButtonHandle"}
