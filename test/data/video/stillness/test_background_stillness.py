"""A camera that was moved shows in the background; what moves before it does not."""

import numpy as np
import pytest

from autourdf_ros.data.video.stillness.background_stillness import camera_remarks
from autourdf_ros.simulation.mechanisms.faults.video_faults import VideoFaults
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES, mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record


def remarks(name, kind, **faults):
    options = VideoOptions(
        frames=40,
        with_depth=kind == "depth",
        with_colors=kind == "colour",
        with_masks=False,
        size=(160, 120),
        faults=VideoFaults(**faults),
    )
    return camera_remarks(record(mechanism_scene(name).sample(2), 2, options)[0])


@pytest.mark.parametrize("name", ["cart_pole", "three_links", "door"])
def test_a_bumped_camera_is_remarked(name):
    (found,) = remarks(name, "depth", bump=np.radians(1))
    assert found.startswith("the camera was moved between 0.4")
    assert "depth of the background" in found


@pytest.mark.parametrize("kind", ["depth", "colour"])
@pytest.mark.parametrize("name", SCENES)
def test_mechanisms_and_hands_are_no_movement_of_the_camera(name, kind):
    assert remarks(name, kind, hand=True) == ()
