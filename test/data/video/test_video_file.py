"""Video files: decoded where ffmpeg is installed; a small stand-in shows what is made of it."""

import os
import shutil
import stat
import sys

import numpy as np
import pytest
import yaml

from autourdf_ros.data.video import video_file
from autourdf_ros.data.video.video_file import read_video_file
from autourdf_ros.data.video.video_loading import load_video
from autourdf_ros.errors import InputError

CAMERA = {
    "image_width": 4,
    "image_height": 2,
    "camera_matrix": {"rows": 3, "cols": 3, "data": [5, 0, 1.5, 0, 6, 0.5, 0, 0, 1]},
    "distortion_coefficients": {"rows": 1, "cols": 5, "data": [0, 0, 0, 0, 0]},
    "pose": {"position": [1, 2, 3], "quaternion": [0, 0, 0, 1]},
}
FRAME = "[Parsed_showinfo_0 @ 0x1] n: {0} pts: {0} pts_time:{1} fmt:rgb24 sar:1/1 s:{2}x{3} i:P"


def written(folder, **entries):
    content = {k: v for k, v in (CAMERA | entries).items() if v is not None}
    (folder / "a.yaml").write_text(yaml.safe_dump(content))
    (folder / "a.mp4").write_bytes(b"\0\0\0\x18ftyp")
    return folder / "a.mp4"


@pytest.fixture
def decoder(tmp_path, monkeypatch):
    """A program that prints given lines and bytes, as ffmpeg would."""

    def install(lines, content, code=0):
        program = tmp_path / "bin/ffmpeg"
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            f"#!{sys.executable}\nimport sys\n"
            f"sys.stderr.write({chr(10).join(lines)!r})\n"
            f"sys.stdout.buffer.write({content!r})\nsys.exit({code})\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(program.parent))

    return install


def frames(times, size=(4, 2)):
    return [FRAME.format(number, time, *size) for number, time in enumerate(times)]


@pytest.mark.slow
def test_frames_times_and_camera_come_together(tmp_path, decoder):
    decoder(frames([0.5, 0.54, 0.6]), bytes(range(72)))
    video = load_video(written(tmp_path))
    assert np.allclose(video.stamps, [0, 0.04, 0.1])
    assert np.array_equal(video.colors.ravel(), np.arange(72))
    assert video.camera.focal == (5, 6) and video.camera.principal == (1.5, 0.5)
    assert video.camera.pose[:3, 3].tolist() == [1, 2, 3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "content", "code", "named"),
    [
        ([], b"", 1, r"a\.mp4: ffmpeg cannot decode it \(no frame\)"),
        (["moov atom not found"], b"", 1, "moov atom not found"),
        (frames([0], (8, 2)), bytes(48), 0, "has 8 x 2 pixels; accepted is 4 x 2"),
        (frames([0, 0]), bytes(48), 0, "time 1 is 0.0 s after 0.0 s"),
        (frames([0, "NOPTS"]), bytes(48), 0, "a frame has no time"),
        (frames([0, 1]), bytes(47), 0, "ffmpeg gave 47 bytes; accepted: 48"),
    ],
)
def test_what_the_decoder_refuses_is_named(tmp_path, decoder, lines, content, code, named):
    decoder(lines, content, code)
    with pytest.raises(InputError, match=named) as caught:
        read_video_file(written(tmp_path))
    assert "a.mp4" in str(caught.value)


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        ({"image_width": 0}, "0 x 2 pixels"),
        ({"image_width": 10**8}, "accepted: up to"),
        ({"image_height": None}, "image_height is None"),
        ({"image_height": "2"}, "image_height is '2'"),
        ({"camera_matrix": None}, "camera_matrix is missing"),
        ({"camera_matrix": [1, 2]}, r"camera_matrix is \[1, 2\]"),
        ({"camera_matrix": {"data": [-5, 0, 1, 0, 6, 1, 0, 0, 1]}}, "focal lengths"),
        ({"distortion_coefficients": {"data": [0.1, 0]}}, "distortion is .* rectified"),
        ({"pose": None}, "pose is None"),
        ({"pose": {"position": [0, 0, 0], "quaternion": [0, 0, 0, 3]}}, "norm 1"),
    ],
)
def test_a_wrong_camera_is_named(tmp_path, entries, named):
    with pytest.raises(InputError, match=named) as caught:
        read_video_file(written(tmp_path, **entries))
    assert "a.yaml" in str(caught.value)


def test_without_a_camera_file_or_a_decoder_it_says_what_is_needed(tmp_path, monkeypatch):
    path = written(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(InputError, match=r"apt install ffmpeg.*autourdf_ros\[video\]"):
        read_video_file(path)
    (tmp_path / "a.yaml").unlink()
    with pytest.raises(InputError, match=r"a\.yaml: is missing; .*camera_matrix"):
        read_video_file(path)


def test_only_videos_are_loaded(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    for path in (tmp_path / "no", tmp_path / "a.txt", tmp_path):
        with pytest.raises(InputError, match=r"accepted are a folder with transforms\.json"):
            load_video(path)


@pytest.mark.skipif(
    not (shutil.which("ffmpeg") or os.environ.get("IMAGEIO_FFMPEG_EXE")),
    reason="ffmpeg is not installed",
)
def test_a_real_file_is_decoded(tmp_path, monkeypatch):
    import subprocess

    program = shutil.which("ffmpeg") or os.environ["IMAGEIO_FFMPEG_EXE"]
    monkeypatch.setattr(video_file, "_decoder", lambda path: program)
    path = written(
        tmp_path,
        image_width=64,
        image_height=48,
        camera_matrix=[50, 0, 31.5, 0, 50, 23.5, 0, 0, 1],
    )
    made = ["-f", "lavfi", "-i", "color=red:s=64x48:r=25:d=0.4", "-y", str(path)]
    subprocess.run([program, "-v", "error", *made], check=True)
    video = read_video_file(path)
    assert len(video.stamps) == 10 and np.allclose(np.diff(video.stamps), 0.04)
    assert np.abs(video.colors[5].mean(axis=(0, 1)) - [255, 0, 0]).max() < 10
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"a\.mp4: ffmpeg cannot decode it"):
        read_video_file(path)
    path.write_text("#EXTM3U\nfile:///etc/passwd\n")
    with pytest.raises(InputError, match=r"a\.mp4: ffmpeg cannot decode it"):
        read_video_file(path)
