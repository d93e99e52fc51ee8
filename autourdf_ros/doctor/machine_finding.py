"""The finding of a check of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Status(Enum):
    """GOOD: passed; NOTE: information, nothing required fails; BAD: something required fails."""

    GOOD = "ok"
    NOTE = "note"
    BAD = "FAIL"


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        status: of the check.
        subject: what was checked.
        detail: what was found.
        remedy: what to do; empty: nothing.
    """

    status: Status
    subject: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.status.value:5} {self.subject}: {self.detail}"
        return f"{line}\n      -> {self.remedy}" if self.remedy else line


def good(subject: str, detail: str) -> Finding:
    """Return the finding of a check that passed."""
    return Finding(Status.GOOD, subject, detail)


def note(subject: str, detail: str, remedy: str = "") -> Finding:
    """Return the finding of a check that found optional parts missing, or information."""
    return Finding(Status.NOTE, subject, detail, remedy)


def bad(subject: str, detail: str, remedy: str) -> Finding:
    """Return the finding of a check of something required that failed."""
    return Finding(Status.BAD, subject, detail, remedy)
