"""The argument that names a Dask cluster, which several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autourdf_ros.fleet.dask_cluster import Connect

LOCAL = "local"


def add_scheduler_argument(parser: argparse.ArgumentParser, default: str) -> None:
    """Declare the argument.

    Args:
        parser: Of the command.
        default: What happens without it, for the help.
    """
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster (extra 'fleet'): tcp://HOST:PORT or tls://HOST:PORT, which "
        f"executes what it is sent, or {LOCAL}: of this machine's cores and memory, on loopback "
        f"(default: {default})",
    )


@contextmanager
def asked_cluster(args: argparse.Namespace) -> Iterator[Connect | None]:
    """Yield what connects to the cluster that was asked for; None where none was."""
    if args.scheduler is None:
        yield None
        return
    from autourdf_ros.fleet.dask_cluster import cluster

    with cluster(None if args.scheduler == LOCAL else args.scheduler) as connect:
        yield connect
