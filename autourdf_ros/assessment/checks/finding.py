"""What a check of a robot description found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    check: its name. message: what was looked at (passed), what is wrong where and what is accepted
    (failed), or why nothing was looked at (skipped).
    """

    check: str
    outcome: Outcome
    message: str


def concluded(check: str, failures: Sequence[str], looked_at: str) -> tuple[Finding, ...]:
    """A finding for each failure, or one that the check passed."""
    if failures:
        return tuple(Finding(check, "failed", failure) for failure in failures)
    return (Finding(check, "passed", looked_at),)


def skipped(check: str, reason: str) -> tuple[Finding, ...]:
    """A check that could not look."""
    return (Finding(check, "skipped", reason),)
