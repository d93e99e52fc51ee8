"""Rows of a suite, one after the other on this machine, or at once on a cluster's workers."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from autourdf_ros.benchmark.row_file import Key, RowFile
from autourdf_ros.errors import AutourdfError
from autourdf_ros.fleet.dask_cluster import Connect
from autourdf_ros.fleet.submission import Work, outcomes
from autourdf_ros.progress import Progress, part, silent

Row = dict[str, Any]


class Piece(Protocol):
    """What yields one row; a worker gets it by pickle from this program."""

    def key(self) -> Key:
        """Return everything that determines the row; asked where rows are kept only."""
        ...

    def measure(self, progress: Progress) -> Row:
        """Return the row; raise AutourdfError after a crash."""
        ...

    def failure(self, error: str) -> Row:
        """Return the row of a crash."""
        ...


def rows_of(
    pieces: Sequence[Piece],
    progress: Progress,
    report: Callable[[Row], None],
    kept: RowFile | None,
    connect: Connect | None,
    efforts: Sequence[float] = (),
) -> list[Row]:
    """Measure every piece; return the rows in their order.

    Args:
        pieces: What is measured.
        progress: Receives the progress, of each piece where they come one after the other.
        report: Called with every row when it is measured.
        kept: Receives every new row; a row that it already contains is not measured again, unless
            it records a crash.
        connect: Of a cluster that measures; None to measure one after the other.
        efforts: About how long every piece takes, in any unit. A cluster begins with the longest,
            so that none is left over in the end (Graham, 1969).
    """
    rows: dict[int, Row] = {}
    keys = {} if kept is None else {n: _key(piece) for n, piece in enumerate(pieces)}

    def have(number: int, row: Row, is_new: bool) -> None:
        if is_new and kept is not None and keys[number] is not None:
            kept.append(keys[number], row)
        rows[number] = row
        report(row)

    left = []
    for number, piece in enumerate(pieces):
        key = keys.get(number)
        row = None if kept is None or key is None else kept.row(key)
        if row is not None:
            have(number, row, False)
        elif connect is not None:
            left.append(number)
        else:
            have(number, _measured(piece, _share(progress, number, len(pieces))), True)
    if connect is not None:
        left.sort(key=lambda number: -efforts[number] if efforts else 0)
        _on_cluster(pieces, left, connect, have, progress)
    progress("done", 1.0)
    return [rows[number] for number in range(len(pieces))]


def _share(progress: Progress, number: int, count: int) -> Progress:
    return part(progress, number / count, (number + 1) / count)


def _key(piece: Piece) -> Any:
    """Return the key of a piece; None where what it reads is missing: it will fail."""
    try:
        return piece.key()
    except AutourdfError:
        return None


def _measured(piece: Piece, progress: Progress) -> Row:
    try:
        return piece.measure(progress)
    except AutourdfError as error:
        return piece.failure(str(error))


def _on_worker(piece: Piece) -> Row:
    return _measured(piece, silent)


def _on_cluster(
    pieces: Sequence[Piece],
    left: Sequence[int],
    connect: Connect,
    have: Callable[[int, Row, bool], None],
    progress: Progress,
) -> None:
    run = uuid.uuid4().hex[:12]
    names = {f"benchmark-{run}-{number}": number for number in left}
    work = Work(_on_worker, {name: pieces[number] for name, number in names.items()}, {})
    missing = set(left)

    def pulse() -> None:
        done = len(pieces) - len(missing)
        progress(f"{done} of {len(pieces)} cases", done / max(len(pieces), 1))

    for name, outcome in outcomes(work, connect, pulse):
        number = names[name]
        missing.remove(number)
        is_row = isinstance(outcome, dict)
        row = outcome if is_row else pieces[number].failure(f"{type(outcome).__name__}: {outcome}")
        have(number, row, True)
