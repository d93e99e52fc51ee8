"""`autourdf batch`: many jobs on this machine's cores, or on a Dask cluster."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autourdf_ros.cli.fleet.scheduler_argument import LOCAL, add_scheduler_argument
from autourdf_ros.cli.number_arguments import above_zero
from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.fleet.jobs.job import Job

HELP = "do many jobs: on all cores of this machine, or on a Dask cluster (needs the extra 'fleet')"

EPILOG = """A job whose result is there is not done again: it is known by the content of its inputs,
its options and the code. RESULTS gets results/, a page summary.html and summary.json. Exit codes: 0
all jobs are done, 1 some failed, were set aside or have the verdict failed, 2 the jobs cannot be
used as they are."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "jobs",
        metavar="JOBS",
        help="a YAML file with jobs (docs/fleet.md), or a folder or s3:// place with recordings, "
        "each of which is a job",
    )
    parser.add_argument(
        "-o",
        "--out",
        required=True,
        metavar="RESULTS",
        help="folder or s3:// place of results; those that are there stay",
    )
    parser.add_argument(
        "--estimator",
        default="reconstruct",
        metavar="COMMAND",
        help="of a folder's recordings (default: reconstruct)",
    )
    parser.add_argument(
        "--root",
        nargs="+",
        default=[],
        metavar="PLACE",
        help="further folders, s3:// or https:// places from which a job file may read (default: "
        "its own folder)",
    )
    add_scheduler_argument(parser, LOCAL)
    parser.add_argument(
        "--watch",
        action="store_true",
        help="go on until Ctrl-C: JOBS is a folder or s3:// place with ROBOT/RECORDING; what "
        "arrives is done, and robots.html shows what changes on which robot",
    )
    parser.add_argument(
        "--period",
        type=above_zero("s"),
        default=30.0,
        metavar="SECONDS",
        help="of --watch: between two listings; what is the same in two has arrived (default: 30)",
    )
    parser.add_argument(
        "--again", action="store_true", help="also try jobs again that killed three workers"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command: 1 where a job is not done, or a verdict is failed."""
    let_terminate_clean_up()
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.fleet.batch import BatchOptions, exit_code, run_batch
    from autourdf_ros.fleet.dask_cluster import cluster
    from autourdf_ros.fleet.fleet_library import fleet_library
    from autourdf_ros.fleet.result_store import ResultStore
    from autourdf_ros.fleet.summary_page import write_summary

    fleet_library("distributed")
    if args.watch:
        return _watch(args)
    jobs = jobs_of_arguments(args)
    store = ResultStore.at(args.out)
    options = BatchOptions(again=args.again)
    address = None if args.scheduler == LOCAL else args.scheduler
    with progress_bar() as progress, cluster(address) as connect:
        records = run_batch(jobs, store, connect, progress, report, options)
    page = write_summary(store, records)
    done = sum(record["state"] == "done" for record in records)
    print(f"{done} of {len(records)} jobs are done\nsummary {page}")
    return exit_code(records)


def _watch(args: argparse.Namespace) -> int:
    """Watch until a signal cancels."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.fleet.batch import BatchOptions
    from autourdf_ros.fleet.dask_cluster import cluster
    from autourdf_ros.fleet.jobs.accepted_commands import accepted
    from autourdf_ros.fleet.jobs.places import placed
    from autourdf_ros.fleet.result_store import ResultStore
    from autourdf_ros.fleet.watching import Watch, WatchOptions

    if accepted(args.estimator, "--estimator").inputs != 1:
        raise InputError(f"--estimator {args.estimator}: takes two inputs")
    place, store = placed(args.jobs, str(Path.cwd()), "JOBS"), ResultStore.at(args.out)
    options = WatchOptions(args.period, batch=BatchOptions(again=args.again))
    address = None if args.scheduler == LOCAL else args.scheduler
    with progress_bar() as progress, cluster(address) as connect:
        Watch(place, args.estimator, store, connect, options).run(progress, report)
    return 0


def jobs_of_arguments(args: argparse.Namespace) -> list[Job]:
    """Return the jobs that the command line names.

    Raises:
        InputError: As the readers of job files and folders; an option is for the other kind.
    """
    from autourdf_ros.fleet.jobs.accepted_commands import accepted
    from autourdf_ros.fleet.jobs.job_file import read_job_file
    from autourdf_ros.fleet.jobs.job_folder import jobs_below
    from autourdf_ros.fleet.jobs.places import is_url, placed

    here = str(Path.cwd())
    if not is_url(args.jobs) and Path(args.jobs).is_file():
        roots = [placed(root, here, "--root") for root in args.root]
        return read_job_file(Path(args.jobs), roots)
    if args.root:
        raise InputError("--root: is for job files")
    if accepted(args.estimator, "--estimator").inputs != 1:
        raise InputError(f"--estimator {args.estimator}: takes two inputs; write a job file")
    jobs = jobs_below(placed(args.jobs, here, "JOBS"), args.estimator)
    if not jobs:
        raise InputError(f"{args.jobs}: holds no recording")
    return jobs


def report(record: dict[str, Any]) -> None:
    """Print the outcome of a job on standard error."""
    why = record.get("error") or record.get("verdict") or ""
    print(f"{record['name']}: {record['state']}{f': {why}' if why else ''}", file=sys.stderr)
