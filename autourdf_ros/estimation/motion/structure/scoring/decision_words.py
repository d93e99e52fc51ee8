"""Name the links in the words of decisions: numbers in braces, as they were when it was decided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autourdf_ros.estimation.common.structure.scored_search import Decision

_NUMBER = re.compile(r"\{(\d+)\}")


def named(
    decisions: Sequence[Decision], pieces: Sequence[tuple[int, ...]], links: Sequence[str]
) -> tuple[Decision, ...]:
    """Return decisions in which links are named as they are in the end.

    Args:
        decisions: in their order.
        pieces: of every link, the numbers that decisions know it by: its own first, then those of
            what was united in it.
        links: their names.
    """
    names = {
        number: name if number == own[0] else f"piece {number} of {name}"
        for own, name in zip(pieces, links, strict=False)
        for number in own
    }

    def words(text: str) -> str:
        return _NUMBER.sub(lambda found: names.get(int(found[1]), f"piece {found[1]}"), text)

    return tuple(
        replace(one, change=words(one.change), runner_up=words(one.runner_up)) for one in decisions
    )
