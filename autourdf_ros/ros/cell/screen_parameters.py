"""The parameters of the screening of motions. All functions raise InputError."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.obstacle_entries import (
    CLEARANCE,
    FORBIDDEN,
    HEIGHT,
    KEEP_OUT,
    MOST_CLEARANCE,
    configurations,
    keep_out_box,
    refuse_joint,
)
from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.common.parameters import Parameters

if TYPE_CHECKING:
    from autourdf_ros.commanding.screening.link_distances import LinkDistances

BLIND_STEP = 0.3
"""Largest step of a joint (rad) where no model shows what the links would meet."""


@dataclass(frozen=True)
class Screened:
    """What the screening uses.

    Attributes:
        forbidden: boxes in joint space.
        distances: of the links of a model, or None.
        unmoved: joints of the model that are not commanded, but whose readings are needed.
        frame: of the root of the model; without a model the base frame.
    """

    forbidden: tuple[Forbidden, ...]
    distances: LinkDistances | None
    unmoved: tuple[str, ...]
    frame: str

    def blind(self, joints: Collection[str]) -> bool:
        """Return whether the links that one of the joints moves are unknown."""
        return self.distances is None or bool(set(self.distances.bare) & set(joints))


def declare_obstacles(parameters: Parameters, limits: Limits, where: str) -> Obstacles:
    """Declare the regions that no link and no motion may enter; `where` names the node."""
    keep_out = _declare_keep_out(parameters, limits, where)
    height = parameters.optional(
        HEIGHT, "z in base_frame below which no link may go (m); not given: none"
    )
    clearance = parameters.number(
        CLEARANCE,
        Obstacles.clearance,
        "distance that links keep from keep_out and minimum_height (m)",
        0,
        MOST_CLEARANCE,
    )
    forbidden = _declare_forbidden(parameters, limits, [box.name for box in keep_out], where)
    return Obstacles(forbidden, tuple(keep_out), height, clearance)


def declare_screened(
    parameters: Parameters, limits: Limits, base_frame: str, urdf: str, where: str
) -> Screened:
    """Declare what is screened.

    Args:
        parameters: of the node.
        limits: of the joints that move.
        base_frame: frame of keep_out and minimum_height.
        urdf: the model where parameter `model` is empty.
        where: name of the node in errors.
    """
    model = parameters.text(
        "model", "", "result folder or URDF whose link shapes are screened; empty: the URDF of urdf"
    )
    given_here = declare_obstacles(parameters, limits, where)
    forbidden, height = given_here.forbidden, given_here.minimum_height
    model = model or urdf
    if not model:
        for name, given in (
            (KEEP_OUT, bool(given_here.keep_out)),
            (HEIGHT, height is not None),
        ):
            if given:
                raise InputError(
                    f"{where}: parameter {name} needs the shapes of the links; accepted is a model "
                    "(a result folder or a URDF) beside it"
                )
        return Screened(forbidden, None, (), base_frame)
    # Pinocchio and Coal take a second to import.
    from autourdf_ros.commanding.screening.model_screen import model_distances, unmoved_joints

    path = Path(model).expanduser()
    joints = list(limits)
    distances = model_distances(
        path, joints, base_frame, given_here.keep_out, height, given_here.clearance
    )
    return Screened(
        forbidden,
        distances,
        tuple(unmoved_joints(distances, joints)),
        base_frame if path.is_dir() else distances.robot.root,
    )


def refuse_blind_steps(screened: Screened, limits: Limits, step_max: float, where: str) -> None:
    """Refuse steps that are too large for motions of links whose shapes are unknown."""
    if step_max > BLIND_STEP and screened.blind(limits):
        raise InputError(
            f"{where}: parameter step_max is {step_max:g}; accepted is up to {BLIND_STEP:g} until "
            "a model with a shape on every joint screens the motion"
        )


def _declare_keep_out(parameters: Parameters, limits: Limits, where: str) -> list[KeepOut]:
    boxes = []
    for name in parameters.texts(KEEP_OUT, [], "names of boxes that no link may enter"):
        refuse_joint(name, limits, KEEP_OUT, where)
        corners = [
            parameters.numbers(f"{name}.{corner}", f"{corner} corner in base_frame (m)")
            for corner in ("lower", "upper")
        ]
        boxes.append(keep_out_box(name, corners[0], corners[1], where))
    return boxes


def _declare_forbidden(
    parameters: Parameters, limits: Limits, taken: Collection[str], where: str
) -> tuple[Forbidden, ...]:
    found = []
    for name in parameters.texts(FORBIDDEN, [], "names of forbidden configurations"):
        refuse_joint(name, limits, FORBIDDEN, where)  # whose parameters are declared already
        given = {
            joint: parameters.numbers(f"{name}.{joint}", "from, to (rad or m)") for joint in limits
        }
        ranges = {joint: numbers for joint, numbers in given.items() if numbers}
        found.append(configurations(name, ranges, limits, taken, where))
    return tuple(found)
