"""What changed on each robot of a fleet since its first model: joint by joint, model by model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autourdf_ros.assessment.comparison.changes_table import sentence
from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.assessment.comparison.comparison import Comparison, compare
from autourdf_ros.errors import InputError
from autourdf_ros.fleet.jobs.places import fetched
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.worker_job import DONE

HISTORY = "history"
VERSION = 2
"""Of what is kept of a comparison: earlier ones have no cameras, and are made again."""
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Moment:
    """One model of a robot.

    Attributes:
        record: Of its job.
        changes: What differs from the robot's first model, as plain values: `sentence`, `changed`
            and `joints` with `name`, `angle` (rad), `distance` (m or None) and `changed`, and
            `cameras` likewise; None for the first model, and where there is nothing to compare.
        error: Why it could not be compared.
    """

    record: Record
    changes: Mapping[str, Any] | None = None
    error: str = ""


@dataclass(frozen=True)
class RobotHistory:
    """The models of one robot, in the order of the names of their recordings.

    Attributes:
        robot: Its name.
        moments: Its models, with those that failed.
    """

    robot: str
    moments: tuple[Moment, ...]

    @property
    def last(self) -> Moment:
        """The newest."""
        return self.moments[-1]


def histories(store: ResultStore, records: Sequence[Record]) -> list[RobotHistory]:
    """Return the history of every robot, sorted by name; jobs without a robot are left out.

    A comparison is made once and kept in the store.
    """
    robots = sorted({record["robot"] for record in records if record["robot"]})
    found = []
    for robot in robots:
        own = sorted((one for one in records if one["robot"] == robot), key=lambda one: one["name"])
        usable = [one for one in own if one["state"] == DONE and one["verdict"] != "failed"]
        first = usable[0] if usable else None
        found.append(
            RobotHistory(robot, tuple(_moment(store, first, one, one in usable) for one in own))
        )
    return found


def _moment(store: ResultStore, first: Record | None, record: Record, usable: bool) -> Moment:
    if not usable or first is None:
        return Moment(record, error=record.get("error") or "no model")
    if record["key"] == first["key"]:
        return Moment(record)
    parts = HISTORY, f"{first['key']}-{record['key']}-{VERSION}.json"
    text = store.read_text(*parts)
    if text is not None:
        return Moment(record, json.loads(text))
    try:
        changes = _changes(store, first, record)
    except InputError as error:
        return Moment(record, error=str(error))
    store.write_text(json.dumps(changes), *parts)
    return Moment(record, changes)


def _changes(store: ResultStore, first: Record, second: Record) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            fetched(f"{store.place}/{one['folder']}", Path(folder, str(number)))[0]
            for number, one in enumerate((first, second))
        ]
        return _plain(compare(open_robot(paths[0]), open_robot(paths[1])))


def _plain(comparison: Comparison) -> dict[str, Any]:
    joints = [
        {
            "name": joint.names[0],
            "angle": float(joint.angle),
            "distance": None if joint.distance is None else float(joint.distance),
            "changed": list(joint.changed),
        }
        for joint in comparison.joints
    ]
    cameras = [
        {
            "name": camera.name,
            "angle": camera.turn,
            "distance": camera.shift,
            "changed": camera.changed,
        }
        for camera in comparison.cameras
    ]
    return {
        "sentence": sentence(comparison),
        "changed": comparison.changed,
        "joints": joints,
        "cameras": cameras,
    }
