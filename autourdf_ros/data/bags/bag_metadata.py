"""The metadata.yaml of a rosbag2 folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

METADATA_FILE = "metadata.yaml"

# Every rosbag2 since Humble reads version 8, which keeps its QoS profiles as a string.
_VERSION = 8
# libyaml, where installed, is ten times as fast; the file is written with every frame.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_FOREVER = {"sec": 9223372036, "nsec": 854775807}
QOS = yaml.safe_dump(
    [
        {
            "history": 1,
            "depth": 10,
            "reliability": 1,
            "durability": 2,
            "deadline": _FOREVER,
            "lifespan": _FOREVER,
            "liveliness": 1,
            "liveliness_lease_duration": _FOREVER,
            "avoid_ros_namespace_conventions": False,
        }
    ]
)
"""Reliable, volatile, of depth 10."""


class BagTopic(NamedTuple):
    """A topic: `type` as package/msg/Type, `qos` as YAML, `hash` of the type, message count."""

    name: str
    type: str
    qos: str
    hash: str
    messages: int


class BagFile(NamedTuple):
    """A data file: its name, stamps of its first and last message (ns), message count."""

    name: str
    first: int
    last: int
    messages: int


def write_metadata(
    folder: Path, files: Sequence[BagFile], topics: Sequence[BagTopic], custom: Mapping[str, str]
) -> None:
    """Write the file in one step, over an earlier one. `custom` becomes its `custom_data`."""
    filled = [file for file in files if file.messages]
    first = min((file.first for file in filled), default=0)
    last = max((file.last for file in filled), default=0)
    information = {
        "version": _VERSION,
        "storage_identifier": "mcap",
        "relative_file_paths": [file.name for file in files],
        **_span(first, last, sum(file.messages for file in files)),
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.type,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": topic.qos,
                    "type_description_hash": topic.hash,
                },
                "message_count": topic.messages,
            }
            for topic in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "files": [
            {"path": file.name, **_span(file.first, file.last, file.messages)} for file in files
        ],
        "custom_data": dict(custom),
        "ros_distro": "rosbags",
    }
    beside = folder / f".{METADATA_FILE}.part"
    text = yaml.dump({"rosbag2_bagfile_information": information}, Dumper=_DUMPER)
    beside.write_text(text)
    beside.replace(folder / METADATA_FILE)


def _span(first: int, last: int, count: int) -> dict[str, Any]:
    return {
        "duration": {"nanoseconds": last - first},
        "starting_time": {"nanoseconds_since_epoch": first},
        "message_count": count,
    }
