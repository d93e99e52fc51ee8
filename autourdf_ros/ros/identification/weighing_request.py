"""What a goal of Identify asks for, checked before anything moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from autourdf_msgs.action import Identify
from geometry_msgs.msg import Transform, Vector3
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.payload_estimation import METHODS
from autourdf_ros.export.payload.payload_files import check_payload_output
from autourdf_ros.files.atomic_folder import check_writable
from autourdf_ros.model.result_files import URDF, result_document
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.ros.common.conversions import transform_matrix
from autourdf_ros.shape.described_solids import link_solid
from autourdf_ros.workflows.payloads.held_shape import read_held_shape
from autourdf_ros.workflows.payloads.payload_result import HeldObject, object_of_mesh

RECORD = "record"
"""The method that only records."""


@dataclass(frozen=True, eq=False)
class WeighingRequest:
    """A checked goal.

    Attributes:
        method: Of the estimate, or `RECORD`.
        held: The object; None where only records are wanted.
        pose: (4, 4) of its frame in the sensor's frame; None: its frame is the link's in `attach`.
        out: Folder to write.
        records: File to write.
        attach: Result folder and link that get the payload; None: none.
        moves: Whether the robot is to move.
    """

    method: str
    held: HeldObject | None
    pose: NDArray[np.float64] | None
    out: Path
    records: Path
    attach: tuple[Path, str] | None
    moves: bool


def checked_request(goal: Identify.Goal, shape: Path | None, session: Path) -> WeighingRequest:
    """Return what a goal asks for.

    Args:
        goal: Of the action.
        shape: Of the held object, where the goal names none.
        session: Folder of this goal alone, not there yet.

    Raises:
        InputError: names the field, its value and what is accepted.
    """
    method = goal.method or METHODS[0]
    if method not in (*METHODS, RECORD):
        raise InputError(
            f"goal: method is {method!r}; accepted are {', '.join((*METHODS, RECORD))}"
        )
    moves, attach = not goal.dry_run, _attach(goal)
    for path in (session, *(() if attach is None else attach[:1])):
        check_writable(path)
    out = check_payload_output(Path(goal.folder) if goal.folder else session / "payload")
    file = Path(goal.shape).expanduser() if goal.shape else shape
    unneeded = method == RECORD or (not moves and file is None)
    held = None if unneeded else _held(file, attach)
    return WeighingRequest(
        method=method,
        held=held,
        pose=None if file is None and attach is not None else _pose(goal),
        out=out,
        records=session / "records.csv",
        attach=attach,
        moves=moves,
    )


def _held(file: Path | None, attach: tuple[Path, str] | None) -> HeldObject:
    """Return the object in a file, or else that whose shape the link has."""
    if file is not None:
        return read_held_shape(file)
    if attach is None:
        raise InputError(
            "goal: shape is empty, and so are parameter shape and link; accepted is the file of "
            f"the held object's cloud or mesh, a link that has its shape, or method {RECORD}"
        )
    folder, link = attach
    solid = link_solid(read_description(folder / URDF), link)
    if solid is None:
        raise InputError(
            f"goal: shape is empty, and link {link!r} of {folder} has none; accepted is the file "
            "of the held object's cloud or mesh"
        )
    return object_of_mesh(solid, link)


def _pose(goal: Identify.Goal) -> NDArray[np.float64]:
    position = goal.pose.position
    shift = Vector3(x=position.x, y=position.y, z=position.z)
    try:
        pose = transform_matrix(Transform(translation=shift, rotation=goal.pose.orientation))
    except InputError as error:
        raise InputError(f"goal: pose: {error}") from error
    if not np.isfinite(pose).all():
        raise InputError("goal: pose has numbers that are not finite")
    return pose


def _attach(goal: Identify.Goal) -> tuple[Path, str] | None:
    if not goal.result_folder and not goal.link:
        return None
    if not goal.result_folder or not goal.link:
        raise InputError("goal: result_folder and link: accepted are both or neither")
    folder = Path(goal.result_folder).expanduser()
    result_document(folder)
    links = [link.name for link in read_description(folder / URDF).links]
    if goal.link not in links:
        raise InputError(
            f"goal: link is {goal.link!r}; accepted are the links of {folder}: {', '.join(links)}"
        )
    return folder, goal.link
