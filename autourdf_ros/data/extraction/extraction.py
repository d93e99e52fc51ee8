"""Makes a recording of a bag in which a robot moved and stood still by turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autourdf_ros.data.bags.bag_index import BagIndex, choose_topics, read_index
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.cleaning import CleaningOptions
from autourdf_ros.data.extraction.extraction_options import ExtractionOptions
from autourdf_ros.data.extraction.moment_clouds import MomentClouds, choose_clouds, read_views
from autourdf_ros.data.extraction.moment_search import moments_of_clouds, moments_of_readings
from autourdf_ros.data.extraction.still_moments import sequence_starts
from autourdf_ros.data.load import load_background
from autourdf_ros.data.recording.frame_recorder import FrameOptions, FrameRecorder, SerializedView
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.unit_check import UnitError
from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.progress import Progress, part, silent

_FIXED_FRAME = "base_link"
_INDEXING, _WATCHED = 0.3, 0.6  # shares of the progress


@dataclass(frozen=True)
class Extraction:
    """Result of an extraction: frames written and moments left out.

    Attributes:
        fixed_frame: frame of all points.
        clouds: topics of the clouds used.
        joint_states: topics of the joint states used.
        frames: number of frames of every sequence.
        left_out: how often a moment of stillness gave no frame, by reason.
        unmeasured: points without depth by topic, which were dropped.
    """

    fixed_frame: str
    clouds: tuple[str, ...]
    joint_states: tuple[str, ...]
    frames: tuple[int, ...]
    left_out: Mapping[str, int]
    unmeasured: Mapping[str, int]


def extract(
    path: Path, out: Path, options: ExtractionOptions, progress: Progress = silent
) -> Extraction:
    """Write a recording of the moments at which the robot stood still.

    Of every moment it takes one cloud of each camera, the nearest to its middle. A sequence begins
    where the robot is back at its start. Without joint states the clouds show when nothing moved,
    and all is one sequence. On an error, and when it is cancelled, nothing is written.

    Args:
        path: a rosbag2 folder, or its .mcap or .db3 file.
        out: a new folder.

    Raises:
        InputError: names the topic, frame or time at fault.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; a recording needs a new one")
    with PlainBag(path) as bag:
        chosen = choose_topics(bag, options.clouds, options.joint_states)
        index = read_index(bag, chosen, part(progress, 0.0, _INDEXING))
        fixed_frame = options.fixed_frame or _fixed_frame(index, path)
        cleaning = _cleaning(options, fixed_frame)
        if chosen.joint_states:
            moments = moments_of_readings(index, options, path)
        else:
            watching = part(progress, _INDEXING, _WATCHED)
            moments = moments_of_clouds(bag, index, fixed_frame, options, watching)
        left_out: Counter[str] = Counter()
        clouds = choose_clouds(index, moments, fixed_frame, left_out)
        if len(clouds) < 2:
            raise InputError(f"{path}: {_too_few(len(clouds), left_out)}")
        setup = Setup(fixed_frame, chosen.clouds, tuple(moments[0].joints))
        frame_options = FrameOptions(cleaning, cloud_scale=options.scale_of(chosen.clouds))
        with replacing(out) as folder:
            recorder = FrameRecorder(folder, setup, frame_options)
            try:
                views = read_views(bag, index, clouds, part(progress, _WATCHED, 1.0))
                counts, unmeasured = _record(recorder, clouds, views, left_out)
            finally:
                recorder.close()
            if sum(counts) < 2:
                raise InputError(f"{path}: {_too_few(sum(counts), left_out)}")
    return Extraction(
        fixed_frame, chosen.clouds, chosen.joint_states, tuple(counts), left_out, unmeasured
    )


def _cleaning(options: ExtractionOptions, fixed_frame: str) -> CleaningOptions:
    if options.background is None:
        return options.cleaning
    scene = load_background(options.background, fixed_frame, options.background_tolerance)
    return replace(options.cleaning, background=scene)


def _fixed_frame(index: BagIndex, path: Path) -> str:
    frames = {header.frame_id for headers in index.clouds.values() for header in headers}
    top = index.transforms.common_ancestor(frames)
    if top is None:
        raise InputError(
            f"{path}: the clouds are in the frames {', '.join(sorted(frames))}, which no "
            f"transform connects; the transforms' frames are "
            f"{', '.join(index.transforms.frames) or '(none)'}"
        )
    known = _FIXED_FRAME in index.transforms.frames
    shared = known and index.transforms.common_ancestor({*frames, _FIXED_FRAME}) is not None
    return _FIXED_FRAME if shared else top


def _record(
    recorder: FrameRecorder,
    clouds: Sequence[MomentClouds],
    views: Iterator[tuple[int, SerializedView]],
    left_out: Counter[str],
) -> tuple[list[int], Counter[str]]:
    """Record the views. Return the frames of every sequence and the unmeasured points by topic."""
    starts = sequence_starts([one.moment for one in clouds])
    counts: list[int] = []
    unmeasured: Counter[str] = Counter()
    for number, view in views:
        if number in starts:
            recorder.start_sequence(f"{len(counts):04d}")
            counts.append(0)
        try:
            outcome = recorder.record_view(view, clouds[number].moment.joints)
        except UnitError:
            raise
        except InputError as error:
            left_out[str(error)] += 1
            continue
        unmeasured.update(dict(zip(view.cameras, outcome.unmeasured, strict=True)))
        if outcome.rejection is None:
            counts[-1] += 1
        else:
            left_out[outcome.rejection.text] += 1
    return counts, unmeasured


def _too_few(count: int, left_out: Mapping[str, int]) -> str:
    reasons = "".join(f"; {times} time(s) {reason}" for reason, times in left_out.items())
    return f"gives {count} frame(s), accepted is at least 2{reasons}"
