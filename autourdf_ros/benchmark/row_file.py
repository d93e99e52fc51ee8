"""A file of measured rows, one line of JSON each, from which an interrupted benchmark resumes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError

Key = str | Mapping[str, Any]

_BEGIN = b'{"key": '  # of every line


class RowFile:
    """The rows of earlier runs by key; every new row is appended as soon as it is measured.

    A line is an object with `key`, which identifies what was measured, and `row`, its figures.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, or create it.

        A last line that was cut off while it was written is removed.

        Raises:
            InputError: The file cannot be written, or contains something else.
        """
        self._path = path
        try:
            with path.open("a+b") as file:
                file.seek(0)
                *lines, rest = file.read().split(b"\n")
                self._rows = dict(_entry(path, i, line) for i, line in enumerate(lines, start=1))
                if not (rest.startswith(_BEGIN) or _BEGIN.startswith(rest)):
                    raise _refusal(path, len(lines) + 1)
                file.truncate(sum(len(line) + 1 for line in lines))
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error

    def row(self, key: Key) -> dict[str, Any] | None:
        """Return the row of a key; None where it is missing or records a crash."""
        row = self._rows.get(_name(key))
        return None if row is None or "error" in row else row

    def append(self, key: Key, row: Mapping[str, Any]) -> None:
        """Add a row at the end of the file, in one write, so that several processes may append."""
        line = json.dumps({"key": key, "row": row}) + "\n"
        with self._path.open("ab", buffering=0) as file:
            file.write(line.encode())
        self._rows[_name(key)] = dict(row)


def _name(key: Key) -> str:
    return json.dumps(key, sort_keys=True)


def _entry(path: Path, number: int, line: bytes) -> tuple[str, dict[str, Any]]:
    """Return the key and the row of a line."""
    try:
        entry = json.loads(line)
        return _name(entry["key"]), dict(entry["row"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _refusal(path, number) from error


def _refusal(path: Path, number: int) -> InputError:
    return InputError(
        f"{path}: line {number}: is no row of 'autourdf benchmark'; accepted is a file that --rows "
        "or --ablation wrote, or a new one"
    )
