"""`autourdf benchmark --suite parts`: kinematics from part meshes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from autourdf_ros.cli.fleet.scheduler_argument import asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "parts"
METHODS: tuple[str, ...] = ("symmetry", "mcts", "mcts-bfs", "mcts-collision")
DEGRADATIONS = ("given", "remeshed", "holes", "gaps", "merged", "split", "all")
_REFUSED = ("vary", "compare", "scale", "ablation", "profile")


def run_parts(args: argparse.Namespace) -> int:
    """Run the suite: 1 where a case crashed."""
    from autourdf_ros.benchmark.case_runner import run_each
    from autourdf_ros.benchmark.parts.parts_table import parts_table
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite parts")
    kept = None if args.rows is None else RowFile(args.rows)
    with progress_bar() as progress, asked_cluster(args) as connect:
        rows = run_each(_cases(args, progress), progress, _report, kept, connect)
    result = {
        "format": BENCHMARK_FORMAT,
        "version": BENCHMARK_VERSION,
        "suite": SUITE,
        "rows": rows,
    }
    text = json.dumps(result, indent=1)
    if args.save:
        args.save.write_text(text)
    print(text if args.json else parts_table(rows))
    if args.page:
        from autourdf_ros.benchmark.parts.reliability_page import write_parts_page

        write_parts_page(result, args.page)
    return 1 if any("error" in row for row in rows) else 0


def _cases(args: argparse.Namespace, progress: Any) -> Any:
    """Return the cases of a folder, or those whose packages are installed."""
    from autourdf_ros.benchmark.parts.built_in_cases import installed_sources
    from autourdf_ros.benchmark.parts.part_case import by_parts_methods, cases_in, cases_of

    methods: Any = args.method or METHODS[:1]
    if args.data is not None:
        return by_parts_methods(cases_in(args.data), methods, args.degraded)
    sources, note = installed_sources(args.robots)
    if note:
        print(note, file=sys.stderr)
    return by_parts_methods(cases_of(sources, progress), methods, args.degraded)


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished case on standard error."""
    title = f"{row['name']}, {row['method']}"
    if "error" in row:
        print(f"{title}: FAILED {row['error']}", file=sys.stderr)
        return
    errors = row["errors"]
    if row["degradation"] != "given":
        title = f"{title}, {row['degradation']}: TED {errors['ted']}"
        print(f"{title}, {row['seconds']:.1f} s, {row['verdict']}", file=sys.stderr)
        return
    right = sum(joint["right"] for joint in errors["joints"])
    print(
        f"{title}: {errors['wrong_edges']} of {errors['edges']} edges wrong, {right} joints right, "
        f"{row['seconds']:.1f} s, {row['verdict']}",
        file=sys.stderr,
    )
