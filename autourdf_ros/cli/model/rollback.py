"""`autourdf rollback`: restores the version of a result folder before its last change."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "bring back the version of a result folder before its last change"

EPILOG = """The last three versions are kept. The current one is dropped.
exit codes: 0 done, 1 done but the verdict of what came back is failed, 2 there is no earlier
version, or the folder cannot be used"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder")


def run(args: argparse.Namespace) -> int:
    """Roll the folder back; return 1 where the restored verdict is failed, otherwise 0."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.model.result_files import result_document

    result_document(args.result)
    from autourdf_ros.export.versions import earlier_versions, rollback

    let_terminate_clean_up()
    with progress_bar() as progress:
        progress("rolling back", 0.0)
        out = rollback(args.result)
    document = result_document(out)
    layers = ", ".join(document["layers"])
    kept = len(earlier_versions(out))
    print(f"{out}: the version before is back; its layers: {layers}; earlier versions kept: {kept}")
    return 1 if document["verdict"] == "failed" else 0
