"""`autourdf benchmark --suite mechanisms`: joints, dynamics and forecasts from videos."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from autourdf_ros.cli.fleet.scheduler_argument import asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "mechanisms"
METHODS: tuple[str, ...] = ("likelihood", "ransac")
SHAPES: tuple[str, ...] = ("given", "unknown")
_REFUSED = ("vary", "compare", "scale", "ablation", "profile", "page")


def run_mechanisms(args: argparse.Namespace) -> int:
    """Run the suite: 1 where a case crashed."""
    from autourdf_ros.benchmark.case_runner import run_each
    from autourdf_ros.benchmark.mechanisms.mechanism_case import (
        SCENE_NAMES,
        mechanism_cases,
        mechanism_cases_in,
    )
    from autourdf_ros.benchmark.mechanisms.mechanism_table import mechanism_table
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite {SUITE}")
    methods: Any = args.method or METHODS[:1]
    if args.data is not None:
        cases = mechanism_cases_in(args.data, methods, args.shapes)
    else:
        scenes = args.robots or SCENE_NAMES
        cases = mechanism_cases(scenes, methods, args.draws, args.shapes)
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
    print(text if args.json else mechanism_table(rows))
    return 1 if any("error" in row for row in rows) else 0


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished case on standard error."""
    title = f"{row['name']}, seed {row['seed']}, {row['method']}"
    if "error" in row:
        print(f"{title}: FAILED {row['error']}", file=sys.stderr)
        return
    joints = "right" if row["joints"]["right"] else f"wrong ({row['joints']['found']})"
    print(f"{title}: joints {joints}", file=sys.stderr)
