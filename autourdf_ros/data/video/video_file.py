"""Reads the colours of a video file; a YAML of the same name has the camera.

The file is decoded by the program ffmpeg in a process of its own: a hostile file may crash it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.image_files import MOST_PIXELS, check_file
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_checks import LIMITS, check_amount, check_stamps
from autourdf_ros.errors import InputError
from autourdf_ros.files.yaml_reading import parse_yaml
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]

VIDEO_SUFFIXES = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi")
_DEMUXERS = "mov,matroska,avi"  # no playlists, which would open other files
_PATIENCE = 600.0  # s for decoding: a bound of time
_FRAME = re.compile(r"pts_time:\s*(\S+).*? s:(\d+)x(\d+)")
_ACCEPTED = (
    "accepted is a YAML as ROS's camera calibration writes it (image_width, image_height, "
    "camera_matrix) with 'pose:' of the optical frame in the world, z up: position [x, y, z] (m) "
    "and quaternion [x, y, z, w]"
)


def read_video_file(path: Path, progress: Progress = silent) -> CameraVideo:
    """Return the colour video of a file, with the camera of the `.yaml` of the same name.

    Raises:
        InputError: names the file or key, the value found, and what is accepted; or ffmpeg is
            missing.
    """
    camera = _read_camera(path.with_suffix(".yaml"))
    progress("decoding", 0.0)
    stamps, colors = _decoded(path, (camera.width, camera.height))
    check_stamps(str(path), stamps)
    progress("decoding", 1.0)
    return CameraVideo(camera, stamps - stamps[0], colors=colors, source=path)


def _read_camera(path: Path) -> PinholeCamera:
    if not path.is_file():
        raise InputError(f"{path}: is missing; {_ACCEPTED}")
    try:
        found = parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: holds {found!r:.60}; {_ACCEPTED}")
    width, height = (_numbers(path, name, [found.get(name)], 1)[0] for name in _SIZE)
    if not (width >= 1 and height >= 1 and width * height <= MOST_PIXELS):
        raise InputError(f"{path}: {width:g} x {height:g} pixels; accepted: up to {MOST_PIXELS}")
    lens = _data(path, found, "distortion_coefficients", None)
    if lens is not None and np.any(lens):
        raise InputError(f"{path}: distortion is {lens.tolist()}; accepted is 0: rectified images")
    matrix = _data(path, found, "camera_matrix", 9)
    if matrix is None:
        raise InputError(f"{path}: camera_matrix is missing; {_ACCEPTED}")
    try:
        return PinholeCamera(
            int(width),
            int(height),
            (float(matrix[0]), float(matrix[4])),
            (float(matrix[2]), float(matrix[5])),
            _pose(path, found.get("pose")),
        )
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from error


_SIZE = ("image_width", "image_height")


def _data(path: Path, found: dict[Any, Any], name: str, count: int | None) -> Array | None:
    entry = found.get(name)
    if entry is None:
        return None
    given = entry.get("data") if isinstance(entry, dict) else entry
    length = len(given) if count is None and isinstance(given, list) else count or 0
    return np.array(_numbers(path, name, given, length))


def _pose(path: Path, given: Any) -> Array:
    if not isinstance(given, dict) or set(given) != {"position", "quaternion"}:
        raise InputError(f"{path}: pose is {given!r:.60}; {_ACCEPTED}")
    turn = _numbers(path, "quaternion", given["quaternion"], 4)
    if not 0.99 < np.linalg.norm(turn) < 1.01:
        raise InputError(f"{path}: quaternion is {turn}; accepted is norm 1")
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(turn).as_matrix()
    pose[:3, 3] = _numbers(path, "position", given["position"], 3)
    return pose


def _numbers(path: Path, name: str, given: Any, count: int) -> list[float]:
    if not isinstance(given, list) or len(given) != count:
        raise InputError(f"{path}: {name} is {given!r:.60}; accepted: {count} numbers")
    for value in given:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e9:
            raise InputError(f"{path}: {name} is {value!r:.60}; accepted are numbers")
    return [float(value) for value in given]


def _decoded(path: Path, size: tuple[int, int]) -> tuple[Array, NDArray[np.uint8]]:
    """Return times (T,) and colours (T, H, W, 3)."""
    check_file(path, f"accepted are {', '.join(VIDEO_SUFFIXES)} files")
    options = ["-nostdin", "-hide_banner", "-noautorotate", "-protocol_whitelist", "file,pipe"]
    source = ["-format_whitelist", _DEMUXERS, "-i", f"file:{path.resolve()}"]
    frames = ["-map", "0:v:0", "-vf", "showinfo", "-fps_mode", "passthrough"]
    output = ["-fs", str(LIMITS.bytes), "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]
    try:
        done = subprocess.run(
            [_decoder(path), *options, *source, *frames, *output],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{path}: ffmpeg cannot decode it: {error}") from error
    found = _FRAME.findall(done.stderr.decode(errors="replace"))
    if done.returncode or not found:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no frame"]
        raise InputError(
            f"{path}: ffmpeg cannot decode it ({lines[-1][:200]}); accepted are "
            f"{', '.join(VIDEO_SUFFIXES)}"
        )
    for _, width, height in found:
        if (int(width), int(height)) != size:
            raise InputError(
                f"{path}: has {width} x {height} pixels; accepted is {size[0]} x {size[1]}, as in "
                f"{path.with_suffix('.yaml').name}"
            )
    check_amount(str(path), len(found), size, 3)
    pixels = np.frombuffer(done.stdout, np.uint8)
    count = size[0] * size[1] * 3
    if len(pixels) != len(found) * count:
        raise InputError(
            f"{path}: ffmpeg gave {len(pixels)} bytes; accepted: {len(found) * count} of "
            f"{len(found)} frames"
        )
    return _times(path, found), pixels.reshape(len(found), size[1], size[0], 3)


def _times(path: Path, found: list[tuple[str, str, str]]) -> Array:
    try:
        return np.array([float(time) for time, _, _ in found])
    except ValueError as error:
        raise InputError(f"{path}: a frame has no time ({error}); accepted: one each") from error


def _decoder(path: Path) -> str:
    """Return the program that decodes."""
    program = shutil.which("ffmpeg")
    if program is not None:
        return program
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise InputError(
            f"{path}: decoding needs ffmpeg, which is not installed: 'apt install ffmpeg', or the "
            "extra 'video' ('pip install autourdf_ros[video]')"
        ) from error
