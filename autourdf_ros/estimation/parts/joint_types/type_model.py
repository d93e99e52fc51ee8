"""The protocol of type models, which say from views of two parts how these are joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, get_args, runtime_checkable

from autourdf_ros.data.encoded_image import EncodedImage
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate, PairJointType
from autourdf_ros.progress import Progress

TYPES: tuple[PairJointType, ...] = get_args(PairJointType)
"""What a type model may answer."""


@dataclass(frozen=True)
class View:
    """An orthographic view.

    Attributes:
        name: Of the direction, such as `front`.
        image: As PNG.
    """

    name: str
    image: EncodedImage


@dataclass(frozen=True)
class TypeQuestion:
    """How are two parts joined?

    Attributes:
        text: The question in words, with what the colours mean.
        parent: Name of the part that stands still.
        child: Name of the part that moves.
        assembly_views: Of all parts.
        joint_views: Of the two parts, with the axes of the alternatives.
        alternatives: Joints that the geometry allows, the best first; the views number them
            from 1.
    """

    text: str
    parent: str
    child: str
    assembly_views: tuple[View, ...]
    joint_views: tuple[View, ...]
    alternatives: tuple[JointCandidate, ...]


@dataclass(frozen=True)
class TypeAnswer:
    """What a type model says of one joint.

    Attributes:
        type: Of the joint.
        confidence: In [0, 1], by the model itself.
        alternative: Number, from 1, of the alternative with the right axis; None without one.
    """

    type: PairJointType
    confidence: float = 1.0
    alternative: int | None = None


@runtime_checkable
class TypeModel(Protocol):
    """Says from views of two parts how these are joined."""

    def joint_type(self, question: TypeQuestion, progress: Progress) -> TypeAnswer | None:
        """Return the type of a joint; None to abstain.

        Args:
            question: About one joint.
            progress: Is called with stage and fraction, and may raise to cancel.
        """
