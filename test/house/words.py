"""The words that the glossary replaces, and where they still occur.

`python test/house/words.py` prints how often each occurs in each folder; with the name of a file or
folder it prints every occurrence below that.
"""

from __future__ import annotations

import ast
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from source_tree import ROOT, files

COUNTS = "a|an|the|each|every|one|of|few|more|these|those|all|two|three|ten|[0-9]+"

# What to search in lower case, where first_look, FirstLook and first-look are "first look"; line
# breaks are spaces. Beside it: what to write.
PHRASES = {
    r"(first|further|next|last|later|second) looks?": "iteration; initial estimate; observation",
    rf"({COUNTS}) looks?(?! at| up)": "iteration; observation; frame or view; style",
    r"twins?": "coupled joints",
    r"believ(e|es|ed|ing)": "inlier",
    r"carry|carries|carried|carrying": "track (in joint space); move, hold, bear",
    r"polish(es|ed|ing)?": "refine, refined, refinement",
    r"misfits?": "residual (metres) or cost (chi-square)",
    r"moved surfaces?": "warped surface",
    r"(driven|idle) motors?": "matched, unmatched motor",
    r"growth|grown|(tree|model|link|chain|body|bodies|motor)s? (that )?(grow|grows|growing|grew)"
    r"|(grow|grows|growing|grew) (a|the|its|their)? ?(tree|model|link|chain)s?": (
        "(greedy) tree expansion, expanded; scaling of time and memory"
    ),
    r"hypothes[ei]s": "candidate (model)",
    r"(hidden|lost|middle|driven) links?": (
        "candidate links by source: residual, lost track, intermediate, motor"
    ),
    r"told|tell|tells|telling": "reported; reports, indicates, shows, determines; informative",
    r"(un)?spoilt|spoil|spoils|spoiled|spoiling": "corrupted",
    r"strangers?": "external observer; untrusted source (of files)",
    r"things? beside the robot": "foreign object",
    r"usual": "baseline (statistics); default, typical",
    r"soap films?|films?": "hole filling (harmonic patch)",
    r"meaned": "averaged",
    r"before the last changes?|of a few changes before|days older|some days": (
        "what holds now; the changelog has the history"
    ),
}

# Identifiers of Python code, whole: those that are words of prose, too.
IDENTIFIERS = {
    r"looks?|look_(?!at$|up$|at_|up_)\w+|\w+_looks?": "iteration; observation; frame; style",
    r"_*(grow|grows|growing|grew)|_*grow_\w+|\w+_grow": "expand",
    r"evidence|Evidence": "problem, or data (log_evidence is Bayesian)",
}

SEARCHED = (
    *("autourdf_ros", "bare_ros", "config", "docs", "launch", "rviz", "studies", "test", "tools"),
    *("README.md", "SAFETY.md", "SECURITY.md", "Makefile", "package.xml", "pyproject.toml"),
    *("requirements/licences.toml", "setup.py"),
)
NOT_SEARCHED = {
    "docs/glossary.md": "it explains the words",
    "test/house/words.py": "this table",
    "test/house/test_words.py": "its tests",
    "test/house/removed_tests.txt": "names of earlier tests",
    "test/house/tests_of_first_layout.txt": "names of earlier tests",
    "test/renamed_tests.txt": "names of earlier tests",
}
NOT_TEXT = {".png", ".urdf", ".json"}

# Keys of files and messages that others read: only in quotes or backquotes.
FROZEN = {
    "evidence": "reconstruction.json, repairs: what the change rests on",
    "looks": "reconstruction.json, drift: how many observations a bin holds",
    "looks_fitted": "reconstruction.json, repairs",
    "looks_held_out": "reconstruction.json, repairs",
    "misfit": "reconstruction.json, joints",
    "told": "reconstruction.json, drift and repairs: the monitor's sentence",
    "usual": "reconstruction.json, held_out_check: the baseline of the distances",
}

# Parts of a line that are left out of the search, each with why.
EXEMPT = {
    rf"""["'`](?:{"|".join(FROZEN)})["'`]""": "keys of files that others read",
    r"(import|from) hypothesis\b.*|\bhypothesis\.\w+|\.hypothesis/|python3-hypothesis"
    r"|hypothesis, pathspec": "the test library",
    r"\blook_at\b": "computer graphics",
    r"\.tell\(\)": "the position in a file",
    r"\bstrategy\.tell\(": "the name in the library cma",
}


@dataclass(frozen=True, order=True)
class Use:
    """One of the words where it occurs.

    Attributes:
        path: The file, relative to the repository.
        line: Counted from 1; 0 for the file's name.
        pattern: Which one of the table.
        found: What stands there.
    """

    path: str
    line: int
    pattern: str
    found: str

    def __str__(self) -> str:
        advice = PHRASES.get(self.pattern) or IDENTIFIERS[self.pattern]
        return f"{self.path}:{self.line}: {self.found!r} -> {advice}"


@cache
def uses() -> tuple[Use, ...]:
    """Return all occurrences in the repository."""
    found: list[Use] = []
    for path in files(*SEARCHED):
        content = (ROOT / path).read_bytes()
        if is_searched(path) and b"\0" not in content:
            found += in_file(path.as_posix(), content.decode())
    return tuple(sorted(set(found)))


def is_searched(path: Path) -> bool:
    """Return whether a file of the places that are searched is one of text and of ours."""
    return path.as_posix() not in NOT_SEARCHED and path.suffix not in NOT_TEXT


def in_file(path: str, text: str) -> Iterator[Use]:
    """Find the words in a file's name and in its text."""
    for phrase, found in _phrases_in(words_of(path)):
        yield Use(path, 0, phrase, found)
    joined, starts = _joined(text)
    for phrase, match in _matches(joined):
        yield Use(path, bisect_right(starts, match.start()), phrase, match.group())
    if path.endswith(".py") and re.search("look|gr[eo]w|evidence", joined):
        for line, name in identifiers(text):
            for pattern in IDENTIFIERS:
                if re.fullmatch(pattern, name):
                    yield Use(path, line, pattern, name)


def words_of(text: str) -> str:
    """Return a text in lower case, with the parts of identifiers as words; line breaks stay."""
    text = re.sub("|".join(f"(?:{pattern})" for pattern in EXEMPT), " ", text)
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return re.sub(r"[ \t_-]+", " ", text).lower()


def _joined(text: str) -> tuple[str, list[int]]:
    """A text's words as one line, and where in it each of the lines begins."""
    parts = [line.strip(" #") + " " for line in words_of(text).split("\n")]
    return "".join(parts), [0, *accumulate(map(len, parts))][:-1]


def _matches(words: str) -> Iterator[tuple[str, re.Match[str]]]:
    for phrase in PHRASES:
        for match in re.finditer(rf"\b({phrase})\b", words):
            yield phrase, match


def _phrases_in(words: str) -> Iterator[tuple[str, str]]:
    for phrase, match in _matches(words):
        yield phrase, match.group()


def identifiers(code: str) -> Iterator[tuple[int, str]]:
    """Yield the line and name of every identifier, those within f-strings and imports too."""
    for node in ast.walk(ast.parse(code)):
        line = getattr(node, "lineno", 0)
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield from ((line, part) for part in name.split("."))


def main(places: list[str]) -> int:
    """Print the counts, or the occurrences below the given places; 1 where there are any."""
    if places:
        shown = [use for use in uses() if any(use.path.startswith(place) for place in places)]
        print(*shown, sep="\n")
        return 1 if shown else 0
    by_folder = Counter(folder_of(use.path) for use in uses())
    by_word = Counter((folder_of(use.path), use.pattern) for use in uses())
    for folder, count in sorted(by_folder.items()):
        print(f"{count:6d}  {folder}")
        for (at, pattern), number in by_word.most_common():
            if at == folder:
                print(f"{number:14d}  {pattern[:60]}")
    print(f"{sum(by_folder.values()):6d}  in all")
    return 1 if by_folder else 0


def folder_of(path: str) -> str:
    """Return the two upper folders of a file; the file itself where it lies higher."""
    return "/".join(Path(path).parts[:2])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
