"""Work on a cluster, submitted again until every piece has an outcome.

Dask computes again what a lost worker had, and gives up on what loses too many. A scheduler that
is started again knows nothing of earlier work: what has no outcome is submitted to it anew.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.fleet.dask_cluster import MEMORY, Connect
from autourdf_ros.fleet.fleet_library import fleet_library


@dataclass(frozen=True)
class SubmissionOptions:
    """How work is handed to the scheduler.

    Attributes:
        most_waiting: Pieces that the scheduler holds at once: its memory stays bounded.
        period: Seconds between two calls of `pulse`.
        first_patience: Seconds in which a scheduler must answer at first.
        patience: Seconds without a scheduler after which the work is given up.
    """

    most_waiting: int = 500
    period: float = 0.2
    first_patience: float = 30.0
    patience: float = 300.0


@dataclass(frozen=True)
class Work:
    """What is to be computed.

    Attributes:
        function: Is called on workers with one of `pieces`; the workers must be able to import it.
        pieces: Plain values by key. A key is computed once, by whomever it was submitted.
        memory: Bytes that pieces need, by key, where they say so.
    """

    function: Callable[[Any], Any]
    pieces: Mapping[str, Any]
    memory: Mapping[str, int]


_Piece = TypeVar("_Piece", bound=tuple[Any, ...])
_Result = TypeVar("_Result")


class _SchedulerLostError(Exception):
    """The scheduler does not answer, or knows nothing of what was submitted."""


def outcomes(
    work: Work,
    connect: Connect,
    pulse: Callable[[], None],
    options: SubmissionOptions = SubmissionOptions(),
) -> Iterator[tuple[str, Any]]:
    """Yield key and result of every piece when it is computed, or the exception it ended with.

    Args:
        work: What is computed.
        connect: Returns a client.
        pulse: Called often; what it raises ends the work, and is cancelled on the cluster.
        options: How it is handed over.

    Raises:
        AutourdfError: No scheduler answers.
        InputError: No worker offers the memory that a piece needs.
    """
    missing = dict.fromkeys(work.pieces)
    lost_since, patience = time.monotonic(), options.first_patience
    while missing:
        try:
            with connect() as client:
                patience = options.patience
                try:
                    for key, outcome in _round(client, work, list(missing), pulse, options):
                        del missing[key]
                        yield key, outcome
                finally:
                    lost_since = time.monotonic()
        except (_SchedulerLostError, OSError, TimeoutError) as error:
            pulse()
            if time.monotonic() - lost_since > patience:
                raise AutourdfError(f"no scheduler answers: {error}") from error
            time.sleep(options.period)


def each_of(
    function: Callable[..., _Result], pieces: Sequence[_Piece], connect: Connect | None
) -> Iterator[tuple[_Piece, _Result]]:
    """Yield every piece with what a function returns for it, as soon as it is there.

    Args:
        function: Is called with the values of a piece. One of a program's main module is sent
            whole; what that imports, the workers must be able to import.
        pieces: Arguments.
        connect: Of a cluster, whose order is that of the ends; None: one after the other, here.

    Raises:
        Exception: What the function raised; pieces that have not ended are cancelled.
    """
    if connect is None:
        yield from ((piece, function(*piece)) for piece in pieces)
        return

    def computed(piece: _Piece) -> _Result:
        return function(*piece)

    run = uuid.uuid4().hex[:12]
    numbered = {f"{run}-{number}": piece for number, piece in enumerate(pieces)}
    for key, outcome in outcomes(Work(computed, numbered, {}), connect, lambda: None):
        if isinstance(outcome, Exception):
            raise outcome
        yield numbered[key], outcome


def _round(
    client: Any,
    work: Work,
    keys: list[str],
    pulse: Callable[[], None],
    options: SubmissionOptions,
) -> Iterator[tuple[str, Any]]:
    """Submit to one scheduler and yield what is computed, until all is, or it is lost."""
    _check_memory(client, work)
    waiting, ended = iter(keys), queue.SimpleQueue[Any]()
    futures: dict[str, Any] = {}
    try:
        while True:
            for key in islice(waiting, options.most_waiting - len(futures)):
                futures[key] = _submitted(client, work, key)
                futures[key].add_done_callback(ended.put)
            if not futures:
                return
            pulse()
            try:
                future = ended.get(timeout=options.period)
            except queue.Empty:
                if client.status != "running":
                    raise _SchedulerLostError(f"its connection is {client.status}") from None
                continue
            outcome, key = _outcome(future), future.key[1]
            del futures[key]
            yield key, outcome
    finally:
        if futures and client.status == "running":
            client.cancel(list(futures.values()), force=True)


def _outcome(future: Any) -> Any:
    """Return the result of a piece, or the exception it ended with.

    Raises:
        _SchedulerLostError: The scheduler is lost, maybe just now, while the result was fetched.
    """
    lost = fleet_library("distributed.client").FutureCancelledError
    try:
        if future.status == "error":
            return future.exception()
        if future.status == "finished":
            return future.result()
    except (lost, OSError, TimeoutError) as error:
        raise _SchedulerLostError(f"a result could not be fetched: {error}") from error
    raise _SchedulerLostError(f"it has lost what was submitted ({future.status})")


def _submitted(client: Any, work: Work, key: str) -> Any:
    needed = work.memory.get(key)
    return client.submit(
        work.function,
        work.pieces[key],
        # The scheduler keeps statistics of every first part for ever: there is one, not thousands.
        key=(getattr(work.function, "__name__", "work"), key),
        resources=None if needed is None else {MEMORY: needed},
        pure=False,
    )


def _check_memory(client: Any, work: Work) -> None:
    """Check that some worker offers what the pieces need: else they would wait for ever."""
    if not work.memory:
        return
    client.wait_for_workers(1)
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    offered = max(one["resources"].get(MEMORY, 0) for one in workers)
    if (needed := max(work.memory.values())) > offered:
        raise InputError(
            f"a job needs {needed} bytes of memory; workers offer {offered:.0f}: start them with "
            f"--resources {MEMORY}=BYTES (docs/fleet.md)"
        )


def is_killed(outcome: Any) -> bool:
    """Return whether Dask gave up on a piece because its workers died."""
    return isinstance(outcome, fleet_library("distributed").scheduler.KilledWorker)
