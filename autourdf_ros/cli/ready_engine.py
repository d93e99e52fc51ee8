"""Imports the engine, waits for the arguments of one `autourdf reconstruct`, and does it.

So does a process for each further core, which makes meshes (`helper_processes`).

Requests come on standard input, a line of JSON each: `{"follow": ARGUMENTS}` begins with a
recording while it is still being made, `{"reconstruct": ARGUMENTS}` does the work; an end without
it ends the process.
"""

from __future__ import annotations

import json
import queue
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autourdf_ros.cli.main import build_parser
from autourdf_ros.cli.main import main as autourdf
from autourdf_ros.errors import InputError
from autourdf_ros.helper_processes import make_ready

if TYPE_CHECKING:
    from autourdf_ros.estimation.motion.head_start import HeadStart

FOLLOW, RECONSTRUCT = "follow", "reconstruct"
"""Keys of the requests."""

_SHAPES = "autourdf_ros.shape.visual.link_solids"
_IMPORTED = (
    "autourdf_ros.data.load",
    "autourdf_ros.export.given_limits",
    "autourdf_ros.workflows.reconstruct",
)
_PERIOD = 1.0  # s between two tries whether a recording has more frames


class _Requests:
    """The lines of standard input, read in the background."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put("")

    def waiting(self) -> bool:
        """Return whether there is one, or the end."""
        return not self._lines.empty()

    def next(self, timeout: float | None) -> dict[str, Any] | None:
        """Return the next one, empty at the end; None where none comes within seconds."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return None
        request: dict[str, Any] = json.loads(line) if line else {}
        return request


class _Followed:
    """A recording that is still being made, and what is done of it."""

    def __init__(self, arguments: list[str]) -> None:
        """Begin; the arguments are those of `autourdf`."""
        from autourdf_ros.cli.model.reconstruct import engine_options
        from autourdf_ros.estimation.motion.head_start import HeadStart

        args = build_parser().parse_args(arguments)
        self.begun: HeadStart = HeadStart(engine_options(args))
        self._path: Path = args.input
        self._size = 0

    def advance(self, requests: _Requests) -> None:
        """Do what the frames there are allow, until a request comes."""
        from autourdf_ros.data.load import load_recording

        size = sum(file.stat().st_size for file in self._path.glob("*"))
        if size == self._size:
            return
        try:
            for _ in self.begun.advance(load_recording(self._path)):
                if requests.waiting():
                    return
        except InputError:
            return  # nothing is there yet; what is wrong with it, the reconstruction will say
        self._size = size


def main() -> int:
    """Return the exit code of the command; 0 where none came."""
    python_handler = signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing to clean up yet
    for module in _IMPORTED:
        import_module(module)
    make_ready(_SHAPES)
    requests, followed = _Requests(), None
    while True:
        request = requests.next(None if followed is None else _PERIOD)
        if request is None:
            assert followed is not None
            followed.advance(requests)
        elif FOLLOW in request:
            followed = _Followed(request[FOLLOW])
        else:
            break
    if not request:
        return 0
    signal.signal(signal.SIGINT, python_handler)
    return autourdf(request[RECONSTRUCT], begun=None if followed is None else followed.begun)


if __name__ == "__main__":
    sys.exit(main())
