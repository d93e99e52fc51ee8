"""The table of the suite of the monitor: what was named, by robot and fault, and false alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import chi2

from autourdf_ros.benchmark.monitoring.monitoring_faults import FAULTS
from autourdf_ros.benchmark.pages.aligned_text import aligned

Row = Mapping[str, Any]

LEGEND = """Of every fault: right / wrong / runs; the rest reported nothing, or a change whose cause
is undecided. none: healthy runs without any report. alarms/h: false alarms in an hour of healthy
work, and the upper 95 % bound of their rate. first s: from the fault to the first report, median.
tuned: the monitor was worked out on the robot; reported: it was not."""


def monitoring_table(rows: Sequence[Row]) -> str:
    """Return a line for every robot, one for each half, and failures."""
    done = [row for row in rows if "error" not in row]
    faults = [name for name in FAULTS if any(run["fault"] == name for run in _runs(done))]
    lines: list[Sequence[str]] = [
        ("robot", "model", "seeds", *faults, "alarms/h", "first s", "ms", "s", "MiB")
    ]
    for half in ("tuned", "reported"):
        own = [row for row in done if row["half"] == half]
        for name in dict.fromkeys(row["name"] for row in own):
            alike = [row for row in own if row["name"] == name]
            lines.append(_line(name, alike[0]["verdict"], alike, faults))
        if own:
            lines.append(_line(f"all {half}", "", own, faults))
    text = [*aligned(lines), "", LEGEND]
    text += [
        f"FAILED {row['name']}, seed {row['seed']}: {row['error']}"
        for row in rows
        if "error" in row
    ]
    return "\n".join(text)


def alarm_rate(alarms: int, hours: float) -> tuple[float, float]:
    """Return events an hour, and the upper 95 % bound of a Poisson rate (Garwood 1936)."""
    return alarms / hours, float(chi2.ppf(0.95, 2 * (alarms + 1))) / 2 / hours


def _runs(rows: Sequence[Row]) -> list[Mapping[str, Any]]:
    return [run for row in rows for run in row["runs"]]


def _line(name: str, verdict: str, rows: Sequence[Row], faults: Sequence[str]) -> list[str]:
    runs = _runs(rows)
    healthy = [run for run in runs if run["fault"] == "none"]
    rate = "-"
    if healthy:
        hours = sum(run["seconds"] for run in healthy) / 3600
        each, bound = alarm_rate(sum(run["alarms"] for run in healthy), hours)
        rate = f"{each:.1f} (< {bound:.1f})"
    first = [run["first_s"] for run in runs if run["truths"] and run["first_s"] is not None]
    return [
        name,
        verdict,
        str(len(rows)),
        *(_cell([run for run in runs if run["fault"] == fault], fault) for fault in faults),
        rate,
        f"{np.median(first):.1f}" if first else "-",
        f"{np.median([run['cpu_ms'] for run in runs]):.0f}" if runs else "-",
        f"{np.median([row['whole'] for row in rows]):.0f}",
        f"{max(row['memory'] for row in rows):.0f}",
    ]


def _cell(runs: Sequence[Mapping[str, Any]], fault: str) -> str:
    right = sum(run["outcome"] == "right" for run in runs)
    if fault == "none":
        return f"{right}/{len(runs)}"
    return f"{right}/{sum(run['outcome'] == 'wrong' for run in runs)}/{len(runs)}"
