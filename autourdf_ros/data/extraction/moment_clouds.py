"""The clouds of all cameras that belong to the moments of stillness."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.data.bags.bag_index import BagIndex
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.extraction.still_moments import StillMoment
from autourdf_ros.data.recording.frame_recorder import SerializedView
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, staged


@dataclass(frozen=True)
class MomentClouds:
    """One cloud of every topic, taken in one moment.

    Attributes:
        numbers: of the clouds on their topics, in the order of reception.
        transforms: (4, 4) of each from its frame to the fixed frame.
        stamps: of each, seconds.
        moment: with the joint positions.
    """

    numbers: tuple[int, ...]
    transforms: tuple[np.ndarray, ...]
    stamps: tuple[float, ...]
    moment: StillMoment


def choose_clouds(
    index: BagIndex, moments: Sequence[StillMoment], fixed_frame: str, left_out: Counter[str]
) -> list[MomentClouds]:
    """Choose of each moment the cloud of every topic that is nearest to its middle.

    Args:
        left_out: counts the reasons for which moments are left out.
    """
    stamps = {
        topic: np.array([header.stamp for header in headers]) / 1e9
        for topic, headers in index.clouds.items()
    }
    chosen = []
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
        chosen.append(MomentClouds(tuple(numbers.values()), transforms, taken, moment))
    return chosen


def read_views(
    bag: PlainBag, index: BagIndex, chosen: Sequence[MomentClouds], progress: Progress
) -> Iterator[tuple[int, SerializedView]]:
    """Yield the number of every chosen moment and its clouds, in order."""
    wanted = {
        (topic, number): place
        for place, one in enumerate(chosen)
        for topic, number in zip(index.clouds, one.numbers, strict=True)
    }
    seen: Counter[str] = Counter()
    found: defaultdict[int, dict[str, bytes]] = defaultdict(dict)
    done = 0
    for message in bag.messages(set(index.clouds), staged(progress, "reading the frames")):
        place = wanted.get((message.topic, seen[message.topic]))
        seen[message.topic] += 1
        if place is None:
            continue
        found[place][message.topic] = message.data
        while done < len(chosen) and len(found[done]) == len(index.clouds):
            clouds = found.pop(done)
            data = tuple(clouds[topic] for topic in index.clouds)
            one = chosen[done]
            yield done, SerializedView(tuple(index.clouds), data, one.transforms, one.stamps)
            done += 1
        if done == len(chosen):
            return
