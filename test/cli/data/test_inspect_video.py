"""`autourdf inspect` of a video."""

import json
from dataclasses import replace

import numpy as np
import pytest
from video_bags import DEPTH, messages, write

from autourdf_ros.cli import main as cli
from autourdf_ros.data.video.video_folder import read_video_folder
from autourdf_ros.data.video.video_folder_writing import write_video_folder
from autourdf_ros.simulation.mechanisms.mechanism_files import write_mechanism_video
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record


@pytest.fixture
def folder(tmp_path):
    scene = mechanism_scene("drawer").sample(1)
    video, truth = record(scene, 1, VideoOptions(frames=6, size=(80, 60)))
    write_mechanism_video(scene, video, truth, tmp_path / "video")
    return tmp_path / "video"


def inspect(*arguments):
    return cli.main(["inspect", *map(str, arguments)])


def test_text_lists_images_shapes_and_forces(folder, capsys):
    assert inspect(folder, "--shapes", folder / "shapes") == 0
    shown = capsys.readouterr().out
    assert f"{folder}: 6 frames of 80 x 60 pixels in 0.17 s, every 33.3 ms" in shown
    assert "masks      1, 2, 3" in shown and "colours    no" in shown
    assert "cabinet (" in shown and "forces     on drawer" in shown
    assert "no problem was found" in shown


def test_json_has_dropped_frames_and_masks_that_lack(folder, capsys):
    video = read_video_folder(folder)
    kept = np.array([0, 1, 2, 5])
    lacking = replace(
        video,
        stamps=video.stamps[kept],
        depth=video.depth[kept],
        masks=np.where(video.masks[kept] == 2, 0, video.masks[kept]).astype(np.uint8),
    )
    write_video_folder(lacking, folder)
    assert inspect(folder, "--json", "--shapes", folder / "shapes") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["frames"] == 4 and found["masks"] == [1, 3]
    dropped, mask = found["warnings"]
    assert "about 2 frames were dropped" in dropped
    assert mask == "no mask has the number of shape 'drawer'"


def test_a_bag_is_a_video_on_request(tmp_path, capsys):
    bag = write(tmp_path / "bag", messages())
    assert inspect(bag, "--video", "--json") == 0
    assert json.loads(capsys.readouterr().out)["size"] == [6, 4]
    assert DEPTH not in capsys.readouterr().err


def test_options_that_do_not_fit_are_named(folder, tmp_path, capsys):
    assert inspect(folder, "--sheet", tmp_path / "a.png") == 2
    assert "--sheet is given with the video" in capsys.readouterr().err
    assert inspect(tmp_path / "bag", "--shapes", folder / "shapes") == 2
    assert "--shapes is given with" in capsys.readouterr().err
