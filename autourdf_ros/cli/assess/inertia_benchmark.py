"""`autourdf benchmark --suite inertia`: masses and friction of robots from joint efforts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from autourdf_ros.cli.fleet.scheduler_argument import asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "inertia"
METHODS: tuple[str, ...] = ("log-cholesky", "lmi")
DRAWS = 10
"""Motions and noises of each robot, where --vary does not say."""
_REFUSED = ("compare", "scale", "ablation", "profile", "page", "data")


def run_inertia(args: argparse.Namespace) -> int:
    """Run the suite: 1 where a run crashed."""
    from autourdf_ros.benchmark.case_runner import run_each
    from autourdf_ros.benchmark.links.link_run import link_runs
    from autourdf_ros.benchmark.links.measure_links import ROBOTS, links_table
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite {SUITE}")
    methods: Any = args.method or METHODS[:1]
    runs = link_runs(args.robots or ROBOTS, args.vary or DRAWS, methods)
    kept = None if args.rows is None else RowFile(args.rows)
    with progress_bar() as progress, asked_cluster(args) as connect:
        rows = run_each(runs, progress, _report, kept, connect)
    result = {
        "format": BENCHMARK_FORMAT,
        "version": BENCHMARK_VERSION,
        "suite": SUITE,
        "rows": rows,
    }
    text = json.dumps(result, indent=1)
    if args.save:
        args.save.write_text(text)
    print(text if args.json else links_table(rows))
    return 1 if any("error" in row for row in rows) else 0


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished run on standard error."""
    title = f"{row['name']}, seed {row['seed']}, {row['method']}"
    said = f"FAILED {row['error']}" if "error" in row else f"{row['seconds']:.1f} s"
    print(f"{title}: {said}", file=sys.stderr)
