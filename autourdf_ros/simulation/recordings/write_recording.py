"""Writes a simulated recording and its truth to disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import open3d as o3d

from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent
from autourdf_ros.simulation.recordings.recorder import Recorder
from autourdf_ros.simulation.recordings.rendered_frames import rendered_frames
from autourdf_ros.simulation.truth_file import TRUTH_FILE, write_truth

Format = Literal["bag", "folder"]


def write_recording(
    recorder: Recorder, out: Path, form: Format = "bag", progress: Progress = silent
) -> None:
    """Write the whole recording to the new folder `out`, or nothing.

    `truth.json` beside the frames holds the truth of the first frame, and the joint values and the
    shift of every frame.

    Raises:
        InputError: `out` is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; a recording needs a new one")
    beside = out.with_name(f".{out.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        _write(recorder, beside, form, progress)
        if out.exists():
            out.rmdir()
        beside.rename(out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _write(recorder: Recorder, folder: Path, form: Format, progress: Progress) -> None:
    options = recorder.options
    total = options.sequences * options.frames
    truth: dict[str, Any] = {}
    sequences: list[dict[str, Any]] = []
    with ExitStack() as stack:
        write_frame = _frame_writer(folder, form, stack)
        for number, item in enumerate(rendered_frames(recorder)):
            progress("rendering", number / total)
            name = f"{item.sequence:04d}"
            if number == 0:
                truth = recorder.truth(item)
            if item.sequence == len(sequences):
                sequences.append({"name": name, "frames": []})
            write_frame(name, len(sequences[-1]["frames"]), item.frame)
            values = dict(zip(recorder.robot.names, item.values.tolist(), strict=True))
            sequences[-1]["frames"].append({"shift": item.shift.tolist(), "joints": values})
    write_truth(truth | {"sequences": sequences}, folder / TRUTH_FILE)
    progress("rendering", 1.0)


def _frame_writer(
    folder: Path, form: Format, stack: ExitStack
) -> Callable[[str, int, Frame], None]:
    if form == "folder":
        return lambda sequence, index, frame: _write_ply(folder / sequence / f"{index:04d}", frame)
    writer = stack.enter_context(RecordingWriter(folder))

    def write(sequence: str, index: int, frame: Frame) -> None:
        if index == 0:
            writer.start_sequence(sequence)
        writer.write_frame(frame)

    return write


def _write_ply(folder: Path, frame: Frame) -> None:
    """Write robot.ply and joint_cfg.txt, the layout of the AutoURDF recordings."""
    folder.mkdir(parents=True)
    cloud = o3d.t.geometry.PointCloud(o3d.core.Tensor.from_numpy(frame.points))
    if frame.colors is not None:
        cloud.point.colors = o3d.core.Tensor.from_numpy(frame.colors)
    o3d.t.io.write_point_cloud(folder / "robot.ply", cloud)
    positions = (frame.joint_positions or {}).items()
    lines = [f"{name}:{value:.6f}\n" for name, value in positions]
    (folder / "joint_cfg.txt").write_text("".join(lines))
