"""Check the header of an untrusted PLY mesh before a library reads it."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.errors import InputError

_MOST_HEADER = 2**16


def check_ply_header(path: Path) -> None:
    """Compare the declared elements with the length of the file.

    Raises:
        InputError: It is no PLY file, or declares more elements than it can hold.
    """
    with path.open("rb") as stream:
        begun = stream.read(_MOST_HEADER)
    head, found, _ = begun.partition(b"end_header")
    if not begun.startswith(b"ply") or not found:
        raise InputError(f"{path}: not a readable PLY file: it has no header of a PLY file")
    size = path.stat().st_size
    for line in head.decode("latin-1").splitlines():
        words = line.split()
        if words[:1] != ["element"]:
            continue
        if len(words) != 3 or not words[2].isascii() or not words[2].isdigit():
            raise InputError(f"{path}: not a readable PLY file: its header has {line[:80]!r}")
        if int(words[2]) > size:  # every element takes a byte at least
            raise InputError(
                f"{path}: declares {words[2]} of '{words[1]}' and has {size} bytes: it is cut off"
            )
