"""`autourdf benchmark`: accuracy and speed on robots that nobody tuned for."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autourdf_ros.cli.assess import (
    appearance_benchmark,
    inertia_benchmark,
    mechanisms_benchmark,
    monitoring_benchmark,
    payload_benchmark,
)
from autourdf_ros.cli.assess.parts_benchmark import DEGRADATIONS, METHODS, SUITE, run_parts
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION, check_version

_OTHERS = {
    SUITE: (METHODS, run_parts),
    payload_benchmark.SUITE: (payload_benchmark.METHODS, payload_benchmark.run_payload),
    inertia_benchmark.SUITE: (inertia_benchmark.METHODS, inertia_benchmark.run_inertia),
    mechanisms_benchmark.SUITE: (mechanisms_benchmark.METHODS, mechanisms_benchmark.run_mechanisms),
    appearance_benchmark.SUITE: (appearance_benchmark.METHODS, appearance_benchmark.run_appearance),
    monitoring_benchmark.SUITE: (monitoring_benchmark.METHODS, monitoring_benchmark.run_monitoring),
}
"""Methods and command of every suite that is not about motion."""
MOTION_METHODS = ("engine", "autourdf")
_MOTION_SUITES = ("quick", "full", "hard", "cell", "few")
_SEQUENCES = {"cell": 2, "few": 1}  # by default, else 5
_DRAWS = {"cell": 3, "few": 3, "monitoring": 3}  # by default, else 10
HELP = "measure accuracy and speed of the reconstruction, beside the paper's figures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--suite",
        choices=(*_MOTION_SUITES, *_OTHERS),
        default="quick",
        help="quick: 3 robots; full: 13; hard: what real cells do; cell: 13 robots as captured by "
        "four real cameras; few: large steps; parts: kinematics from part meshes, without motion; "
        "payload: masses of held tools, with --data; inertia: masses and friction of robots from "
        "efforts; mechanisms: joints, dynamics and forecasts from simulated depth videos; "
        "appearance: colours of a robot from simulated images; monitoring: false alarms of the "
        "monitor, and its names of what happened (default: quick)",
    )
    robots = parser.add_mutually_exclusive_group()
    robots.add_argument(
        "--robots",
        nargs="+",
        default=(),
        metavar="ROBOT",
        help="instead of the suite's own: URDF files, names of example-robot-data, or folders of "
        "recordings with a truth.json; of parts, mechanisms and appearance, names of its cases; of "
        "monitoring, URDF files or names",
    )
    robots.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="instead of the suite's own robots: every CASE/ of FOLDER that is a recording with a "
        "truth.json; of parts, every CASE/ with parts/part_NN.ply and truth.json; of payload, "
        "every TOOL/ with cloud.ply, mesh.ply, truth.yaml and trajectory.npz; of mechanisms, every "
        "CASE/ as autourdf simulate --mechanism writes it; of appearance, every CASE/ as autourdf "
        "simulate --images writes it",
    )
    parser.add_argument(
        "--sequences",
        type=_count,
        nargs="+",
        default=(),
        metavar="N",
        help="of 10 frames; several numbers measure every robot with each (default: 5; cell 2, "
        "few 1)",
    )
    parser.add_argument(
        "--vary",
        type=_count,
        metavar="DRAWS",
        help="measure everything with each sequence as the first, and that with as many random "
        "tenths of the points left out",
    )
    parser.add_argument(
        "--method",
        choices=(*MOTION_METHODS, *(name for names, _ in _OTHERS.values() for name in names)),
        nargs="+",
        default=(),
        help="what reconstructs: our engine, AutoURDF's published method, or both, with the ratios "
        "(default: engine); of parts: symmetry (default), Kinematify's mcts, and its ablations; of "
        "payload: field of the mesh (default), field-cloud, materials, hps, hps-true, ols, geo; "
        "and parts, parts-authors, parts-full, which measure shape and parts alone; of mechanisms: "
        "likelihood (default), ransac; of appearance: splats of a known robot (default), images, "
        "which finds the robot in them, too, bones, the paper's",
    )
    parser.add_argument(
        "--degraded",
        choices=DEGRADATIONS,
        nargs="+",
        default=DEGRADATIONS[:1],
        help="of parts: as a generative model would deliver them, with each fault or all",
    )
    parser.add_argument(
        "--draws",
        type=_count,
        metavar="N",
        help="of payload: draws of noise at every level; of cell, few, mechanisms, appearance and "
        "monitoring: seeds (default: 10; cell, few and monitoring 3)",
    )
    parser.add_argument(
        "--shapes",
        choices=mechanisms_benchmark.SHAPES,
        default=mechanisms_benchmark.SHAPES[0],
        help="of mechanisms: unknown leaves out shapes and masks (default: given)",
    )
    appearance_benchmark.add_appearance_arguments(parser)
    monitoring_benchmark.add_monitoring_arguments(parser)
    add_scheduler_argument(parser, "one case after the other")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON instead")
    parser.add_argument("--save", type=Path, metavar="FILE", help="also write the JSON to a file")
    parser.add_argument(
        "--rows",
        type=Path,
        metavar="FILE.jsonl",
        help="also append every row to FILE as soon as it is measured; rows that FILE already "
        "contains of the same case, seeds and code are not measured again",
    )
    parser.add_argument(
        "--compare", type=Path, metavar="OLD.json", help="say what changed since an earlier run"
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE.html", help="also write a page with plots"
    )
    parser.add_argument(
        "--scale",
        action="store_true",
        help="instead of a suite: scaling of time and memory with frames, points and links",
    )
    parser.add_argument(
        "--ablation",
        type=Path,
        metavar="FILE.jsonl",
        help="instead of a suite: ablations of AutoURDF's method, on so101 or the one robot of "
        "--robots; runs that FILE already contains are not repeated",
    )
    parser.add_argument(
        "--profile", action="store_true", help="also print the seconds of every stage"
    )


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; accepted is a whole number from 1")
    return count


def run(args: argparse.Namespace) -> int:
    """Run the command: 1 where a case crashed."""
    _check_methods(args)
    args.draws = args.draws or _DRAWS.get(args.suite, 10)
    if args.lpips_weights is not None and args.suite != appearance_benchmark.SUITE:
        raise InputError(f"--lpips-weights: is for --suite {appearance_benchmark.SUITE} only")
    if args.suite in _OTHERS:
        return _OTHERS[args.suite][1](args)
    from autourdf_ros.benchmark.cases.suites import by_methods, is_recording, scale, suite, varied
    from autourdf_ros.benchmark.earlier_benchmark import comparison
    from autourdf_ros.benchmark.pages.benchmark_table import stage_table, table
    from autourdf_ros.benchmark.row_file import RowFile
    from autourdf_ros.benchmark.runner import run_cases
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.model.urdf.robot_library import find_urdf

    earlier = _read(args.compare) if args.compare else None
    robots = _robots(args)
    for robot in robots:
        if not is_recording(Path(robot)):
            find_urdf(robot)
    if args.ablation:
        return _ablation(args)
    default = (1,) if args.scale else args.sequences or (_SEQUENCES.get(args.suite, 5),)
    used = tuple(sorted(set(default)))
    cases = scale(robots) if args.scale else suite(args.suite, max(used), robots, args.draws)
    if args.vary:
        cases = varied(cases, max(used), args.vary)
    methods: Any = args.method or MOTION_METHODS[:1]
    cases = by_methods(cases, methods)
    kept = None if args.rows is None else RowFile(args.rows)
    with progress_bar() as progress, asked_cluster(args) as connect:
        rows = run_cases(cases, used, progress, _report, kept, connect)
    result = {
        "format": BENCHMARK_FORMAT,
        "version": BENCHMARK_VERSION,
        "suite": "scale" if args.scale else args.suite,
        "sequences": used,
        "vary": args.vary,
        "rows": rows,
    }
    text = json.dumps(result, indent=1)
    if args.save:
        args.save.write_text(text)
    print(text if args.json else table(rows))
    if (args.profile or args.scale) and not args.json:
        print(f"\n{stage_table(rows)}")
    if earlier is not None:
        print(f"\nagainst {args.compare}:\n{comparison(rows, earlier)}", file=sys.stderr)
    if args.page:
        from autourdf_ros.benchmark.pages.benchmark_page import write_page

        write_page(result, args.page)
    return 1 if any("error" in row for row in rows) else 0


def _check_methods(args: argparse.Namespace) -> None:
    accepted = _OTHERS[args.suite][0] if args.suite in _OTHERS else MOTION_METHODS
    if wrong := [method for method in args.method if method not in accepted]:
        raise InputError(
            f"--method {wrong[0]}: is not for --suite {args.suite}; accepted: {', '.join(accepted)}"
        )


def _robots(args: argparse.Namespace) -> Sequence[str]:
    """Return the robots that replace the suite's own."""
    from autourdf_ros.benchmark.cases.suites import recordings_in

    if args.data is None:
        robots: Sequence[str] = args.robots
        return robots
    if args.scale or args.ablation or args.suite not in ("quick", "full"):
        raise InputError("--data: is for --suite quick and full; the others record their robots")
    return recordings_in(args.data)


def _ablation(args: argparse.Namespace) -> int:
    """Run the ablations: 1 where one crashed."""
    from autourdf_ros.benchmark.ablation import ROBOT, run_ablation, variants
    from autourdf_ros.benchmark.ablation_page import ablation_table, write_ablation_page
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.estimation.motion.networks.device import check_torch

    if len(args.robots) > 1:
        raise InputError(f"--ablation takes one robot; --robots names {len(args.robots)}")
    check_torch()
    chosen = variants(*(args.robots or (ROBOT,)))
    with progress_bar() as progress, asked_cluster(args) as connect:
        rows = run_ablation(chosen, args.ablation, progress, _report_variant, connect)
    print(json.dumps(rows, indent=1) if args.json else ablation_table(rows))
    if args.page:
        write_ablation_page(rows, args.page)
    return 1 if any("error" in row for row in rows) else 0


def _report_variant(row: Mapping[str, Any]) -> None:
    print(f"{row['group']}, {row['variant']}: ", end="", file=sys.stderr)
    _report(row)


def _report(row: Mapping[str, Any]) -> None:
    """Print a finished case on standard error."""
    from autourdf_ros.benchmark.pages.benchmark_table import title

    if "error" in row:
        print(f"{title(row)}: FAILED {row['error']}", file=sys.stderr)
    else:
        whole = row["evaluation"]["all"]
        print(
            f"{title(row)}: {whole['found']} of {whole['true']} joints, "
            f"{row['engine']:.1f} s, {row['verdict']}",
            file=sys.stderr,
        )


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text())
        if "version" in content:
            check_version(path, content, BENCHMARK_FORMAT, BENCHMARK_VERSION)
        rows: list[dict[str, Any]] = content["rows"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is no JSON of 'autourdf benchmark --json'") from error
    return rows
