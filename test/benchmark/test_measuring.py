"""Rows are the same from a cluster as one after the other."""

from dataclasses import dataclass

import pytest

from autourdf_ros.benchmark.measuring import rows_of
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.errors import AutourdfError
from autourdf_ros.progress import silent


@dataclass(frozen=True)
class Piece:
    """A piece that ends at once."""

    name: str

    def key(self):
        return self.name

    def measure(self, progress):
        if self.name == "crash":
            raise AutourdfError("ended with exit code -9")
        if self.name == "bug":
            raise ValueError("oh")
        return {"name": self.name}

    def failure(self, error):
        return {"name": self.name, "error": error}


@pytest.mark.slow
def test_rows_of_a_cluster_are_those_of_one_after_the_other(tmp_path):
    from distributed import Client, LocalCluster

    pieces = [Piece(name) for name in ("a", "crash", "b")]
    one_by_one = rows_of(pieces, silent, lambda row: None, None, None)
    reported, file = [], RowFile(tmp_path / "rows.jsonl")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as local:

        def connect():
            return Client(local, set_as_default=False)

        assert rows_of(pieces, silent, reported.append, file, connect) == one_by_one
        assert len(reported) == 3 and file.row("a") == {"name": "a"}
        assert rows_of(pieces[::2], silent, reported.append, file, lambda: 1 / 0) == one_by_one[::2]
        (row,) = rows_of([Piece("bug")], silent, reported.append, file, connect)
        assert row["error"] == "ValueError: oh"


@pytest.mark.slow
def test_a_cluster_begins_with_what_takes_longest():
    from distributed import Client, LocalCluster

    pieces, reported = [Piece(name) for name in "abcdef"], []
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as local:
        rows = rows_of(
            pieces,
            silent,
            reported.append,
            None,
            lambda: Client(local, set_as_default=False),
            [2, 9, 1, 3, 8, 7],
        )
    assert [row["name"] for row in rows] == list("abcdef")
    assert [row["name"] for row in reported] == list("befdac")
