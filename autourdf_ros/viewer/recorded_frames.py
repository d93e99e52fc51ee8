"""The recorded frames of a result: the model's configuration in each, and its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording_digest import recording_digest
from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import ASSEMBLY, IMAGES_ALONE

_STILL = {
    ASSEMBLY: "parts that stand still; accepted is no recording",
    IMAGES_ALONE: "images; accepted is --images",
}
"""Sections of documents of results that have no recorded frames."""


@dataclass(frozen=True)
class Moment:
    """One frame as the model explains it.

    Attributes:
        sequence: Name of its sequence.
        number: Of the frame in its sequence, from 1.
        count: Number of frames in its sequence.
        values: Joint values (rad or m) by name.
        base: (4, 4) pose of the robot in the fixed frame.
        residual: m; None where unknown.
        used: Whether the frame is an inlier.
        held_out: Whether the frame tested the model and did not take part in its adjustment.
        seen: The recorded frame; None without a recording.
    """

    sequence: str
    number: int
    count: int
    values: Mapping[str, float]
    base: NDArray[np.float64]
    residual: float | None
    used: bool
    held_out: bool
    seen: Frame | None = None


def moments(document: Mapping[str, Any], recording: Recording | None) -> tuple[Moment, ...]:
    """Return all frames of the document in order, with the points of its recording if given."""
    names = [joint["name"] for joint in document["joints"]]
    result = []
    for s, sequence in enumerate(document["sequences"]):
        count = len(sequence["joint_values"])
        for i in range(count):
            values = zip(names, sequence["joint_values"][i], strict=True)
            result.append(
                Moment(
                    sequence["name"] or str(s + 1),
                    i + 1,
                    count,
                    {name: value for name, value in values if value is not None},
                    np.array(sequence["base_poses"][i], float),
                    sequence["residuals"][i],
                    sequence["used"][i],
                    sequence["held_out"][i],
                    None if recording is None else recording.sequences[s].frames[i],
                )
            )
    return tuple(result)


def find_recording(
    document: Mapping[str, Any], given: Path | None
) -> tuple[Recording | None, str | None]:
    """Find and read the recording of a result.

    Args:
        document: The content of reconstruction.json.
        given: Path of the recording; None for the document's own.

    Returns:
        The recording, and a sentence on its fault; either may be None.

    Raises:
        InputError: The `given` recording cannot be read, or the result comes from parts or images.
    """
    for key, origin in _STILL.items():
        if document.get(key) is not None:
            if given is not None:
                raise InputError(
                    f"--recording: {given} is given, but the result comes from {origin}"
                )
            return None, None
    source = given or document["input"]["source"]
    if source is None:
        return None, "The result comes from a recording in memory: its frames have no points here."
    try:
        recording = load_recording(Path(source))
    except InputError as error:
        if given is not None:
            raise
        return None, f"The recorded points are not shown: {error}. --recording says where it is."
    counts = [len(sequence["joint_values"]) for sequence in document["sequences"]]
    found = [len(sequence.frames) for sequence in recording.sequences]
    if counts != found:
        return None, (
            f"The recorded points are not shown: {source} has sequences of {found} frames, the "
            f"result is of {counts}."
        )
    if recording_digest(recording) != document["input"]["sha256"]:
        return recording, (
            f"{source} is not, or no longer, what the result was reconstructed from: its SHA-256 "
            "differs."
        )
    return recording, None
