"""The Foxglove layout names topics and fields that a recording has."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from autourdf_ros.data.bags import topics
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.writer import RecordingWriter

LAYOUT = json.loads((Path(__file__).parents[3] / "config/foxglove/recording.json").read_text())
PANELS = {"3D", "Plot", "RawMessages", "StateTransitions"}
SHOWN = {"3D": {"sensor_msgs/msg/PointCloud2", "geometry_msgs/msg/PoseArray"}}
"""What a panel can draw."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Latest message of each topic of a recording with everything that one may hold."""
    folder = tmp_path_factory.mktemp("recording") / "bag"
    points = np.random.default_rng(0).uniform(-1, 1, (50, 3)).astype(np.float32)
    with RecordingWriter(folder, "base_link") as writer:
        writer.start_sequence()
        frame = Frame(points, None, 1.5, {"pan": 0.1}, camera_poses=np.eye(4)[None])
        writer.write_frame(frame)
    with AnyReader([folder]) as reader:
        return {
            c.topic: (c.msgtype, reader.deserialize(data, c.msgtype))
            for c, _, data in reader.messages()
        }


def leaves(layout):
    """Panels in the tree of a layout."""
    if isinstance(layout, str):
        return [layout]
    assert layout["direction"] in ("row", "column") and 0 < layout["splitPercentage"] < 100
    return leaves(layout["first"]) + leaves(layout["second"])


def paths():
    """Panel, topic and field of everything that is plotted, listed or printed."""
    for panel, config in LAYOUT["configById"].items():
        named = [path["value"] for path in config.get("paths", [])]
        named += [config["topicPath"]] if "topicPath" in config else []
        for path in named:
            topic, _, field = path.partition(".")
            yield panel, topic, field


def test_every_panel_stands_once_in_the_tree():
    assert sorted(leaves(LAYOUT["layout"])) == sorted(LAYOUT["configById"])
    assert {panel.partition("!")[0] for panel in LAYOUT["configById"]} == PANELS


def test_it_shows_every_topic_of_a_recording_and_no_other(recorded):
    drawn = LAYOUT["configById"]["3D!recording"]["topics"]
    assert {topic for _, topic, _ in paths()} | set(drawn) == set(recorded)
    assert set(recorded) == {topic.name for topic in topics.TOPICS}


def test_what_is_drawn_can_be_drawn(recorded):
    config = LAYOUT["configById"]["3D!recording"]
    for topic, settings in config["topics"].items():
        kind, message = recorded[topic]
        assert kind in SHOWN["3D"] and settings["visible"]
        assert message.header.frame_id == config["followTf"]
    cloud = recorded["/autourdf/cloud"][1]
    assert config["topics"]["/autourdf/cloud"]["colorField"] in {one.name for one in cloud.fields}


def test_fields_that_are_named_exist(recorded):
    found = list(paths())
    assert len(found) > 3
    for panel, topic, field in found:
        message = recorded[topic][1]
        name, index = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", field).groups()
        values = getattr(message, name)
        if panel.startswith("Plot"):
            assert index is not None and np.asarray(values).dtype.kind == "f", (panel, field)
