"""From a result folder and images to splats, and back to images."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.data.images.image_folder import read_image_folder, write_image_folder
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.held_out_images import psnr
from autourdf_ros.estimation.appearance.splats.harmonics import C0
from autourdf_ros.estimation.appearance.splats.splat_file import read_splats
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot
from autourdf_ros.workflows.appearance.image_poses import configured_poses
from autourdf_ros.workflows.appearance.showing.splat_export import export_splats
from autourdf_ros.workflows.appearance.showing.viewed_appearance import viewed_appearance
from autourdf_ros.workflows.appearance.splat_result import splat_result

pytestmark = pytest.mark.slow  # a result folder is written by processes

# The last link of the arm is three pixels long: its edges are all that is seen of it.
QUICK = AppearanceOptions(
    splats=900, held_out=4, good=2.0, fit=SplatFitOptions(60, 60), axes=AxisCheckOptions(0.3)
)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "arm"
    write_small_arm(folder)
    return folder


@pytest.fixture(scope="module")
def images(arm, tmp_path_factory):
    """As they are in a folder, whose cameras are rounded."""
    folder = tmp_path_factory.mktemp("images")
    write_image_folder(robot_images(arm, 16), folder)
    return replace(read_image_folder(folder), source=None, notes=("cameras were found",))


@pytest.fixture(scope="module")
def fitted(arm, images, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted") / "arm"
    shutil.copytree(arm, folder)
    return folder, splat_result(folder, images, QUICK)


def test_held_out_images_are_predicted(fitted):
    _, found = fitted
    assert found.held_out == (0, 4, 8, 12)
    assert np.mean(psnr(found.errors.robot)) > 22 and np.mean(found.errors.overlap) > 0.85
    assert found.losses[-10:].mean() < 0.4 * found.losses[:3].mean()
    assert found.verdict.trust == "trusted", found.verdict


def test_the_folder_has_the_layer_and_draws_what_was_recorded(fitted, images):
    folder, found = fitted
    layer = read_self_model(folder).appearance
    assert layer.verdict == found.verdict and set(layer.rests_on) == {"kinematics", "shape"}
    assert layer.provenance.method == "appearance/splats"
    document = json.loads((folder / "reconstruction.json").read_text())
    assert document["images"]["camera_notes"] == ["cameras were found"]
    assert document["images"]["robot_psnr"] == pytest.approx(np.mean(psnr(found.errors.robot)))
    robot, image = DrawnRobot(folder), images.images[8]
    drawn = robot.draw(image.joint_positions, image.camera)
    error = (drawn.color / 255.0 - image.color / 255.0) ** 2
    assert psnr(error.mean()) == pytest.approx(psnr(found.errors.whole[2]), abs=0.3)
    both = (image.mask > 0) & (drawn.link >= 0)
    assert np.median(np.abs(drawn.depth - image.depth)[both]) < 0.03 * np.nanmedian(image.depth)
    owners = [found.names[number] for number in np.unique(drawn.link[drawn.link >= 0])]
    assert set(owners) <= set(layer.links)


def test_the_report_shows_held_out_images_and_how_well_links_are_drawn(fitted):
    folder, found = fitted
    assert [one.frame in found.held_out for one in found.examples] == [True] * 4
    figure = (folder / "figures" / "images.svg").read_text()
    worst = found.examples[-1]
    assert f"image {worst.frame}: {psnr(worst.error):.1f} dB" in figure
    page = (folder / "report.html").read_text()
    assert "Images that were held out" in page and "href=" not in page
    assert page.count(" dB</td>") == np.isfinite(psnr(found.errors.links)).sum()


def test_the_viewer_has_the_splats_and_the_held_out_images(fitted, images, tmp_path):
    folder, found = fitted
    write_image_folder(images, tmp_path)
    shown, problem = viewed_appearance(folder, tmp_path)
    assert problem is None, "the images are those of the fit"
    assert [one.number for one in shown.images] == list(found.held_out)
    assert shown.images[1].values == pytest.approx(images.images[4].joint_positions)
    ratios = [one.psnr for one in shown.images]
    assert ratios == pytest.approx(list(psnr(found.errors.robot)), abs=0.3)
    counts = [len(own.centers) for own in shown.splats.values()]
    assert sum(counts) == len(found.links) and set(shown.splats) <= set(found.names)
    own = next(iter(shown.splats.values()))
    first = found.splats.log_scales[found.links == found.names.index(next(iter(shown.splats)))]
    variances = np.linalg.eigvalsh(own.covariances)
    assert variances == pytest.approx(np.sort(np.exp(2 * first)), rel=1e-2)
    other = replace(images, images=images.images[::-1])
    write_image_folder(other, tmp_path)
    assert "its SHA-256 differs" in viewed_appearance(folder, tmp_path)[1]


def test_images_that_the_viewer_lacks_are_named(fitted, arm, tmp_path):
    folder, _ = fitted
    shown, problem = viewed_appearance(folder, None)
    assert shown.splats and not shown.images and "images in memory" in problem
    with pytest.raises(InputError, match="transforms"):
        viewed_appearance(folder, tmp_path)
    with pytest.raises(InputError, match="has no splats; accepted are images of a result"):
        viewed_appearance(arm, tmp_path)
    shown, problem = viewed_appearance(arm, None)
    assert not shown.splats and problem is None


def test_splats_are_written_as_they_stand_in_a_configuration(fitted, images, tmp_path):
    folder, found = fitted
    values = images.images[4].joint_positions
    export_splats(folder, values, tmp_path / "all.ply")
    export_splats(folder, values, tmp_path / "all.GLB")
    light = np.zeros((9, 3), np.float32)
    light[0] = 1 / C0  # of 1 from all sides, as other programs have it
    whole = read_splats(tmp_path / "all.ply", light)
    model = read_self_model(folder)
    poses = configured_poses(model, values, "")
    nowhere = np.eye(4)[None]
    back = posed(whole, np.zeros(len(found.links), int), nowhere)
    expected = posed(found.splats, found.links, poses)
    order = [np.flatnonzero(found.links == number) for number in range(len(found.names))]
    order = np.concatenate([order[model.tree.links.index(n)] for n in model.appearance.links])
    for name in ("means", "covariances", "opacities", "colors"):
        assert getattr(back, name) == pytest.approx(getattr(expected, name)[order], abs=2e-5), name
    scene = trimesh.load(tmp_path / "all.GLB")
    points = [
        geometry.vertices @ scene.graph.get(name)[0][:3, :3].T + scene.graph.get(name)[0][:3, 3]
        for name, geometry in scene.geometry.items()
    ]
    upright = np.concatenate(points)[:, [0, 2, 1]] * [1, -1, 1]
    assert np.sort(upright, axis=0) == pytest.approx(np.sort(expected.means, axis=0), abs=1e-5)
    with pytest.raises(InputError, match=r"ends in \.ply or \.glb"):
        export_splats(folder, {}, tmp_path / "all.obj")


def test_images_of_other_joint_positions_are_doubted(arm, tmp_path):
    shutil.copytree(arm, tmp_path / "arm")
    wrong = robot_images(arm, 12, shift=0.6)
    options = replace(QUICK, fit=SplatFitOptions(20, 20))
    found = splat_result(tmp_path / "arm", wrong, options)
    assert found.verdict.trust == "doubtful"
    assert "cameras, joint positions or masks are not those" in found.verdict.reasons[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mask": None}, "frame 3 has no mask; accepted are images with mask_path"),
        ({"joint_positions": {"knee": 0.1}}, "joint 'knee' is none of the model; accepted are"),
    ],
)
def test_images_that_cannot_be_used_are_named(arm, images, changes, words):
    before = sorted(arm.rglob("*"))
    several = list(images.images)
    several[3] = replace(several[3], **changes)
    with pytest.raises(InputError, match=words):
        splat_result(arm, RobotImages(tuple(several)), QUICK)
    with pytest.raises(InputError, match="2 images; accepted are 8 or more"):
        splat_result(arm, RobotImages(images.images[:2]), QUICK)
    assert sorted(arm.rglob("*")) == before


def test_a_folder_without_splats_is_not_drawn(arm):
    with pytest.raises(InputError, match="has no splats; accepted is a folder that"):
        DrawnRobot(arm)
