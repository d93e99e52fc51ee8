"""`autourdf benchmark --suite inertia`: masses and friction of robots from joint efforts."""

from __future__ import annotations

import argparse
import json
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "inertia"
METHODS: tuple[str, ...] = ("log-cholesky", "lmi")
DRAWS = 10
"""Motions and noises of each robot, where --vary does not say."""
_REFUSED = ("compare", "scale", "ablation", "profile", "page", "rows", "data", "scheduler")


def run_inertia(args: argparse.Namespace) -> int:
    """Run the suite."""
    from autourdf_ros.benchmark.links.measure_links import ROBOTS, links_table, run_link_cases
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite {SUITE}")
    methods: Any = args.method or METHODS[:1]
    with progress_bar() as progress:
        rows = run_link_cases(args.robots or ROBOTS, args.vary or DRAWS, methods, progress)
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
    return 0
