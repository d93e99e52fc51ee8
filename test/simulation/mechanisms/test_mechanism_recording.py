"""Videos of scenes: what the images show is the truth beside them."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.cameras.noise import NO_NOISE
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES, mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_truth import (
    read_mechanism_truth,
    write_mechanism_truth,
)

pytestmark = pytest.mark.fast
SMALL = VideoOptions(frames=3, size=(80, 60), frame_period=0.4)


@pytest.mark.parametrize("name", SCENES)
def test_depth_without_noise_lies_on_the_bodies_of_the_truth(name):
    scene = mechanism_scene(name).sample(1)
    video, truth = record(scene, 1, replace(SMALL, noise=NO_NOISE))
    for number, body in enumerate(scene.bodies):
        for frame, pose in enumerate(truth.poses[number]):
            seen = video.masks[frame] == number + 1
            assert seen.sum() > 5
            local = video.camera.directions[seen] * video.depth[frame][seen][:, None]
            points = local @ video.camera.pose[:3, :3].T + video.camera.pose[:3, 3]
            own = (points - pose[:3, 3]) @ pose[:3, :3]
            away = distances(body.mesh, own)  # the ray caster errs where rays graze
            assert np.quantile(away, 0.95) < 1e-4
            assert away.max() < 1e-3


def distances(mesh, points):
    import open3d as o3d

    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        o3d.core.Tensor(np.array(mesh.vertices)), o3d.core.Tensor(np.array(mesh.triangles))
    )
    return scene.compute_distance(o3d.core.Tensor(points.astype(np.float32))).numpy()


def test_equal_seeds_give_equal_videos_and_others_other_noise():
    scene = mechanism_scene("three_links").sample(2)
    options = replace(SMALL, with_colors=True, jitter=0.1)
    (first, truth), (again, same), (other, _) = (record(scene, s, options) for s in (4, 4, 5))
    assert np.array_equal(first.depth, again.depth, equal_nan=True)
    assert np.array_equal(first.colors, again.colors)
    assert np.array_equal(first.stamps, again.stamps)
    assert np.array_equal(truth.forces, same.forces)
    assert not np.array_equal(first.depth, other.depth, equal_nan=True)


def test_noise_is_that_of_the_options():
    scene = mechanism_scene("drawer").sample(2)
    exact, _ = record(scene, 0, replace(SMALL, noise=NO_NOISE))
    noisy, _ = record(scene, 0, SMALL)
    error = (noisy.depth - exact.depth)[exact.masks == 1]
    assert 1e-4 < np.nanmedian(np.abs(error)) < 3e-3
    assert np.isnan(noisy.depth[exact.masks == 1]).any()


def test_frames_need_not_be_whole_steps():
    scene = mechanism_scene("cart_pole").sample(0)
    video, truth = record(scene, 0, replace(SMALL, frame_period=0.1234567, jitter=0.1))
    assert np.array_equal(video.stamps, truth.stamps)
    assert not np.allclose(np.diff(video.stamps), 0.1234567)
    assert truth.forces is None


@pytest.mark.parametrize("name", ["cart_pole", "three_links"])
def test_truth_comes_back_from_its_file(name, tmp_path):
    _, truth = record(mechanism_scene(name).sample(0), 0, SMALL)
    write_mechanism_truth(truth, tmp_path / "truth.json")
    back = read_mechanism_truth(tmp_path / "truth.json")
    assert back.parameters == truth.parameters
    assert back.coordinates == truth.coordinates
    assert np.array_equal(back.poses, truth.poses)
    assert [joint.kind for joint in back.joints] == [joint.kind for joint in truth.joints]
    assert np.array_equal(back.joints[-1].pivot, truth.joints[-1].pivot)
    assert (back.forces is None) == (truth.forces is None)
    if truth.forces is not None:
        assert np.array_equal(back.forces, truth.forces)
        assert np.array_equal(back.contacts["tip"], truth.contacts["tip"])


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"scene": 3}', "[" * 100000])
def test_other_files_are_no_truth(text, tmp_path):
    (tmp_path / "truth.json").write_text(text)
    with pytest.raises(InputError, match=r"truth\.json"):
        read_mechanism_truth(tmp_path / "truth.json")


def test_names_and_options_are_checked():
    with pytest.raises(InputError, match="cart_pole, driven_cart_pole"):
        mechanism_scene("cartpole")
    with pytest.raises(InputError, match="0 frames"):
        VideoOptions(frames=0)
    with pytest.raises(InputError, match="frame period"):
        VideoOptions(frame_period=0)
