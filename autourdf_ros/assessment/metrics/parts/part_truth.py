"""The true tree and joints of a case of parts: `truth.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

_TYPES = ("revolute", "prismatic")


@dataclass(frozen=True)
class TruePartJoint:
    """A true joint between two parts, in the pose of the parts.

    Attributes:
        name: In the model that the case is made of; empty where unknown.
        type: Of the joint.
        axis: (3,) unit vector.
        point: (3,) on the axis (m).
        parent: Number of the part.
        child: Number of the part.
        lower: Least value, from this pose (rad or m); -inf without a limit.
        upper: Greatest, likewise.
    """

    name: str
    type: Literal["revolute", "prismatic"]
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    parent: int
    child: int
    lower: float = -math.inf
    upper: float = math.inf

    @property
    def edge(self) -> frozenset[int]:
        """The two parts, without a direction."""
        return frozenset((self.parent, self.child))


@dataclass(frozen=True)
class PartTruth:
    """What is true of a case.

    Attributes:
        root: Number of the root part; None where the case has none.
        parts: How many.
        size: Diagonal of the box around all parts (m).
        joints: Of the tree over the parts.
    """

    root: int | None
    parts: int
    size: float
    joints: tuple[TruePartJoint, ...]

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """(parent, child) of every joint."""
        return tuple((joint.parent, joint.child) for joint in self.joints)


def read_part_truth(path: Path) -> PartTruth:
    """Read a `truth.json`.

    Raises:
        InputError: It cannot be read, a value is missing or not accepted, or its joints are no
            tree over all parts.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON ({error})") from error
    try:
        parts = content["parts"]
        truth = PartTruth(
            None if content["root"] is None else int(content["root"]),
            len(parts) if isinstance(parts, list) else int(parts),
            float(content["size"]),
            tuple(_joint(one) for one in content["joints"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{path}: {type(error).__name__} {error}; accepted are root, parts, size and joints "
            "(type, axis, point, parent, child)"
        ) from error
    _check(truth, path)
    return truth


def _joint(content: Mapping[str, Any]) -> TruePartJoint:
    kind = "revolute" if content["type"] == "continuous" else content["type"]
    if kind not in _TYPES:
        raise ValueError(f"type {kind!r}")
    axis, point = _vector(content["axis"]), _vector(content["point"])
    length = float(np.linalg.norm(axis))
    if not length > 0:
        raise ValueError("axis of length 0")
    lower, upper = content.get("lower"), content.get("upper")
    return TruePartJoint(
        str(content.get("name") or ""),
        cast(Literal["revolute", "prismatic"], kind),
        axis / length,
        point,
        int(content["parent"]),
        int(content["child"]),
        -math.inf if lower is None else float(lower),
        math.inf if upper is None else float(upper),
    )


def _vector(values: Any) -> NDArray[np.float64]:
    vector = np.array(values, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"{values!r} are not three finite numbers")
    return vector


def _check(truth: PartTruth, path: Path) -> None:
    if not (truth.parts >= 2 and math.isfinite(truth.size) and truth.size > 0):
        raise InputError(
            f"{path}: parts is {truth.parts} and size {truth.size}; accepted are two parts or more "
            "and a positive size"
        )
    numbers = {number for edge in truth.edges for number in edge} | {truth.root or 0}
    if not numbers <= set(range(truth.parts)):
        raise InputError(
            f"{path}: part numbers {sorted(numbers - set(range(truth.parts)))}; accepted is 0 to "
            f"{truth.parts - 1}"
        )
    if len(truth.joints) != truth.parts - 1 or not is_spanning(truth.edges, truth.parts):
        raise InputError(
            f"{path}: its {len(truth.joints)} joints are no tree over its {truth.parts} parts"
        )


def is_spanning(edges: tuple[tuple[int, int], ...], parts: int) -> bool:
    """Return whether edges, taken without direction, reach all parts from part 0."""
    reached, front = {0}, {0}
    while front:
        front = {
            there
            for pair in edges
            for here, there in (pair, pair[::-1])
            if here in front and there not in reached
        }
        reached |= front
    return len(reached) == parts
