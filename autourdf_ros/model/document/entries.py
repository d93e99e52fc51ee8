"""Values of a JSON file of unknown origin, by key; errors name the file and the key."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class Entries:
    """A JSON object.

    Attributes:
        content: Its value, which may be anything.
        where: File and keys that lead to it, for errors.

    Raises:
        InputError: the value is no object.
    """

    content: Mapping[str, Any]
    where: str

    def __post_init__(self) -> None:
        if not isinstance(self.content, Mapping):
            raise InputError(f"{self.where}: is {_short(self.content)}; accepted is an object")

    def __contains__(self, key: str) -> bool:
        return self.content.get(key) is not None

    def child(self, key: str) -> Entries:
        """Return the object under a key."""
        return Entries(self._value(key, "an object"), f"{self.where}.{key}")

    def each(self, key: str) -> list[Entries]:
        """Return the objects of the list under a key."""
        found = self._value(key, "a list of objects")
        if not isinstance(found, list):
            raise self._refused(key, "a list of objects")
        return [Entries(one, f"{self.where}.{key}[{i}]") for i, one in enumerate(found)]

    def by_name(self, key: str) -> dict[str, Entries]:
        """Return the objects in the object under a key, by their names."""
        inner = self.child(key)
        return {name: inner.child(name) for name in inner.content}

    def text(self, key: str, accepted: tuple[str, ...] = ()) -> str:
        """Return the text under a key, one of `accepted` where that is given."""
        found = self._value(key, "a text")
        if not isinstance(found, str) or (accepted and found not in accepted):
            raise self._refused(key, " or ".join(map(repr, accepted)) or "a text")
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts under a key."""
        found = self._value(key, "a list of texts")
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self._refused(key, "a list of texts")
        return tuple(found)

    def number(self, key: str, missing: float | None = None) -> float:
        """Return the finite number under a key; `missing` where that is given and there is none."""
        found = self.content.get(key)
        if found is None and missing is not None:
            return missing
        if not _is_number(found):
            raise self._refused(key, "a finite number")
        return float(self.content[key])

    def maybe_number(self, key: str) -> float | None:
        """Return the finite number under a key, None for null or without the key."""
        return self.number(key) if key in self else None

    def array(self, key: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the numbers under a key as an array of this shape, NaN for each null."""
        accepted = f"numbers of shape {shape}"
        try:
            found = np.array(self._value(key, accepted), float)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._refused(key, accepted) from error
        if found.shape != shape:
            raise self._refused(key, accepted)
        return found

    def flag(self, key: str) -> bool:
        """Return the truth value under a key."""
        found = self._value(key, "true or false")
        if not isinstance(found, bool):
            raise self._refused(key, "true or false")
        return found

    def _value(self, key: str, accepted: str) -> Any:
        if key not in self.content:
            raise InputError(f"{self.where}.{key}: is missing; accepted is {accepted}")
        return self.content[key]

    def _refused(self, key: str, accepted: str) -> InputError:
        found = _short(self.content.get(key))
        return InputError(f"{self.where}.{key}: is {found}; accepted is {accepted}")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
