"""The findings of a check of a robot description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Finding:
    """One finding of a check.

    Attributes:
        check: Name of the check.
        outcome: Whether it passed, failed or was skipped.
        message: What was examined (passed); what is wrong, where, and what is accepted (failed);
            or why nothing was examined (skipped).
    """

    check: str
    outcome: Outcome
    message: str


def concluded(check: str, failures: Sequence[str], examined: str) -> tuple[Finding, ...]:
    """Return a finding for each failure, or one that the check passed.

    Args:
        check: Name of the check.
        failures: A message for each failure.
        examined: The message of a check that passed.
    """
    if failures:
        return tuple(Finding(check, "failed", failure) for failure in failures)
    return (Finding(check, "passed", examined),)


def skipped(check: str, reason: str) -> tuple[Finding, ...]:
    """Return the finding of a check that does not apply, with the reason."""
    return (Finding(check, "skipped", reason),)
