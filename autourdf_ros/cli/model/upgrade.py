"""`autourdf upgrade`: rewrites an old result folder as this version writes it."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "bring a result folder that an earlier version wrote up to date"

EPILOG = """The folder is replaced whole or not at all; 'autourdf rollback' brings the old one back.
exit codes: 0 up to date, 1 written but its verdict is failed, 2 the folder cannot be used"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder")


def run(args: argparse.Namespace) -> int:
    """Upgrade the folder; return 1 where its verdict is failed, otherwise 0."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.model.result_files import result_document

    result_document(args.result)
    from autourdf_ros.cli.terminal.summary import checks_summary
    from autourdf_ros.export.enrichment import upgrade

    let_terminate_clean_up()
    with progress_bar() as progress:
        changed = upgrade(args.result, progress)
    print(f"{args.result}: {'is upgraded' if changed else 'was up to date'}")
    document = result_document(args.result)
    print(checks_summary(document))
    return 1 if document["verdict"] == "failed" else 0
