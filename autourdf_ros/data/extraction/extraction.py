"""Makes a recording of a bag that somebody recorded while a robot moved and stood still."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.background import TOLERANCE
from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_index import BagIndex, choose_topics, read_index
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.bags.point_cloud2 import measured_mask, points_from_cloud
from autourdf_ros.data.cleaning import Box, CleaningOptions, Ground, box_mask
from autourdf_ros.data.extraction.still_clouds import WINDOW, StillClouds, common_moments
from autourdf_ros.data.extraction.still_moments import (
    Readings,
    StillMoment,
    find_still,
    gather,
    mean_positions,
    never_still,
    sequence_starts,
    window_for,
)
from autourdf_ros.data.load import load_background
from autourdf_ros.data.recording.frame_recorder import FrameOptions, FrameRecorder, SerializedView
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.unit import UnitError, check_metres
from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.progress import Progress, part, silent, staged

CLEANING = CleaningOptions(Box((-1.5, -1.5, -0.1), (1.5, 1.5, 2.0)), Ground(), gap=0.05)
STILL_VELOCITY = 0.02

_FIXED_FRAME = "base_link"
_INDEXING, _WATCHED = 0.3, 0.6  # shares of the progress


@dataclass(frozen=True)
class ExtractionOptions:
    """How frames are found and cleaned.

    clouds, joint_states: topics; empty: found from the bag. fixed_frame: of all points; None:
    `base_link`, or else the topmost frame above all clouds. still_time: how long the robot must
    stand still (s); None: as long as the capture asks, longer where readings are rare.
    still_velocity: below it a joint rests (rad/s or m/s). cleaning: of the clouds. cloud_scale: see
    `FrameOptions`. background: recording of the scene without the robot, in the fixed frame; what
    is nearer to it than background_tolerance (m) is removed.
    """

    clouds: tuple[str, ...] = ()
    joint_states: tuple[str, ...] = ()
    fixed_frame: str | None = None
    still_time: float | None = None
    still_velocity: float = STILL_VELOCITY
    cleaning: CleaningOptions = CLEANING
    cloud_scale: tuple[float, ...] = (1.0,)
    background: Path | None = None
    background_tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Extraction:
    """What came of a bag.

    fixed_frame: of all points. clouds, joint_states: topics used. frames: number in every
    sequence. left_out: how often moments of stillness gave no frame, by reason. unmeasured: points
    without depth by topic, which were dropped.
    """

    fixed_frame: str
    clouds: tuple[str, ...]
    joint_states: tuple[str, ...]
    frames: tuple[int, ...]
    left_out: Mapping[str, int]
    unmeasured: Mapping[str, int]


@dataclass(frozen=True)
class _Shot:
    """The number of the cloud on every topic, taken in one moment, and the joints then."""

    numbers: tuple[int, ...]
    transforms: tuple[np.ndarray, ...]
    stamps: tuple[float, ...]
    moment: StillMoment


def extract(
    path: Path, out: Path, options: ExtractionOptions, progress: Progress = silent
) -> Extraction:
    """Write a recording of the moments at which the robot stood still, to the new folder `out`.

    path: a rosbag2 folder, or its .mcap or .db3 file. Of every moment one cloud of each camera is
    taken, the nearest to its middle. Without joint states the clouds tell when nothing moved, and
    all is one sequence. A sequence begins where the robot is back at its start. Raises
    InputError naming the topic, frame or time at fault; then, and when it is cancelled, nothing is
    written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; a recording needs a new one")
    with PlainBag(path) as bag:
        chosen = choose_topics(bag, options.clouds, options.joint_states)
        index = read_index(bag, chosen, part(progress, 0.0, _INDEXING))
        fixed_frame = options.fixed_frame or _fixed_frame(index, path)
        cleaning = options.cleaning
        if options.background is not None:
            scene = load_background(options.background, fixed_frame, options.background_tolerance)
            cleaning = replace(cleaning, background=scene)
        left_out: Counter[str] = Counter()
        if chosen.joint_states:
            moments = _moments(index, options, path)
        else:
            watching = part(progress, _INDEXING, _WATCHED)
            moments = _seen_moments(bag, index, fixed_frame, options, watching)
        shots = _shots(index, moments, fixed_frame, left_out)
        if len(shots) < 2:
            raise InputError(f"{path}: {_too_few(len(shots), left_out)}")
        starts = sequence_starts([shot.moment for shot in shots])
        counts: list[int] = []
        unmeasured: Counter[str] = Counter()
        scale = _scale(options, chosen.clouds)
        with replacing(out) as folder:
            setup = Setup(fixed_frame, chosen.clouds, tuple(moments[0].joints))
            recorder = FrameRecorder(folder, setup, FrameOptions(cleaning, cloud_scale=scale))
            try:
                rest = part(progress, _WATCHED, 1.0)
                for number, view in _views(bag, index, shots, rest):
                    if number in starts:
                        recorder.start_sequence(f"{len(counts):04d}")
                        counts.append(0)
                    try:
                        outcome = recorder.record_view(view, shots[number].moment.joints)
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
            finally:
                recorder.close()
            if sum(counts) < 2:
                raise InputError(f"{path}: {_too_few(sum(counts), left_out)}")
    return Extraction(
        fixed_frame, chosen.clouds, chosen.joint_states, tuple(counts), left_out, unmeasured
    )


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


def _moments(index: BagIndex, options: ExtractionOptions, path: Path) -> list[StillMoment]:
    readings = gather(index.readings)
    window = options.still_time or window_for(readings)
    moments = find_still(readings, window, options.still_velocity)
    if not moments:
        raise InputError(f"{path}: {_why_never_still(readings, window, options.still_velocity)}")
    return [_narrowed(moment, readings, window) for moment in moments]


def _seen_moments(
    bag: PlainBag,
    index: BagIndex,
    fixed_frame: str,
    options: ExtractionOptions,
    progress: Progress,
) -> list[StillMoment]:
    """Find the moments in the clouds alone. Those without a transform are left out."""
    window = options.still_time or WINDOW
    watched = {topic: StillClouds(window) for topic in index.clouds}
    scale = _scale(options, tuple(index.clouds))
    scales = dict(zip(index.clouds, scale * len(watched), strict=False))
    seen: Counter[str] = Counter()
    for message in bag.messages(set(watched), staged(progress, "looking for stillness")):
        header = index.clouds[message.topic][seen[message.topic]]
        seen[message.topic] += 1
        try:
            transform = index.transforms.lookup(fixed_frame, header.frame_id, header.stamp)
        except InputError:
            continue
        try:
            cloud = topics.deserialize(message.data, topics.CLOUD.type)
        except ValueError as error:
            raise InputError(f"{bag.path}: topic {message.topic}: {error}") from error
        points, _ = points_from_cloud(cloud)
        points = points[measured_mask(points)] * scales[message.topic]
        check_metres(points, message.topic)
        points = points @ transform[:3, :3].T + transform[:3, 3]
        if options.cleaning.box is not None:
            points = points[box_mask(points, options.cleaning.box)]
        watched[message.topic].add(header.stamp / 1e9, points)
    return common_moments(camera.intervals() for camera in watched.values())


def _why_never_still(readings: Readings, window: float, velocity: float) -> str:
    restless = ", ".join(never_still(readings, window, velocity))
    joints = f"{restless} never did" if restless else "never all joints at once"
    return (
        f"the robot never stood still, all joints slower than {velocity:g} rad/s, for {window:.2f} "
        f"s: {joints}; accepted is a bag in which it stops between small moves (or other values "
        "of --still-velocity, --still-time)"
    )


def _narrowed(moment: StillMoment, readings: Readings, window: float) -> StillMoment:
    """The same moment with the readings around its middle: a robot at rest may still creep."""
    middle = (moment.start + moment.end) / 2
    joints = mean_positions(readings, middle - window / 2, middle + window / 2)
    return StillMoment(moment.start, moment.end, joints)


def _shots(
    index: BagIndex, moments: Sequence[StillMoment], fixed_frame: str, left_out: Counter[str]
) -> list[_Shot]:
    stamps = {
        topic: np.array([header.stamp for header in headers]) / 1e9
        for topic, headers in index.clouds.items()
    }
    shots = []
    for moment in moments:
        middle = (moment.start + moment.end) / 2
        numbers = {topic: int(np.abs(found - middle).argmin()) for topic, found in stamps.items()}
        late = [
            topic
            for topic, number in numbers.items()
            if not moment.start <= stamps[topic][number] <= moment.end
        ]
        if late:
            left_out[f"no cloud on {', '.join(late)} while the robot stood still"] += 1
            continue
        headers = [index.clouds[topic][number] for topic, number in numbers.items()]
        try:
            transforms = tuple(
                index.transforms.lookup(fixed_frame, header.frame_id, header.stamp)
                for header in headers
            )
        except InputError as error:
            left_out[str(error)] += 1
            continue
        taken = tuple(header.stamp / 1e9 for header in headers)
        shots.append(_Shot(tuple(numbers.values()), transforms, taken, moment))
    return shots


def _views(
    bag: PlainBag, index: BagIndex, shots: Sequence[_Shot], progress: Progress
) -> Iterator[tuple[int, SerializedView]]:
    """Number and clouds of every shot, in order."""
    wanted = {
        (topic, number): shot
        for shot, one in enumerate(shots)
        for topic, number in zip(index.clouds, one.numbers, strict=True)
    }
    seen: Counter[str] = Counter()
    found: defaultdict[int, dict[str, bytes]] = defaultdict(dict)
    done = 0
    for message in bag.messages(set(index.clouds), staged(progress, "taking the frames")):
        shot = wanted.get((message.topic, seen[message.topic]))
        seen[message.topic] += 1
        if shot is None:
            continue
        found[shot][message.topic] = message.data
        while done < len(shots) and len(found[done]) == len(index.clouds):
            clouds = found.pop(done)
            data = tuple(clouds[topic] for topic in index.clouds)
            taken = shots[done]
            yield done, SerializedView(tuple(index.clouds), data, taken.transforms, taken.stamps)
            done += 1
        if done == len(shots):
            return


def _scale(options: ExtractionOptions, clouds: tuple[str, ...]) -> tuple[float, ...]:
    if len(options.cloud_scale) not in (1, len(clouds)):
        raise InputError(
            f"cloud_scale has {len(options.cloud_scale)} numbers; accepted is one, or one for each "
            f"of {', '.join(clouds)}"
        )
    return options.cloud_scale


def _too_few(count: int, left_out: Mapping[str, int]) -> str:
    reasons = "".join(f"; {times} time(s) {reason}" for reason, times in left_out.items())
    return f"gives {count} frame(s), accepted is at least 2{reasons}"
