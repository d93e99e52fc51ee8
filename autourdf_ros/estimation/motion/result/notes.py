"""What is worth knowing of a reconstruction and no fault of it, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.reconstruction import BaseMotion, CommonError, Loop
from autourdf_ros.estimation.motion.segmentation.root_body import RootMotion
from autourdf_ros.model.self_model import Joint


def notes_on(
    base: BaseMotion,
    moves: RootMotion,
    root: str,
    loops: Iterable[Loop],
    still: Iterable[str],
    round_links: Iterable[str],
    unseen_links: Iterable[str],
) -> tuple[str, ...]:
    """Return all notes.

    Args:
        moves: What the root was seen to do.
        root: Its name.
        still: Motors that never moved.
        round_links: Names of the links that might turn or slide unseen.
        unseen_links: Names of those that have no points.
    """
    note = _base_note(base, moves, root)
    return (
        *([] if note is None else [note]),
        *map(_loop_note, loops),
        *(
            f"motor {name!r} never moved: what it would move against each other is one link here"
            for name in still
        ),
        *(
            f"link {name!r} is round, or the same all along: whether it turns about its own axis, "
            "or slides along itself, could not be seen"
            for name in round_links
        ),
        *(
            f"no point of link {name!r} is separate from those of its neighbours: its existence is "
            "known from how these move on one another, which takes more than one joint"
            for name in unseen_links
        ),
    )


def mimic_notes(joints: Iterable[Joint]) -> tuple[str, ...]:
    """Return which joints follow others, and how that is known."""
    return tuple(
        f"joint {joint.name!r} mimics {joint.mimic.joint!r}, {joint.mimic.multiplier:.4g} times"
        + (f" plus {joint.mimic.offset:.3g}" if joint.mimic.offset else "")
        + (
            ": in every frame it stood where this puts it"
            if joint.estimate is None or joint.estimate.motor is None
            else f": motor {joint.estimate.motor.name!r} moves both"
        )
        for joint in joints
        if joint.mimic is not None
    )


def common_error_notes(error: CommonError | None) -> tuple[str, ...]:
    """Return what the joints' own deviations do not contain."""
    if error is None:
        return ()
    turn, shift = np.degrees(error.turn_std), 1e3 * error.shift_std
    return (
        f"the whole robot may be off by {turn:.2f}° and {shift:.1f} mm an axis (one standard "
        "deviation), as far as the cameras disagree; the joints' own deviations do not contain it",
    )


def left_out_notes(names: Sequence[str], used: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return which of the frames of these names do not fit the model and are not used."""
    left_out = [name for name, known in zip(names, used, strict=True) if not known]
    if not left_out:
        return ()
    more = f" and {len(left_out) - 10} more" if len(left_out) > 10 else ""
    return (
        f"frames {', '.join(left_out[:10])}{more} do not fit the model and were left out: they may "
        "be of another moment or robot, corrupted or mirrored, or something stood in the way",
    )


def _base_note(base: BaseMotion, moves: RootMotion, root: str) -> str | None:
    """How the base moved, and why this link is the root where that was a choice; None if fixed."""
    if base.kind == "fixed":
        return None
    size = f"{1e3 * base.shift:.3g} mm"
    if moves == "turns":
        size = f"{np.degrees(base.turn):.2g} degrees and {size}"
    chosen = (
        f"{root!r} was taken for the root because it turned least of all links"
        if moves == "turns"
        else f"{root!r} is the root because it never turned"
    )
    if base.kind == "floating":
        return f"the base floats, by {size} (rms), on and on from frame to frame; {chosen}"
    return f"whole frames are off by {size} (rms), each by itself, which is taken out; {chosen}"


def _loop_note(loop: Loop) -> str:
    """That two links close a chain, and what the tree leaves out."""
    one, other = loop.links
    joints = ", ".join(repr(name) for name in loop.joints)
    return (
        f"links {one!r} and {other!r} are joined as well, by a {loop.type} joint: a closed chain; "
        f"URDF holds trees only, so that joint is left out; it ties {joints} together, any of "
        "which might be left out in its place"
    )
