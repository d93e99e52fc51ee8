"""Name the parts that overlap in the given pose."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.result.result_options import ResultOptions


def overlap_notes(parts: Sequence[PreparedPart], options: ResultOptions) -> tuple[str, ...]:
    """Return a note that names the pairs of parts that overlap, if there are any.

    It is no reason for doubt: the shells of real links overlap, too.
    """
    pairs = [
        f"{first.part.name} and {second.part.name}"
        for number, first in enumerate(parts)
        for second in parts[number + 1 :]
        if max(_share(first, second, options), _share(second, first, options)) >= options.overlap
    ]
    if not pairs:
        return ()
    return (f"parts overlap in the given pose, which stops no joint: {', '.join(pairs)}",)


def _share(inner: PreparedPart, outer: PreparedPart, options: ResultOptions) -> float:
    """Share of a part's samples that are deep inside another part."""
    points = inner.samples.points[: options.overlapping]
    lower, upper = outer.part.bounds
    boxed = points[((points > lower) & (points < upper)).all(axis=1)]
    if len(boxed) < options.overlap * len(points):
        return 0.0
    deep = boxed[outer.field(boxed) > options.deep * min(inner.diagonal, outer.diagonal)]
    return float(outer.field.inside(deep).sum() / len(points)) if len(deep) else 0.0
