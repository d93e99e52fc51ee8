"""The models of one robot over time: the current one, and which came before it.

A folder of result folders `0001`, `0002`, ... and `history.json`, which names the current model
and, for every model, its predecessor. Nothing is ever deleted. A kill at any moment leaves the old
or the new history, and at worst a folder that the history does not name.
"""

from __future__ import annotations

import filecmp
import json
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.files.file_version import check_version
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.model.urdf.live_model import LiveModel

HISTORY = "history.json"
FORMAT = "autourdf_ros/model_history"
VERSION = 1


@dataclass(frozen=True)
class Entry:
    """A model of the history.

    Attributes:
        name: Of its folder.
        added: Seconds since 1970.
        previous: Name of the model that was current before; None for the first.
    """

    name: str
    added: float
    previous: str | None


class ModelHistory:
    """The history in one folder, read anew at every call. One writer must lock the folder."""

    def __init__(self, root: Path) -> None:
        """Open a history.

        Args:
            root: Folder; the first `add` makes it.

        Raises:
            InputError: The history is damaged.
        """
        self.root = root.expanduser().resolve()
        self._read()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All models, the oldest first."""
        return self._read()[0]

    def current(self) -> Path:
        """Return the folder of the current model.

        Raises:
            InputError: There is none, or it is damaged.
        """
        _, current = self._read()
        if current is None:
            raise InputError(f"{self.root}: holds no model; accepted: a folder with {HISTORY}")
        return self._sound(current)

    def holds(self, result: Path) -> bool:
        """Whether a result folder, as it is now, was added."""
        own = result / DOCUMENT
        there = [self.root / entry.name / DOCUMENT for entry in self.entries]
        return own.is_file() and any(
            path.is_file() and filecmp.cmp(own, path, shallow=False) for path in there
        )

    def add(self, result: Path) -> Path:
        """Copy a result folder into the history, make it current, and return the copy's path.

        Raises:
            InputError: It is not a result folder, is damaged, or cannot be copied.
        """
        LiveModel(result)
        entries, current = self._read()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            there = [int(path.name) for path in self.root.iterdir() if path.name.isdecimal()]
        except OSError as error:
            raise InputError(f"{self.root}: cannot be written: {error.strerror}") from error
        name = f"{max(there, default=0) + 1:04d}"
        with replacing(self.root / name) as folder:
            shutil.copytree(result, folder, dirs_exist_ok=True)
        self._write((*entries, Entry(name, time.time(), current)), name)
        return self.root / name

    def before(self) -> Path:
        """Return the folder of the previous current model.

        Raises:
            InputError: There is none, or it is damaged.
        """
        entries, current = self._read()
        previous = next((one.previous for one in entries if one.name == current), None)
        if previous is None:
            raise InputError(f"{self.root}: no model came before the current one, {current}")
        return self._sound(previous)

    def rollback(self) -> Path:
        """Make the model of `before` current and return its path. Raises as `before`."""
        folder = self.before()
        self._write(self.entries, folder.name)
        return folder

    def _sound(self, name: str) -> Path:
        folder = self.root / name
        LiveModel(folder)
        return folder

    def _read(self) -> tuple[tuple[Entry, ...], str | None]:
        path = self.root / HISTORY
        if not path.exists():
            return (), None
        try:
            content: dict[str, Any] = json.loads(path.read_text())
            check_version(path, content, FORMAT, VERSION)
            entries = tuple(Entry(**entry) for entry in content["models"])
            current = content["current"]
            if current not in [entry.name for entry in entries]:
                raise ValueError(f"its current model {current!r} is not in the list")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}: is damaged ({error}); accepted: {FORMAT} {VERSION}"
            ) from error
        return entries, current

    def _write(self, entries: tuple[Entry, ...], current: str) -> None:
        content = {
            "format": FORMAT,
            "version": VERSION,
            "current": current,
            "models": [asdict(entry) for entry in entries],
        }
        try:
            replace_text(self.root / HISTORY, json.dumps(content, indent=1) + "\n")
        except OSError as error:
            raise InputError(f"{self.root}: cannot be written: {error.strerror}") from error
