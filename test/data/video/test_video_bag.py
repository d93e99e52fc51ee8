"""Videos in ROS bags."""

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin
from video_bags import (
    COLOR,
    DEPTH,
    INFO,
    PERIOD,
    POSE,
    SIZE,
    START,
    depths,
    image,
    info,
    messages,
    transform,
    write,
)

from autourdf_ros.data.video.video_bag import VideoTopics, read_video_bag
from autourdf_ros.data.video.video_loading import load_video
from autourdf_ros.errors import InputError


@pytest.mark.parametrize("plugin", list(StoragePlugin))
@pytest.mark.parametrize("encoding", ["32FC1", "16UC1"])
def test_depths_camera_and_pose_come_together(tmp_path, plugin, encoding):
    layout = {"padding": 5, "big": plugin is StoragePlugin.MCAP}
    video = load_video(write(tmp_path / "bag", messages(encoding, **layout), plugin))
    assert np.allclose(video.depth, depths(), atol=1e-6 if encoding == "32FC1" else 5.1e-4)
    assert np.allclose(video.stamps, np.arange(3) * PERIOD / 1e9)
    assert np.allclose(video.camera.pose, POSE)
    assert video.camera.focal == (5, 6) and video.camera.principal == (2.5, 1.5)


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8"])
def test_colours_are_those_nearest_in_time(tmp_path, encoding):
    colors = np.random.default_rng(1).integers(0, 256, (3, SIZE[1], SIZE[0], 3), np.uint8)
    items = messages()
    for number in (2, 0, 1):  # the order of reception does not matter
        sent = colors[number] if encoding == "rgb8" else colors[number][..., ::-1]
        stamp = START + number * PERIOD + 3_000_000
        items.append((COLOR, image(stamp, np.ascontiguousarray(sent), encoding)))
    video = read_video_bag(write(tmp_path / "bag", items), VideoTopics(DEPTH, COLOR))
    assert np.array_equal(video.colors, colors)
    alone = [item for item in items if item[0] != DEPTH]
    video = read_video_bag(write(tmp_path / "alone", alone))
    assert video.depth is None and np.array_equal(video.colors, colors)


def replaced(items, topic, *others):
    return [item for item in items if item[0] != topic] + [(topic, other) for other in others]


MOVED = POSE.copy()
MOVED[0, 3] += 0.5


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda items: replaced(items, INFO), "CameraInfo of /cam/depth/image is not known"),
        (lambda items: replaced(items, INFO, info((7, 4))), "is of 7 x 4 pixels, .* of 6 x 4"),
        (lambda items: replaced(items, INFO, info(d=(0.1, 0))), "distortion .* rectified"),
        (lambda items: replaced(items, "/tf_static"), "no transforms from 'optical'"),
        (lambda items: replaced(items, DEPTH), "no topic of sensor_msgs/msg/Image"),
        (
            lambda items: [
                *replaced(items, "/tf_static"),
                ("/tf", transform(START)),
                ("/tf", transform(START + 2 * PERIOD, MOVED)),
            ],
            r"the camera of frame 2 is 0\.5000 m .* stands still",
        ),
        (
            lambda items: [*items, (DEPTH, image(START, depths()[0], "32FC1"))],
            "/cam/depth/image: time 1 is 0.0 s after 0.0 s",
        ),
        (
            lambda items: [*items, (DEPTH, image(START + 10**9, depths()[0][:3], "32FC1"))],
            "sizes .* accepted is one camera",
        ),
        (
            lambda items: [*items, (DEPTH, image(START + 10**9, depths()[0], "64FC1"))],
            "encoding '64FC1'; accepted are 32FC1, 16UC1",
        ),
        (
            lambda items: [*items, ("/other/depth", image(START, depths()[0], "32FC1"))],
            "has depth images on /cam/depth/image, /other/depth; accepted is one topic",
        ),
        (
            lambda items: [
                *items,
                (COLOR, image(START, np.zeros((4, 6, 3), np.uint8), "rgb8")),
            ],
            "/cam/color/image has no image at",
        ),
        (
            lambda items: [*items, (COLOR, image(START, np.zeros((8, 6, 3), np.uint8), "rgb8"))],
            "colours registered to the depth images",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path, change, named):
    path = write(tmp_path / "bag", change(messages()))
    with pytest.raises(InputError, match=named) as caught:
        read_video_bag(path)
    assert str(path) in str(caught.value)


def test_rectified_images_have_the_projection_of_the_camera_info(tmp_path):
    items = replaced(messages(), INFO, info(d=(0.1, 0)))
    items = [(topic.replace("depth/image", "depth/image_rect"), one) for topic, one in items]
    assert read_video_bag(write(tmp_path / "bag", items)).camera.focal == (4, 6)


def test_rows_that_do_not_fit_are_named(tmp_path):
    items = messages()
    items[-1][1].step = 3
    with pytest.raises(InputError, match="rows of 3 bytes; accepted are rows of at least 24"):
        read_video_bag(write(tmp_path / "one", items))
    items = messages()
    items[-1][1].height = 10**6
    with pytest.raises(InputError, match="96 bytes; accepted: 24000000"):
        read_video_bag(write(tmp_path / "two", items))


def test_topics_that_are_not_there_are_named(tmp_path):
    path = write(tmp_path / "bag", messages())
    for chosen, named in [
        (VideoTopics(depth="/x"), "no images on /x; its topics are /cam/depth/image"),
        (VideoTopics(info="/x"), "CameraInfo on /x; its topics are /cam/depth/camera_info"),
        (VideoTopics(world="/x"), "no transforms from 'optical' to '/x'"),
    ]:
        with pytest.raises(InputError, match=named):
            read_video_bag(path, chosen)
