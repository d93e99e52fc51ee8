"""Link distances from a model of the robot, for screening."""

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
    """Return the distances of the links of a result folder, or of a URDF file.

    Pairs of links that need no check are left out (`disabled_pairs`).

    Args:
        model: result folder or URDF file.
        joints: that are commanded; the model must have all of them, with shapes on them.
        base_frame: frame of keep_out and minimum_height: of a result the recording's frame, of a
            URDF a link that does not move.
        keep_out: boxes that no link may enter.
        minimum_height: z (m) below which no link may go; None: any.
        clearance: distance (m) that links keep from these two.

    Raises:
        InputError: names what does not fit.
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
    """Return the joints of the model that are not commanded and follow no other joint."""
    return [name for name in distances.robot.leaders if name not in joints]
