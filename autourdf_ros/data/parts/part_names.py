"""Legal and unique names of parts, which become names of links."""

from __future__ import annotations

from collections.abc import Iterable

from autourdf_ros.model.names import legal_names

MOST_LETTERS = 100  # of a name: a longer one serves nobody, and file systems end at 255


def part_names(written: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return a legal, unique name for each written one, and notes about those that changed.

    The first of several equal names keeps it; the others get a number.
    """
    names: list[str] = []
    notes: list[str] = []
    for one in written:
        begun = one[:MOST_LETTERS]
        names.append(legal_names([begun], names)[begun])
        if names[-1] != one:
            notes.append(f"The part {one[:80]!r} is named {names[-1]}.")
    return names, notes
