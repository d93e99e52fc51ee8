"""The findings of the checks as text for a terminal."""

from __future__ import annotations

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.assessment.checks.gate import failed

_MARKS = {"passed": "✓", "failed": "✗", "skipped": "–"}  # noqa: RUF001
_SHOWN = 5  # failures of one check; the others are counted


def table(findings: tuple[Finding, ...]) -> str:
    """Return a line for each of the first few findings of every check, and the verdict."""
    width = max(len(finding.check) for finding in findings)
    lines, shown = [], dict.fromkeys((finding.check for finding in findings), 0)
    for finding in findings:
        shown[finding.check] += 1
        first = shown[finding.check] == 1
        if shown[finding.check] <= _SHOWN:
            mark, name = (_MARKS[finding.outcome], finding.check) if first else ("", "")
            lines.append(f"{mark:1} {name:{width}}  {finding.message}")
        elif shown[finding.check] == _SHOWN + 1:
            more = sum(other.check == finding.check for other in findings) - _SHOWN
            lines.append(f"  {'':{width}}  and {more} more (--json shows all)")
    return "\n".join([*lines, "", verdict(findings)])


def verdict(findings: tuple[Finding, ...]) -> str:
    """Return how many checks passed, failed and were skipped, in one sentence."""
    bad = {finding.check for finding in failed(findings)}
    skips = sum(finding.outcome == "skipped" for finding in findings)
    total = len({finding.check for finding in findings})
    counts = f"{total - len(bad) - skips} of {total} checks passed, {skips} skipped"
    return f"{counts}; failed: {', '.join(sorted(bad))}" if bad else counts
