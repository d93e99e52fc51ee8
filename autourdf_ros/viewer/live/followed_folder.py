"""A folder in which recordings grow and results appear: what changed last in it."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.viewer.viewed_result import ViewedResult, load_result

_DEPTH = 3
"""Folders below the followed one in which recordings and results are sought."""

_BAG = "*.mcap"

State = tuple[int, int]


class FollowedFolder:
    """A folder that other processes write; a part of it that is not whole yet is read later."""

    def __init__(self, folder: Path) -> None:
        """Begin before anything was shown.

        Args:
            folder: Has recordings and results at most three folders below it.

        Raises:
            InputError: It is no folder.
        """
        self.folder = folder.expanduser().resolve()
        if not self.folder.is_dir():
            raise InputError(
                f"{folder}: is no folder; accepted is one in which recordings and results appear"
            )
        self._shown: dict[Path, State] = {}

    def news(self) -> Recording | ViewedResult | None:
        """Return the recording or result that changed last, or None where none did.

        Raises:
            InputError: The result cannot be shown; raised once.
        """
        states = {path: state for path in self._found() if (state := _state_of(path))}
        if not states:
            return None
        latest = max(states, key=lambda path: states[path])
        if self._shown.get(latest) == states[latest]:
            return None
        self._shown[latest] = states[latest]
        try:
            return _read(latest)
        except InputError:
            if latest.name == DOCUMENT:
                raise
            return None  # a recording that was begun just now; it will change

    def _found(self) -> list[Path]:
        places = ["*/" * depth for depth in range(_DEPTH + 1)]
        return [
            path
            for place in places
            for name in (DOCUMENT, _BAG)
            for path in self.folder.glob(place + name)
        ]


def _state_of(path: Path) -> State | None:
    """Return when (ns) a file changed last, and its bytes."""
    try:
        state = path.stat()
    except OSError:  # removed meanwhile
        return None
    return state.st_mtime_ns, state.st_size


def _read(path: Path) -> Recording | ViewedResult | None:
    if path.name == DOCUMENT:
        return load_result(path.parent)
    recording = load_recording(path.parent)
    return recording if recording.frames else None
