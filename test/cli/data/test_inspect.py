import json

import numpy as np
import pytest
from PIL import Image

from autourdf_ros.cli import main as cli
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.writer import RecordingWriter


@pytest.fixture
def recording(tmp_path):
    with RecordingWriter(tmp_path / "recording") as writer:
        for sequence in range(2):
            writer.start_sequence()
            for number in range(6):
                points = np.random.default_rng(number).uniform(size=(1500, 3)).astype(np.float32)
                joints = {"pan": 0.2 * number, "lift": 0.3 * (number % 3)}
                stamp = 10.0 * sequence + number
                writer.write_frame(Frame(points, None, stamp, joints, np.zeros(1500, np.uint8)))
    return tmp_path / "recording"


def inspect(*arguments):
    return cli.main(["inspect", *map(str, arguments)])


def test_text(recording, capsys):
    assert inspect(recording) == 0
    shown = capsys.readouterr().out
    assert f"{recording}: 12 frames in 15.0 s, in base_link" in shown
    assert "0000 (6), 0001 (6)" in shown and "pan" in shown
    assert "warning: one camera only" in shown


@pytest.mark.slow
def test_json_and_sheet(recording, tmp_path, capsys):
    assert inspect(recording, "--json", "--sheet", tmp_path / "sheet.png") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["points"] == [1500] * 12
    step = pytest.approx(0.2)
    assert content["joints"]["pan"] == {"lowest": 0.0, "highest": 1.0, "largest_step": step}
    with Image.open(tmp_path / "sheet.png") as image:
        assert min(image.size) > 800 and np.ptp(np.asarray(image.convert("L"))) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sheet", "message"),
    [("sheet.bmp", "is .bmp; accepted is .png, .svg or .pdf"), ("no/sheet.png", "cannot be writ")],
)
def test_sheets_that_cannot_be(recording, tmp_path, capsys, sheet, message):
    assert inspect(recording, "--sheet", tmp_path / sheet) == 2
    assert message in capsys.readouterr().err
