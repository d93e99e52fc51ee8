"""The distances that a model of the robot lets a capture watch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autourdf_ros.assessment.checks.disabled_pairs import disabled_pairs
from autourdf_ros.assessment.checks.subject import open_subject, read_document
from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.link_distances import LinkDistances
from autourdf_ros.errors import InputError


def model_distances(
    model: Path,
    joints: Sequence[str],
    base_frame: str,
    keep_out: Sequence[KeepOut],
    minimum_height: float | None,
    clearance: float,
) -> LinkDistances:
    """Distances of the links of a result folder, or of a URDF file.

    joints: that are commanded, all of which the model must have, and shapes on them. base_frame: of
    keep_out and minimum_height: of a result the recording's frame, of a URDF a link that does not
    move. Pairs of links that need no check are left out (`disabled_pairs`).
    Raises InputError naming what does not fit.
    """
    subject = open_subject(model)
    document = read_document(model) if model.is_dir() else None
    if document is not None and document.get("fixed_frame") != base_frame:
        raise InputError(
            f"{model}: is of the frame {document.get('fixed_frame')!r}; accepted is a model of "
            f"base_frame, {base_frame!r}"
        )
    given = bool(keep_out) or minimum_height is not None
    distances = LinkDistances(
        subject.robot.path,
        disabled_pairs(subject),
        keep_out,
        minimum_height,
        clearance,
        base_frame if given and document is None else "",
    )
    missing = sorted(set(joints) - set(distances.robot.joints))
    if missing:
        raise InputError(
            f"{model}: has no moving joint {', '.join(missing)}, whose motion it could not screen; "
            f"it has {', '.join(distances.robot.joints)}"
        )
    bare = [name for name in distances.bare if name in joints]
    if given and bare:
        raise InputError(
            f"{model}: nothing that {', '.join(bare)} moves has a collision shape, so that "
            "keep_out and minimum_height cannot be checked"
        )
    return distances


def unmoved_joints(distances: LinkDistances, joints: Sequence[str]) -> list[str]:
    """Joints of the model that are not commanded and follow no other, but stand somewhere."""
    return [name for name in distances.robot.leaders if name not in joints]
