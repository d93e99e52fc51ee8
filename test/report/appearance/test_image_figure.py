"""The figure of held-out images beside the drawn ones."""

import base64
import io
import re

import numpy as np
from PIL import Image

from autourdf_ros.estimation.appearance.drawn_examples import DrawnExample
from autourdf_ros.report.appearance.image_figure import draw_images


def test_images_are_drawn_around_the_robot_with_their_ratio(tmp_path):
    mask = np.zeros((60, 80), np.float32)
    mask[20:40, 30:50] = 1
    recorded = np.zeros((60, 80, 3), np.float32)
    recorded[20:40, 30:50] = 1, 0, 0
    drawn = recorded * np.float32(0.5)
    examples = [
        DrawnExample(7, recorded, drawn, mask, 0.01),
        DrawnExample(9, drawn, drawn, mask, 0),
    ]
    draw_images(examples, tmp_path / "images.svg")
    text = (tmp_path / "images.svg").read_text()
    assert "image 7: 20.0 dB" in text and "image 9: inf dB" in text and "difference" in text
    pictures = [
        np.asarray(Image.open(io.BytesIO(base64.b64decode(code))).convert("RGBA"))[..., :3].astype(
            int
        )
        for code in re.findall(r"data:image/png;base64,([^\"]+)", text)
    ]
    middles = [picture[len(picture) // 2, len(picture[0]) // 2] for picture in pictures]
    # Recorded, drawn, and a difference of half of the range, which is the lightest of its colours.
    assert np.abs(middles[0] - [255, 0, 0]).max() < 10
    assert np.abs(middles[1] - [128, 0, 0]).max() < 10
    assert middles[2].min() > 180
    assert middles[5].max() < 10, "what is drawn as it was recorded does not differ"
    share = (np.abs(pictures[0] - [255, 0, 0]).max(axis=2) < 10).mean()
    assert 0.5 < share < 0.7, "the robot fills the picture"
