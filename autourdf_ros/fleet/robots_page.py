"""A page with all robots of a fleet side by side: which one's joint drifts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.robot_history import Moment, RobotHistory
from autourdf_ros.fleet.summary_page import render
from autourdf_ros.fleet.worker_job import DONE
from autourdf_ros.model.result_files import REPORT

PAGE = "robots.html"


def write_robots_page(store: ResultStore, found: Sequence[RobotHistory]) -> str:
    """Write robots.html beside the results; return where it is."""
    robots = [_robot(one) for one in found]
    store.write_text(render("robots.html.jinja", robots=robots), PAGE)
    return f"{store.place}/{PAGE}"


def _robot(history: RobotHistory) -> dict[str, Any]:
    moments = [_moment(one) for one in history.moments]
    names = dict.fromkeys(name for one in moments for name in one["joints"])
    compared = [one for one in history.moments if one.changes is not None]
    worst = _worst(compared[-1].changes) if compared else None
    changed = compared[-1].changes if compared else None
    return {
        "name": history.robot,
        "models": sum(one.record["state"] == DONE for one in history.moments),
        "verdict": history.last.record.get("verdict") or history.last.record["state"],
        "changed": bool(changed and changed["changed"]),
        "sentence": changed["sentence"] if changed else "",
        "worst": worst,
        "joints": list(names),
        "moments": moments,
    }


def _moment(moment: Moment) -> dict[str, Any]:
    record, joints = moment.record, moment.changes["joints"] if moment.changes else []
    return {
        "name": record["name"],
        "verdict": record.get("verdict") or record["state"],
        "report": f"{quote(record['folder'])}/{REPORT}" if record["state"] == DONE else "",
        "error": moment.error,
        "joints": {joint["name"]: _figures(joint) for joint in joints},
        "is_first": moment.changes is None and not moment.error,
    }


def _figures(joint: Mapping[str, Any]) -> dict[str, Any]:
    distance = joint["distance"]
    return {
        "name": joint["name"],
        "angle": math.degrees(joint["angle"]),
        "distance": None if distance is None else 1e3 * distance,
        "changed": bool(joint["changed"]),
    }


def _worst(changes: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the joint that changed most: first those whose change is significant."""
    joints = [_figures(joint) for joint in (changes or {}).get("joints", ())]
    return max(joints, key=lambda one: (one["changed"], one["angle"]), default=None)
