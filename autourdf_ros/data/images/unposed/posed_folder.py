"""Writes images whose cameras were found as a folder that every command reads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.data.images.frame_entries import MASK, NOTES
from autourdf_ros.data.images.image_folder import lens_entries
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.transforms_file import (
    COLOR,
    DEPTH,
    OPENGL,
    TRANSFORMS_FILE,
    TransformsFile,
)
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.files.durable_files import replace_text


def write_posed_folder(
    source: TransformsFile,
    cameras: Mapping[int, PinholeCamera],
    about: Mapping[str, Any],
    notes: tuple[str, ...],
    out: Path,
) -> None:
    """Write the frames that have a camera, with all files and entries that they had.

    Args:
        source: Of all frames.
        cameras: By number of the frame, in metres.
        about: How they were found, for `found_cameras` in the file.
        notes: Sentences that every result of these images repeats.
        out: Folder, which is replaced.

    Raises:
        InputError: A frame names a file outside of the source's folder, or `out` cannot be written.
    """
    frames = []
    with replacing(out) as folder:
        for number, camera in sorted(cameras.items()):
            frame = source.frames[number] | lens_entries(camera)
            for kind in (COLOR, MASK, DEPTH):
                if kind in frame:
                    file = folder / frame[kind]
                    file.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source.file(number, kind), file)
            frames.append(frame | {"transform_matrix": (camera.pose @ OPENGL).tolist()})
        content = source.entries | {"found_cameras": about, NOTES: list(notes), "frames": frames}
        replace_text(folder / TRANSFORMS_FILE, json.dumps(content, indent=1))
