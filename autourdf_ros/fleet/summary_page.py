"""The summary of a batch: one page with every job, which leads to the reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import jinja2

from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.worker_job import DONE
from autourdf_ros.model.result_files import REPORT

PAGE, DOCUMENT = "summary.html", "summary.json"
FORMAT, VERSION = "autourdf_ros/fleet_summary", 1


def write_summary(store: ResultStore, records: Sequence[Mapping[str, Any]]) -> str:
    """Write summary.html and summary.json beside the results; return where the page is."""
    content = {"format": FORMAT, "version": VERSION, "jobs": list(records)}
    store.write_text(json.dumps(content, indent=1), DOCUMENT)
    store.write_text(render("fleet.html.jinja", rows=[_row(record) for record in records]), PAGE)
    return f"{store.place}/{PAGE}"


def render(template: str, **values: Any) -> str:
    """Return a page made of a template; texts are escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autourdf_ros.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(**values)


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a job; None where it is not known."""
    known = record["state"] == DONE
    return {
        "name": record["name"],
        "state": record["state"],
        "verdict": record.get("verdict") or "",
        "error": record.get("error") or "",
        "report": f"{quote(record['folder'])}/{REPORT}" if known else "",
        "seconds": record.get("seconds"),
        "cpu": record.get("cpu_seconds"),
        "memory": record["peak_memory"] / (1 << 20) if known else None,
        "bytes_in": record["bytes_in"] / 1e6 if known else None,
        "bytes_out": record["bytes_out"] / 1e6 if known else None,
    }
