"""`autourdf benchmark --suite payload`: inertial parameters of held tools."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from autourdf_ros.cli.fleet.scheduler_argument import asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "payload"
METHODS: tuple[str, ...] = (
    "field", "field-cloud", "materials", "hps", "hps-true", "ols", "geo",
    "parts", "parts-authors", "parts-full",
)  # fmt: skip
_REFUSED = ("vary", "compare", "scale", "ablation", "profile", "page")


def run_payload(args: argparse.Namespace) -> int:
    """Run the suite: 1 where a case crashed."""
    from autourdf_ros.benchmark.case_runner import run_each
    from autourdf_ros.benchmark.payload.payload_case import payload_cases_in
    from autourdf_ros.benchmark.payload.payload_table import payload_tables
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite payload")
    if args.data is None:
        raise InputError("--suite payload: needs --data FOLDER with tools (docs/payload.md)")
    methods: Any = args.method or METHODS[:1]
    cases = payload_cases_in(args.data, methods, args.draws, seed=0)
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
    print(text if args.json else payload_tables(rows))
    return 1 if any("error" in row for row in rows) else 0


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished case on standard error."""
    title = f"{row['name']}, {row['method']}"
    if "error" in row:
        print(f"{title}: FAILED {row['error']}", file=sys.stderr)
        return
    print(
        f"{title}: {row['shape_seconds']:.1f} s for the shape, {row['seconds']:.2f} s an estimate",
        file=sys.stderr,
    )
