"""The cluster that does the work: Dask's, on this machine or at an address."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.fleet.fleet_library import fleet_library
from autourdf_ros.parallel import THREADS, thread_count

Connect = Callable[[], Any]
"""Returns a new client of the cluster; raises OSError where the scheduler does not answer."""

MEMORY = "MEMORY"
"""Resource of Dask workers: bytes for jobs, shared out by what jobs state that they need."""

LOOPBACK = "127.0.0.1"
_QUIET = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)"
"""Code for workers: Ctrl-C is the batch's matter, which ends them."""

_PORT = 8787  # where Dask has its dashboard
_SCHEMES = ("tcp://", "tls://", "ucx://", "inproc://")


@dataclass(frozen=True)
class ClusterOptions:
    """How large a cluster on this machine is.

    Attributes:
        memory_a_job: Bytes for which a worker is started at least: fewer workers than cores where
            memory is short.
        share: Of the machine's memory, for all workers together.
        dashboard: Whether Dask's dashboard is served, on loopback.
        timeout: Seconds of one attempt to connect to a scheduler.
    """

    memory_a_job: int = 2 << 30
    share: float = 0.9
    dashboard: bool = True
    timeout: float = 5.0


@contextmanager
def cluster(address: str | None, options: ClusterOptions = ClusterOptions()) -> Iterator[Connect]:
    """Yield what connects to a cluster.

    Args:
        address: Of a scheduler; None for a cluster of this machine's cores and memory, which
            ends with the block.
        options: Of the latter.

    Raises:
        InputError: The extra is missing, or the address is none.
    """
    distributed = fleet_library("distributed")
    # What a lost scheduler or worker means is said by who submits.
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    if address is None:
        with ExitStack() as running:
            # Started by the first who connects: a batch may have nothing to do.
            started = cache(lambda: running.enter_context(_local(distributed, options)))
            yield lambda: distributed.Client(started(), set_as_default=False)
        return
    if not address.startswith(_SCHEMES):
        raise InputError(f"--scheduler {address}: accepted are tcp://HOST:PORT and tls://HOST:PORT")
    yield lambda: distributed.Client(address, timeout=options.timeout, set_as_default=False)


@contextmanager
def _local(distributed: Any, options: ClusterOptions) -> Iterator[Any]:
    memory = int(options.share * _memory_of_machine())
    count = max(1, min(thread_count(), memory // options.memory_a_job))
    threads = max(1, thread_count() // count)
    nanny = {"distributed.worker.memory.terminate": False}  # jobs are bounded one by one
    dask = fleet_library("dask")
    try:
        with (
            dask.config.set(nanny),
            distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                host=LOOPBACK,
                memory_limit=memory // count,
                resources={MEMORY: memory // count},
                dashboard_address=f"{LOOPBACK}:{_free_port()}" if options.dashboard else None,
                env={THREADS: str(threads)},
                preload=[_QUIET],
                silence_logs=logging.CRITICAL,
            ) as local,
        ):
            yield local
    except OSError as error:
        raise AutourdfError(f"no cluster could be started on this machine: {error}") from error


def _free_port() -> int:
    """Return the port at which people expect the dashboard, or 0 for any where it is in use."""
    with socket.socket() as trial:
        return _PORT if trial.connect_ex((LOOPBACK, _PORT)) else 0


def _memory_of_machine() -> int:
    """Bytes of memory of this machine, or of the control group that bounds this process."""
    system = fleet_library("distributed.system")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(min(pages, system.memory_limit() or pages))
