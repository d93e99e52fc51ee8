"""Images of a robot from a bag."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Picture
from video_bags import POSE, START, TYPES, header, image, info, transform, write

from autourdf_ros.data.images.image_bag import ImageBagOptions, read_image_bag
from autourdf_ros.errors import InputError

COLOR, INFO, JOINTS = "/cam/image", "/cam/camera_info", "/joint_states"
STEP = 20_000_000  # ns
MODEL = [("m1", "joint_1"), ("joint_2",)]


def pixels(number):
    return np.random.default_rng(number).integers(0, 255, (4, 6, 3)).astype(np.uint8)


def joints(stamp, **positions):
    empty = np.zeros(0)
    return TYPES["sensor_msgs/msg/JointState"](
        header=header(stamp),
        name=list(positions),
        position=np.array(list(positions.values()), float),
        velocity=empty,
        effort=empty,
    )


def slow(time):
    """Where the joints stand at a time since START (s)."""
    return {"joint_1": 0.1 * time, "joint_2": -0.05 * time, "gripper": 0.0}


def states(motion=slow, count=12):
    return [
        (JOINTS, joints(START + number * STEP, **motion(number * STEP / 1e9)))
        for number in range(count)
    ]


def images(count=3, encoding="rgb8"):
    """Between the joint states."""
    order = slice(None, None, -1) if encoding == "bgr8" else slice(None)
    return [
        (COLOR, image(START + (3 * number + 1) * STEP + STEP // 4, shown, encoding))
        for number in range(count)
        for shown in [pixels(number)[..., order]]
    ]


WHERE = [(INFO, info()), ("/tf_static", transform(START, parent="base_link"))]


def read(tmp_path, items, joints=MODEL, **options):
    return read_image_bag(write(tmp_path / "bag", items), joints, ImageBagOptions(**options))


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8"])
def test_images_are_paired_with_joint_positions_at_their_stamps(tmp_path, encoding):
    found = read(tmp_path, [*WHERE, *states(), *images(encoding=encoding)])
    assert not found.left_out and len(found.images.images) == 3
    for number, one in enumerate(found.images.images):
        assert (one.color == pixels(number)).all()
        expected = slow((3 * number + 1.25) * STEP / 1e9)
        assert one.joint_positions == pytest.approx(
            {name: expected[name] for name in ("joint_1", "joint_2")}, abs=1e-7
        )
        np.testing.assert_allclose(one.camera.pose, POSE, atol=1e-9)
        assert one.camera.focal == (5.0, 6.0)


def test_compressed_images_are_decoded(tmp_path):
    file = io.BytesIO()
    Picture.fromarray(pixels(0)).save(file, "PNG")
    message = TYPES["sensor_msgs/msg/CompressedImage"](
        header=header(START + STEP), format="png", data=np.frombuffer(file.getvalue(), np.uint8)
    )
    found = read(tmp_path, [*WHERE, *states(), (f"{COLOR}/compressed", message)])
    assert (found.images.images[0].color == pixels(0)).all()
    broken = replace(message, data=message.data[:20])
    with pytest.raises(InputError, match=r"topic /cam/image/compressed at .*no PNG or JPEG"):
        read(tmp_path / "broken", [*WHERE, *states(), (f"{COLOR}/compressed", broken)])


def test_images_of_a_fast_robot_or_without_joint_states_are_left_out_and_counted(tmp_path):
    def hurries(time):
        fast = 0.5 * max(time - 0.07, 0.0)
        return {"m1": fast, "joint_2": 0.0}

    late = (COLOR, image(START + 10**9, pixels(9), "rgb8"))
    found = read(tmp_path, [*WHERE, *states(hurries), *images(), late])
    assert [one.joint_positions["m1"] for one in found.images.images] == [0.0]
    assert found.left_out == {
        "a joint moves faster than 0.2 rad/s or m/s": 2,
        "/joint_states: no m1 within 0.2 s around": 1,
    }
    few = [item for number, item in enumerate(states(count=13)) if number % 12 == 0]
    with pytest.raises(InputError, match=r"no image can be used \(3: /joint_states: no joint_1"):
        read(tmp_path / "few", [*WHERE, *few, *images()])


def test_a_pose_that_is_not_known_at_the_stamp_leaves_an_image_out(tmp_path):
    moving = [("/tf", transform(START + n * STEP, parent="base_link")) for n in range(6)]
    found = read(tmp_path, [WHERE[0], *moving, *states(), *images()])
    assert len(found.images.images) == 2
    assert found.left_out == {"no transform from 'optical' to 'base_link'": 1}


def test_of_many_images_some_are_used_evenly(tmp_path):
    found = read(tmp_path, [*WHERE, *states(), *images()], most=2)
    for one, number in zip(found.images.images, (0, 2), strict=True):
        assert (one.color == pixels(number)).all()
    assert found.left_out == {"more than 2 images": 1}


@pytest.mark.parametrize(
    ("items", "options", "named"),
    [
        ([*WHERE, *states()], {}, "no colour image"),
        ([*WHERE, *states(), *images()], {"images": ("/other",)}, "no images on /other"),
        ([WHERE[1], *states(), *images()], {}, "no sensor_msgs/msg/CameraInfo on /cam/camera_info"),
        ([*WHERE, *images()], {}, "no sensor_msgs/msg/JointState"),
        ([WHERE[0], *states(), *images()], {}, "no transform has base_link or optical"),
        ([*WHERE, *states(), *images()], {"base_frame": "world"}, "no transform has world"),
        (
            [(INFO, info(d=(0.1, 0))), WHERE[1], *states(), *images()],
            {},
            "/cam/camera_info has the",
        ),
        ([(INFO, info(size=(8, 4))), WHERE[1], *states(), *images()], {}, "topic /cam/image at"),
        ([*WHERE, *states(lambda t: {"a": t}), *images()], {}, "has no m1 or joint_1; it has a"),
    ],
)
def test_what_is_missing_is_named_with_its_topic(tmp_path, items, options, named):
    with pytest.raises(InputError, match=named):
        read(tmp_path, items, **options)


def test_damaged_bytes_of_any_topic_are_named(tmp_path):
    cut = image(START + STEP, pixels(0), "rgb8")
    cut = replace(cut, data=cut.data[:10])
    with pytest.raises(InputError, match=r"topic /cam/image at .* accepted: 72"):
        read(tmp_path, [*WHERE, *states(), (COLOR, cut)])
