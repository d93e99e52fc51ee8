"""Reads a video of any accepted kind."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.data.images.transforms_file import TRANSFORMS_FILE
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_bag import VideoTopics, read_video_bag
from autourdf_ros.data.video.video_file import VIDEO_SUFFIXES, read_video_file
from autourdf_ros.data.video.video_folder import read_video_folder
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent

BAG_SUFFIXES = (".mcap", ".db3")
_ACCEPTED = (
    f"accepted are a folder with {TRANSFORMS_FILE}, a ROS bag (a folder, .mcap or .db3), and "
    f"{', '.join(VIDEO_SUFFIXES)} with a .yaml of the same name"
)


def load_video(
    path: Path, topics: VideoTopics | None = None, progress: Progress = silent
) -> CameraVideo:
    """Return the video of a path.

    Args:
        path: A folder with `transforms.json`, a ROS bag, or a video file with a YAML beside it.
        topics: Of a bag, where they do not follow from it.
        progress: Is called with stage and fraction.

    Raises:
        InputError: names the file, the value found, and what is accepted.
    """
    suffix = path.suffix.lower()
    if not path.exists():
        raise InputError(f"{path}: does not exist; {_ACCEPTED}")
    if path.is_dir() and (path / TRANSFORMS_FILE).exists():
        return read_video_folder(path, progress)
    if path.is_file() and suffix in VIDEO_SUFFIXES:
        return read_video_file(path, progress)
    if path.is_file() and suffix in BAG_SUFFIXES:
        return read_video_bag(path, topics, progress)
    if path.is_dir() and any(file.suffix in BAG_SUFFIXES for file in path.iterdir()):
        return read_video_bag(path, topics, progress)
    raise InputError(f"{path}: is no video; {_ACCEPTED}")
