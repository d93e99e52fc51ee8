"""What a check of the machine found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Status(Enum):
    """GOOD; NOTE: worth knowing, nothing required fails; BAD: something required fails."""

    GOOD = "ok"
    NOTE = "note"
    BAD = "FAIL"


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    subject: what was checked. detail: what was found. remedy: what to do about it.
    """

    status: Status
    subject: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.status.value:5} {self.subject}: {self.detail}"
        return f"{line}\n      -> {self.remedy}" if self.remedy else line


def good(subject: str, detail: str) -> Finding:
    """A check that passed."""
    return Finding(Status.GOOD, subject, detail)


def note(subject: str, detail: str, remedy: str = "") -> Finding:
    """A check that found something optional missing or worth knowing."""
    return Finding(Status.NOTE, subject, detail, remedy)


def bad(subject: str, detail: str, remedy: str) -> Finding:
    """A check of something required that failed."""
    return Finding(Status.BAD, subject, detail, remedy)
