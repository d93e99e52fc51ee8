"""Compares the figures of `autourdf benchmark --save NEW.json` with the stored references.

The references are `test/references/benchmark_*.json`: trees, verdicts and figures without times and
memory. Every difference above 1e-9 is printed, and the exit code is then 1:

    .venv/bin/autourdf benchmark --suite quick --save /tmp/new.json
    .venv/bin/python studies/compare_with_references.py /tmp/new.json

`--write FILE` stores the figures of NEW.json as a reference in place of the comparison.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

REFERENCES = Path(__file__).parents[1] / "test" / "references"
TOLERANCE = 1e-9
TIMES = frozenset({"engine", "engine_cpu", "whole", "stages", "memory"})
"""Keys of a row that depend on the machine and its load."""

Row = Mapping[str, Any]


def without_times(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows without what depends on the machine."""
    return [{key: value for key, value in row.items() if key not in TIMES} for row in rows]


def title(row: Row) -> tuple[str, str, int]:
    """Return what identifies a row: robot, method, number of sequences."""
    return str(row["name"]), str(row["method"]), int(row["sequences"])


def differences(new: Any, reference: Any, where: str = "") -> Iterator[str]:
    """Yield a line for every value that differs by more than `TOLERANCE`.

    Args:
        new: JSON value.
        reference: JSON value.
        where: begins every line.
    """
    if isinstance(new, dict) and isinstance(reference, dict):
        for key in [*reference, *(key for key in new if key not in reference)]:
            if key not in new or key not in reference:
                yield f"{where}.{key}: only in the {'reference' if key in reference else 'new'} one"
            else:
                yield from differences(new[key], reference[key], f"{where}.{key}")
    elif isinstance(new, list) and isinstance(reference, list) and len(new) == len(reference):
        for number, pair in enumerate(zip(new, reference, strict=True)):
            yield from differences(*pair, f"{where}[{number}]")
    elif not _same(new, reference):
        yield f"{where}: {new!r}, the reference has {reference!r}"


def compare(new: Mapping[str, Any], reference: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Compare the rows that both benchmarks have.

    Returns:
        The number of rows compared, and a line for every difference.
    """
    expected = {title(row): row for row in without_times(reference["rows"])}
    own = {title(row): row for row in without_times(new["rows"])}
    lines: list[str] = []
    for key in own.keys() & expected.keys():
        lines += differences(own[key], expected[key], f"{key[0]} ({key[1]}, {key[2]} sequences)")
    return len(own.keys() & expected.keys()), sorted(lines)


def closest_reference(new: Mapping[str, Any]) -> Path:
    """Return the stored reference that has most rows of `new`, of the same suite if several do."""
    titles = {title(row) for row in new["rows"]}

    def shared(path: Path) -> tuple[int, bool]:
        content = json.loads(path.read_text())
        return len(titles & {title(row) for row in content["rows"]}), content["suite"] == new[
            "suite"
        ]

    return max(sorted(REFERENCES.glob("benchmark_*.json")), key=shared)


def text_of(content: Mapping[str, Any]) -> str:
    """Return a benchmark without times as JSON, one row a line."""
    rows = ",\n".join(json.dumps(row) for row in without_times(content["rows"]))
    head = json.dumps({key: value for key, value in content.items() if key != "rows"})
    return f'{head[:-1]}, "rows": [\n{rows}\n]}}\n'


def _same(new: Any, reference: Any) -> bool:
    numbers = (int, float)
    if isinstance(new, bool) or not (isinstance(new, numbers) and isinstance(reference, numbers)):
        return bool(new == reference)
    both_nan = math.isnan(new) and math.isnan(reference)
    return both_nan or math.isclose(new, reference, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison. Return 0 equal, 1 different, 2 nothing to compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("new", type=Path, metavar="NEW.json")
    parser.add_argument("--reference", type=Path, help="default: the stored one that fits best")
    parser.add_argument("--write", type=Path, metavar="FILE", help="store NEW.json as a reference")
    args = parser.parse_args(argv)
    new = json.loads(args.new.read_text())
    if args.write:
        args.write.write_text(text_of(new))
        return 0
    path = args.reference or closest_reference(new)
    compared, lines = compare(new, json.loads(path.read_text()))
    print("\n".join([*lines, f"{compared} rows compared with {path.name}: {len(lines)} differ"]))
    if not compared:
        return 2
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
