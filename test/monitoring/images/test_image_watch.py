"""Live images of a small arm before a wall: learnt first, then judged."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from splat_arm import LINKS, camera_at, splat_arm

from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.camera_refinement import moved_camera
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.images import image_watch
from autourdf_ros.monitoring.images.image_report import LEARNING, ImageReport, agreement
from autourdf_ros.monitoring.images.image_watch import ImageWatch, ImageWatchOptions
from autourdf_ros.monitoring.images.learnt_view import light_beside_fit

SIZE = 48
OPTIONS = ImageWatchOptions(learning=5.0, link_pixels=40)
EYES = {"left": (1.2, -0.5, 0.7), "right": (0.1, 1.3, 0.6)}
FITTED = np.full(len(LINKS), 0.03)
WALLS = {name: np.random.default_rng(len(name)).uniform(0.3, 0.5, (SIZE, SIZE, 3)) for name in EYES}


@pytest.fixture(scope="module")
def arm():
    return splat_arm(80)


class Scene:
    """The arm at work; it stands `off` its readings."""

    def __init__(self, arm, watch=None):
        self.arm, self.stamp = arm, 0.0
        self.rng = np.random.default_rng(0)
        self.watch = watch or ImageWatch(arm, FITTED, OPTIONS)

    def image(self, name, free, off=0.0, light=1.0, size=SIZE):
        camera = camera_at(EYES[name], size)
        pixels = self.arm.draw(free + off, camera).pixels.astype(float)
        color = light * pixels[..., :3] + pixels[..., 3:] * WALLS[name][:size, :size]
        color += self.rng.normal(0, 0.01, color.shape)
        color = np.round(255 * color.clip(0, 1)).astype(np.uint8)
        return RobotImage(camera, color, dict(zip(self.arm.names, free.tolist(), strict=True)))

    def step(self, **changes):
        """Both cameras see the robot; the images are judged."""
        free = self.rng.uniform([-0.8, -0.6, 0.0], [0.8, 0.6, 0.08])
        for name in EYES:
            self.watch.take(name, self.stamp, self.image(name, free, **changes))
        self.watch.judge()
        self.stamp += 1.0
        return self.watch.report

    def learn(self):
        while self.step().text == LEARNING:
            assert self.stamp < 10
        return self


@pytest.fixture(scope="module")
def once(arm):
    return Scene(arm).learn()


@pytest.fixture
def learnt(once):
    return copy.deepcopy(once)


def test_a_robot_as_learnt_raises_no_alarm(learnt):
    assert learnt.stamp >= OPTIONS.learning
    for _ in range(4):
        report = learnt.step()
        assert report.text == "images show the robot as its splats predict it"
        assert not report.wrong and not report.joint
    assert set(report.ratios) <= set(LINKS) and len(report.ratios) >= 3
    assert all(0 < ratio < 1.3 for ratio in report.ratios.values())


@pytest.mark.slow
def test_a_zero_that_slips_is_named_once_two_judgements_agree(learnt):
    off = np.array([0.0, 0.12, 0.0])
    said = [learnt.step(off=off) for _ in range(5)]
    assert not said[0].wrong and said[0].text.startswith("judged once more: ")
    assert said[-1].wrong and (said[-1].joint, said[-1].child) == ("bend", "fore")
    assert "zero of bend is off by" in said[-1].text


def test_a_light_that_moves_is_named_and_not_judged(learnt, monkeypatch):
    monkeypatch.setattr(
        image_watch,
        "light_beside_fit",
        lambda robot, images: light_beside_fit(robot, images) + 0.4,
    )
    report = learnt.step()
    assert "the light on the robot changed by 4" in report.text and not report.wrong


def test_images_that_cannot_be_used_are_named(learnt):
    watch, free = learnt.watch, np.zeros(3)
    away = replace(learnt.image("left", free).camera, pose=np.diag([1.0, -1, -1, 1]))
    with pytest.raises(InputError, match="should cover 0 pixels of 48 x 48; accepted are 50"):
        watch.take("left", 100.0, replace(learnt.image("left", free), camera=away))
    with pytest.raises(InputError, match="another size or lens"):
        watch.take("left", 100.0, learnt.image("left", free, size=24))
    with pytest.raises(InputError, match="clock of its stamps was set back"):
        watch.take("right", 1.0, learnt.image("right", free))
    # Both learn anew.
    assert learnt.step().text in (LEARNING, learnt.watch.report.text)
    assert not watch._learnt


def test_images_of_one_camera_that_stop_are_not_judged_with_the_others(learnt):
    learnt.step()
    learnt.stamp += OPTIONS.age + 1
    free = np.zeros(3)
    learnt.watch.take("left", learnt.stamp, learnt.image("left", free))
    learnt.watch.judge()
    assert learnt.watch.report.stamp == learnt.stamp
    assert len(learnt.watch._seen["right"]) > 0


def test_large_images_are_halved(arm):
    watch = ImageWatch(arm, FITTED, replace(OPTIONS, width=24))
    scene = Scene(arm, watch)
    watch.take("left", 0.0, scene.image("left", np.zeros(3)))
    assert watch._seen["left"][0].image.camera.width == 24


@pytest.mark.parametrize(
    ("kind", "subject", "same"),
    [
        ("joint_zero", "motor", True),
        ("joint_zero", "other", False),
        ("joint_axis", "bend", True),
        ("link_shape", "fore", True),
        ("link_shape", "upper", False),
        ("object", "", False),
    ],
)
def test_clouds_and_images_that_name_the_same_joint_are_said_to(kind, subject, same):
    report = ImageReport(1.0, "text", {}, True, "bend", "fore")
    change = Change(kind, subject, (), 30.0, "")
    text = agreement(report, [change], {"motor": "bend", "other": "turn"})
    assert bool(text) == same and ("bend" in text) == same
    assert not agreement(None, [change], {}) and not agreement(ImageReport(1.0), [change], {})


@pytest.mark.slow
def test_the_error_of_a_camera_is_learnt_and_no_fault(arm):
    off = {"left": np.array([0.0, 0.03, 0.0, 0.0, 0.0, 0.0]), "right": np.zeros(6)}
    scene = Scene(arm)
    drawn = scene.image

    def stated(name, free, **changes):
        image = drawn(name, free, **changes)
        return replace(image, camera=moved_camera(image.camera, -off[name]))

    scene.image = stated
    scene.learn()
    middle = np.array([[0.1, 0.0, 0.3]])  # a turn and a shift move the robot alike in the image
    for name, most in (("left", 0.75), ("right", 0.3)):
        true = camera_at(EYES[name], SIZE)
        said = moved_camera(true, -off[name])
        found = moved_camera(said, scene.watch._learnt[name].twist)
        error = np.linalg.norm(found.project(middle)[0] - true.project(middle)[0])
        assert error < most
        assert name == "right" or np.linalg.norm(said.project(middle)[0] - (47 / 2)) > 1.4
    assert not any(scene.step().wrong for _ in range(3))
