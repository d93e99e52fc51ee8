"""What else a joint between given parts may be, as reconstruction.json states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.document.entries import Entries
from autourdf_ros.model.result_files import ASSEMBLY, DOCUMENT
from autourdf_ros.model.tree_joint import JOINT_TYPES, JointType, TreeJoint

_ACCEPTED = tuple(kind for kind in JOINT_TYPES if kind != "continuous")


@dataclass(frozen=True)
class Alternative:
    """A joint that may connect two links, in the base frame with every joint at zero.

    Attributes:
        type: Revolute, prismatic or fixed.
        axis: (3,) unit vector.
        point: (3,) on the axis (m).
        lower: Least value without collision (rad or m), -inf where none is known.
        upper: Greatest, likewise.
        probability: That it is the joint, given that there is one; None where unknown.
    """

    type: JointType
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    lower: float = -np.inf
    upper: float = np.inf
    probability: float | None = None


@dataclass(frozen=True)
class RankedJoint:
    """A joint of the tree with its alternatives.

    Attributes:
        joint: Its name.
        alternatives: The best first; the first is the joint of the model.
        ambiguous: Whether the parts do not decide between the first and another.
        reason: A sentence that says why; empty otherwise.
    """

    joint: str
    alternatives: tuple[Alternative, ...]
    ambiguous: bool = False
    reason: str = ""


def ranked_joints(document: Mapping[str, Any], where: str = DOCUMENT) -> tuple[RankedJoint, ...]:
    """Return the joints of a result from parts with their alternatives; none for other results.

    Args:
        document: Content of reconstruction.json.
        where: The file, for errors.

    Raises:
        InputError: a key is missing or has a value that is not accepted; names it.
    """
    if document.get(ASSEMBLY) is None:
        return ()
    known = [joint.text("name") for joint in Entries(document, where).each("joints")]
    found = []
    for entry in Entries(document, where).child(ASSEMBLY).each("joints"):
        name = entry.text("joint", tuple(known))
        alternatives = tuple(_alternative(one) for one in entry.each("alternatives"))
        if not alternatives:
            raise InputError(f"{entry.where}.alternatives: is empty; accepted is at least one")
        reason = entry.text("reason")
        found.append(RankedJoint(name, alternatives, entry.flag("ambiguous"), reason))
    return tuple(found)


def _alternative(entry: Entries) -> Alternative:
    kind = next(one for one in JOINT_TYPES if one == entry.text("type", _ACCEPTED))
    made = Alternative(
        kind,
        entry.array("axis", (3,)),
        entry.array("point", (3,)),
        entry.number("lower", -np.inf),
        entry.number("upper", np.inf),
        entry.maybe_number("probability"),
    )
    numbers = np.concatenate([made.axis, made.point])
    if not np.isfinite(numbers).all():
        raise InputError(f"{entry.where}: axis or point is not finite; accepted are numbers")
    try:
        in_frame(made, np.eye(4))
    except InputError as error:
        raise InputError(f"{entry.where}: {error}") from error
    return made


def in_frame(alternative: Alternative, frame: NDArray[np.floating]) -> TreeJoint:
    """Return an alternative as a joint in another frame, without names.

    Args:
        alternative: In the base frame.
        frame: (4, 4) pose of the other frame in the base frame, with every joint at zero.
    """
    rotation, place = frame[:3, :3], frame[:3, 3]
    return TreeJoint(
        "alternative",
        alternative.type,
        "",
        "",
        alternative.axis @ rotation,
        (alternative.point - place) @ rotation,
        alternative.lower,
        alternative.upper,
    )
