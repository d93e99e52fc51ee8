"""Which changes are reported by name, and where something changed of which no one cause is sure."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import (
    change_of,
    foreign_object_change,
    undecided,
    undecided_beside,
)
from autourdf_ros.monitoring.diagnosis.unexplained_points import ForeignObject

_MOVE_THE_SCENE = ("camera_pose", "base_pose")


def named_changes(
    causes: Causes,
    found: Explanation | None,
    foreign: ForeignObject | None,
    alarm: float,
    reported: Sequence[Change] = (),
    sign: Change | None = None,
) -> tuple[tuple[Change, ...], str]:
    """Name what is explained by one cause, or by two together.

    Of two causes one is not named that others explain about as well: where two things changed, a
    wrong cause fits more easily. What is reported already stays where something else changes, too.
    A sign that may be turned is named where no other cause explains the change.

    Args:
        causes: All causes.
        found: The best explanation, if there is one.
        foreign: What stands near the robot or is attached to it, if anything is.
        alarm: Log odds, at least, of what a further cause would explain.
        reported: The changes so far.
        sign: That a motor may read backwards.

    Returns:
        The changes, the most probable first; and where something changed whose cause is not
            decided, as a sentence, or an empty text.
    """
    changes, doubt, scene_moved = [], "", False
    if found is not None:
        stays = found.cause.named in [(one.kind, one.subject) for one in reported]
        sure = [one for one in found.together if found.beside is None or not one.alternatives]
        if sure and (stays or found.is_whole(alarm)):
            changes += [change_of(one, causes.model) for one in sure]
            doubt = "; ".join(
                undecided_beside(causes, one) for one in found.together if one not in sure
            )
            scene_moved = any(one.cause.kind in _MOVE_THE_SCENE for one in found.together)
        elif sign is None:
            doubt, scene_moved = undecided(causes, found), True  # whatever else changed may be it
    if sign is not None and not changes:
        return (sign,), ""  # what is not where it reads shows as an object there
    # Of a scene that moved, its own points show as an object that stands there.
    if foreign is not None and not (scene_moved and foreign.body == 0):
        changes.append(foreign_object_change(foreign, causes.model))
    return tuple(sorted(changes, key=lambda change: -change.gain)), doubt
