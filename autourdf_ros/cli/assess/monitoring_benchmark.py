"""`autourdf benchmark --suite monitoring`: false alarms, and names of what happened."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from autourdf_ros.cli.fleet.scheduler_argument import asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "monitoring"
METHODS: tuple[str, ...] = ("monitor",)
_REFUSED = ("data", "vary", "compare", "scale", "ablation", "profile", "page")
_HEALTHY = 90.0


def add_monitoring_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that only this suite has."""
    parser.add_argument(
        "--faults",
        nargs="+",
        default=(),
        metavar="FAULT",
        help="of monitoring: none, joint_zero, bent ... (default: all)",
    )
    parser.add_argument(
        "--first-seed",
        type=int,
        metavar="N",
        help="of monitoring: N, N+1 ... as seeds (default: drawn anew for every version)",
    )
    parser.add_argument(
        "--healthy",
        type=float,
        default=_HEALTHY,
        metavar="SECONDS",
        help=f"of monitoring: healthy work of a case (default: {_HEALTHY:.0f})",
    )


def run_monitoring(args: argparse.Namespace) -> int:
    """Run the suite: 1 where a case crashed."""
    from autourdf_ros.benchmark.case_runner import run_each
    from autourdf_ros.benchmark.monitoring.monitoring_case import monitoring_cases, seeds_of
    from autourdf_ros.benchmark.monitoring.monitoring_table import monitoring_table
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite {SUITE}")
    if not args.healthy >= 1:
        raise InputError(f"--healthy is {args.healthy:g}; accepted is 1 or more")
    seeds = seeds_of(args.draws, args.first_seed)
    cases = monitoring_cases(args.robots, args.faults, seeds, args.healthy)
    kept = None if args.rows is None else RowFile(args.rows)
    with progress_bar() as progress, asked_cluster(args) as connect:
        rows = run_each(cases, progress, _report, kept, connect)
    result = {
        "format": BENCHMARK_FORMAT,
        "version": BENCHMARK_VERSION,
        "suite": SUITE,
        "rows": rows,
    }
    text = json.dumps(result, indent=1)
    if args.save:
        args.save.write_text(text)
    print(text if args.json else monitoring_table(rows))
    return 1 if any("error" in row for row in rows) else 0


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished case on standard error."""
    title = f"{row['name']}, seed {row['seed']}"
    if "error" in row:
        print(f"{title}: FAILED {row['error']}", file=sys.stderr)
        return
    outcomes = ", ".join(f"{run['fault']} {run['outcome']}" for run in row["runs"])
    print(f"{title}: {outcomes}; {row['whole']:.0f} s", file=sys.stderr)
