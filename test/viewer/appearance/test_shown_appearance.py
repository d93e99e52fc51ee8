"""Splats and recorded images on the page, by the server's side of them."""

import numpy as np
import pytest
from viser import transforms

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.viewer.appearance.link_splats import ShownSplats
from autourdf_ros.viewer.appearance.seen_images import SeenImage
from autourdf_ros.viewer.appearance.shown_appearance import ShownAppearance
from autourdf_ros.viewer.local_server import start_server, stop_server
from autourdf_ros.viewer.page import Page
from autourdf_ros.viewer.viewed_result import load_result

pytestmark = pytest.mark.slow


@pytest.fixture
def server():
    started = start_server(port=0)
    yield started
    stop_server(started)


def control(server, label):
    handles = server.gui._gui_input_handle_from_uuid.values()
    return next(one for one in handles if label in getattr(one, "label", ""))


def node(server, name):
    return server.scene._handle_from_node_name[name]


def shown(document):
    links = [joint["child"] for joint in document["joints"]]
    count = 5
    splats = ShownSplats(
        np.random.default_rng(0).uniform(-0.1, 0.1, (count, 3)),
        np.tile(1e-6 * np.eye(3), (count, 1, 1)),
        np.full((count, 3), 0.5),
        np.full(count, 0.9),
    )
    pose = look_at(np.array([1.0, 0.5, 0.8]), np.zeros(3))
    camera = PinholeCamera(40, 30, (50.0, 50.0), (19.5, 14.5), pose)
    images = []
    for number in range(3):
        values = {one["name"]: one["reference"] + 0.1 * number for one in document["joints"]}
        recorded = np.full((10, 12, 3), 50 * number, np.uint8)
        images.append(SeenImage(20 * number, camera, values, recorded, recorded + 5, 25.0))
    return ShownAppearance(dict.fromkeys(links, splats), tuple(images))


@pytest.fixture
def page(server, sample):
    result = load_result(sample.folder)
    return Page(server, result, appearance=shown(result.document))


def test_splats_move_with_the_links_that_a_slider_moves(page, server):
    names = [f"/robot/splats/{number}" for number in range(4)]
    before = [np.append(node(server, n).wxyz, node(server, n).position) for n in names]
    control(server, "arm_lift").value += 20.0
    after = [np.append(node(server, n).wxyz, node(server, n).position) for n in names]
    moved = [
        not np.allclose(one, other, atol=1e-3) for one, other in zip(before, after, strict=True)
    ]
    assert moved == [False, True, True, True]
    gaussians = node(server, "/robot/splats/0/gaussians")
    half = (
        np.frombuffer(gaussians.buffer.tobytes(), np.float16).reshape(5, -1)[:, 8:14].astype(float)
    )
    assert half[:, [0, 3, 5]] * gaussians.scale**2 == pytest.approx(np.full((5, 3), 1e-6), rel=1e-3)


def test_splats_are_shown_instead_of_meshes_or_meshes_instead_of_splats(page, server):
    styles = [
        node(server, f"/robot/{name}") for name in ("splats", "parts/visual", "recorded/visual")
    ]
    assert [style.visible for style in styles] == [True, False, False]
    control(server, "splats instead of meshes").value = False
    assert [style.visible for style in styles] == [False, True, False]
    control(server, "parts in colour").value = False
    assert [style.visible for style in styles] == [False, False, True]


def test_an_image_poses_the_robot_and_is_shown_beside_the_drawn_one(page, server, sample):
    control(server, "image").value = 2
    lift = next(
        one for one in load_result(sample.folder).document["joints"] if "lift" in one["name"]
    )
    assert page.sliders.values[lift["name"]] == pytest.approx(lift["reference"] + 0.2)
    frustum = node(server, "/camera")
    assert frustum.position == pytest.approx([1.0, 0.5, 0.8])
    forward = transforms.SO3(np.asarray(frustum.wxyz)).as_matrix()[:, 2]
    assert forward == pytest.approx(-np.array([1.0, 0.5, 0.8]) / np.linalg.norm([1.0, 0.5, 0.8]))
    assert frustum.fov == pytest.approx(2 * np.arctan(15 / 50))


def test_a_result_without_splats_has_no_control_of_them(server, sample):
    Page(server, load_result(sample.folder))
    assert not control(server, "splats instead of meshes").visible
    labels = [getattr(one, "label", "") for one in server.gui._gui_input_handle_from_uuid.values()]
    assert "image" not in labels
