"""A page with all robots of a fleet side by side: which one's joint or camera drifts."""

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
KINDS = ("joints", "cameras")  # what is compared


def write_robots_page(store: ResultStore, found: Sequence[RobotHistory]) -> str:
    """Write robots.html beside the results; return where it is."""
    robots = [_robot(one) for one in found]
    store.write_text(render("robots.html.jinja", robots=robots), PAGE)
    return f"{store.place}/{PAGE}"


def _robot(history: RobotHistory) -> dict[str, Any]:
    moments = [_moment(one) for one in history.moments]
    compared = [one for one in history.moments if one.changes is not None]
    changed = compared[-1].changes if compared else None
    worst = {kind: _worst(changed, kind) for kind in KINDS}
    camera = worst["cameras"]
    return {
        "name": history.robot,
        "models": sum(one.record["state"] == DONE for one in history.moments),
        "verdict": history.last.record.get("verdict") or history.last.record["state"],
        "changed": bool(changed and changed["changed"]) or bool(camera and camera["changed"]),
        "sentence": changed["sentence"] if changed else "",
        "worst": worst,
        "names": {kind: list(dict.fromkeys(n for m in moments for n in m[kind])) for kind in KINDS},
        "moments": moments,
    }


def _moment(moment: Moment) -> dict[str, Any]:
    record, changes = moment.record, moment.changes or {}
    return {
        "name": record["name"],
        "verdict": record.get("verdict") or record["state"],
        "report": f"{quote(record['folder'])}/{REPORT}" if record["state"] == DONE else "",
        "error": moment.error,
        **{kind: {one["name"]: _figures(one) for one in changes.get(kind, ())} for kind in KINDS},
        "is_first": moment.changes is None and not moment.error,
    }


def _figures(change: Mapping[str, Any]) -> dict[str, Any]:
    distance = change["distance"]
    return {
        "name": change["name"],
        "angle": math.degrees(change["angle"]),
        "distance": None if distance is None else 1e3 * distance,
        "changed": bool(change["changed"]),
    }


def _worst(changes: Mapping[str, Any] | None, kind: str) -> dict[str, Any] | None:
    """Return the joint or camera that changed most: first those whose change is significant."""
    every = [_figures(change) for change in (changes or {}).get(kind, ())]
    return max(every, key=lambda one: (one["changed"], one["angle"]), default=None)
