"""`autourdf benchmark --suite appearance`: colours of a robot from images."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autourdf_ros.cli.fleet.scheduler_argument import asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION

SUITE = "appearance"
METHODS: tuple[str, ...] = ("splats", "images", "bones")
_REFUSED = ("vary", "compare", "scale", "ablation", "profile", "page")


def add_appearance_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this suite takes."""
    parser.add_argument(
        "--lpips-weights",
        type=Path,
        metavar="FILE",
        help="of appearance: also measure LPIPS, with the weights in FILE",
    )
    parser.add_argument(
        "--bones-seconds",
        type=float,
        default=600.0,
        metavar="S",
        help="of --method bones: seconds of a fit (default: 600; the paper takes 16 h)",
    )


def run_appearance(args: argparse.Namespace) -> int:
    """Run the suite: 1 where a case crashed."""
    from autourdf_ros.benchmark.appearance.appearance_case import (
        BONES,
        CASE_NAMES,
        IMAGES_ALONE,
        ROBOTS,
        appearance_cases,
        appearance_cases_in,
        robots_alone,
    )
    from autourdf_ros.benchmark.appearance.appearance_table import appearance_table
    from autourdf_ros.benchmark.appearance.bones.bones_table import bones_table
    from autourdf_ros.benchmark.appearance.images_alone_table import images_alone_table
    from autourdf_ros.benchmark.appearance.measure_appearance import lpips_with
    from autourdf_ros.benchmark.case_runner import run_each
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.estimation.motion.networks.device import check_torch

    if given := [name for name in _REFUSED if getattr(args, name)]:
        raise InputError(f"--{given[0]}: is not for --suite {SUITE}")
    if len(args.method) > 1:
        raise InputError(f"--method {' '.join(args.method)}: accepted is one of {SUITE}'s")
    method = args.method[0] if args.method else METHODS[0]
    if not args.bones_seconds > 0:
        raise InputError(f"--bones-seconds {args.bones_seconds}: accepted are numbers above 0")
    if method == BONES:
        check_torch("neural bones")
    if args.data is not None:
        cases = appearance_cases_in(args.data, args.draws, method)
    elif method in (IMAGES_ALONE, BONES):
        cases = robots_alone(args.robots or ROBOTS, args.draws, method)
    else:
        cases = appearance_cases(args.robots or CASE_NAMES, args.draws)
    if args.lpips_weights is not None:
        if method in (IMAGES_ALONE, BONES):
            raise InputError(f"--lpips-weights: is not for --method {method}")
        lpips_with(args.lpips_weights)
        cases = [replace(case, lpips=args.lpips_weights.resolve()) for case in cases]
    cases = [replace(case, seconds=args.bones_seconds) for case in cases]
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
    table = {IMAGES_ALONE: images_alone_table, BONES: bones_table}.get(method, appearance_table)
    print(text if args.json else table(rows))
    return 1 if any("error" in row for row in rows) else 0


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished case on standard error."""
    title = f"{row['name']}, seed {row['seed']}"
    found = f"FAILED {row['error']}" if "error" in row else f"{row['robot_psnr']:.1f} dB"
    print(f"{title}: {found}", file=sys.stderr)
