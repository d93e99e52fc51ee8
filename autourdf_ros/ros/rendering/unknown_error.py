"""What a prediction lacks."""

from __future__ import annotations

from autourdf_ros.errors import AutourdfError


class UnknownError(AutourdfError):
    """Something that a prediction needs is not known.

    Attributes:
        for_now: Whether it may become known for the same image.
    """

    def __init__(self, reason: str, for_now: bool) -> None:
        super().__init__(reason)
        self.for_now = for_now
