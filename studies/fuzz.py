"""Reads corrupted files in large numbers, and counts crashes, hangs and wrong errors.

`.venv/bin/python studies/fuzz.py PARSER... --cases N --seed S`, PARSER of those that `--help`
names, or `all`. Case n of a seed is always the same, so that `--first n --cases n+1` repeats one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "hostile"))

from fuzzing import fuzz
from samples import PARSERS


def main() -> int:
    """Fuzz the given parsers. Return 1 where there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parsers", nargs="+", choices=[*PARSERS, "all"], metavar="PARSER",
                        help=f"of {', '.join(PARSERS)}, or all")  # fmt: skip
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found = 0
    for name in PARSERS if "all" in given.parsers else given.parsers:
        with tempfile.TemporaryDirectory(prefix="fuzz_") as folder:
            outcome = fuzz(PARSERS[name](Path(folder)), given.cases, given.seed, given.first)
        found += len(outcome.faults)
        print(
            f"{name}: {outcome.cases} cases, {outcome.refused} refused, "
            f"{len(outcome.faults)} faults, slowest {outcome.slowest:.2f} s, "
            f"memory increased by {outcome.memory:.1f} MiB",
            flush=True,
        )
        for fault in outcome.faults[:20]:
            print(f"  {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
