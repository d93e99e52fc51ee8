"""The models of one robot over time: which is current, and which was before it.

A folder of result folders `0001`, `0002`, ... and `history.json`, which names the current one and
for every model the one that was current when it came. Nothing is ever deleted. A kill at any moment
leaves the old or the new history; at worst a folder that it does not name.
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
    """A model: name of its folder, when it came (seconds since 1970), what was current then."""

    name: str
    added: float
    previous: str | None


class ModelHistory:
    """The history in one folder, read anew at every call. For one writer, who locks the folder."""

    def __init__(self, root: Path) -> None:
        """root: made by the first `add`. Raises InputError where a history is there and damaged."""
        self.root = root.expanduser().resolve()
        self._read()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All models, the oldest first."""
        return self._read()[0]

    def current(self) -> Path:
        """Folder of the current model. Raises InputError where there is none, or it is damaged."""
        _, current = self._read()
        if current is None:
            raise InputError(f"{self.root}: holds no model; accepted is a folder with {HISTORY}")
        return self._sound(current)

    def holds(self, result: Path) -> bool:
        """Whether a result folder was added, as it is now."""
        own = result / DOCUMENT
        there = [self.root / entry.name / DOCUMENT for entry in self.entries]
        return own.is_file() and any(
            path.is_file() and filecmp.cmp(own, path, shallow=False) for path in there
        )

    def add(self, result: Path) -> Path:
        """Copy a result folder into the history and make it current; returns the copy's path.

        Raises InputError where it is no result folder, is damaged, or cannot be copied.
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
        """Folder of the model that was current before the current one came.

        Raises InputError where there was none, or it is damaged.
        """
        entries, current = self._read()
        previous = next((one.previous for one in entries if one.name == current), None)
        if previous is None:
            raise InputError(f"{self.root}: no model came before the current one, {current}")
        return self._sound(previous)

    def rollback(self) -> Path:
        """Make that of `before` current; returns its path. Raises, and changes nothing, as that."""
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
                raise ValueError(f"its current model is {current!r}, which it does not have")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}: is damaged ({error}); accepted is {FORMAT} {VERSION}"
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
