"""The moments of a bag at which the robot stood still, from its readings or its clouds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_index import BagIndex
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.bags.point_cloud2 import measured_mask, points_from_cloud
from autourdf_ros.data.cleaning import box_mask
from autourdf_ros.data.extraction.extraction_options import ExtractionOptions
from autourdf_ros.data.extraction.still_clouds import WINDOW, StillClouds, common_moments
from autourdf_ros.data.extraction.still_moments import (
    Readings,
    StillMoment,
    find_still,
    gather,
    mean_positions,
    never_still,
    window_for,
)
from autourdf_ros.data.unit_check import check_metres
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, staged


def moments_of_readings(
    index: BagIndex, options: ExtractionOptions, path: Path
) -> list[StillMoment]:
    """Find the moments in the joint readings. Raise InputError where there is none.

    Args:
        path: names the bag in errors.
    """
    readings = gather(index.readings)
    window = options.still_time or window_for(readings)
    moments = find_still(readings, window, options.still_velocity)
    if not moments:
        raise InputError(f"{path}: {_why_never_still(readings, window, options.still_velocity)}")
    return [_narrowed(moment, readings, window) for moment in moments]


def moments_of_clouds(
    bag: PlainBag,
    index: BagIndex,
    fixed_frame: str,
    options: ExtractionOptions,
    progress: Progress,
) -> list[StillMoment]:
    """Find the moments in the clouds alone. Clouds without a transform are left out."""
    window = options.still_time or WINDOW
    watched = {topic: StillClouds(window) for topic in index.clouds}
    scale = options.scale_of(tuple(index.clouds))
    scales = dict(zip(index.clouds, scale * len(watched), strict=False))
    seen: Counter[str] = Counter()
    for message in bag.messages(set(watched), staged(progress, "searching for stillness")):
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
    """Take the readings around the moment's middle only: a robot at rest may still creep."""
    middle = (moment.start + moment.end) / 2
    joints = mean_positions(readings, middle - window / 2, middle + window / 2)
    return StillMoment(moment.start, moment.end, joints)
