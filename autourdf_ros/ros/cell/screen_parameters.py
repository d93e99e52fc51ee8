"""The parameters of the screening of motions. All functions raise InputError."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.keep_out import KeepOut
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
        "minimum_height", "z in base_frame below which no link may go (m); not given: none"
    )
    clearance = parameters.number(
        "clearance", 0.02, "distance that links keep from keep_out and minimum_height (m)", 0, 1
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
            ("keep_out", bool(given_here.keep_out)),
            ("minimum_height", height is not None),
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
    for name in parameters.texts("keep_out", [], "names of boxes that no link may enter"):
        _refuse_joint(name, limits, "keep_out", where)
        corners = []
        for corner in ("lower", "upper"):
            given = parameters.numbers(f"{name}.{corner}", f"{corner} corner in base_frame (m)")
            if len(given) != 3:
                raise InputError(
                    f"{where}: {name}.{corner} has {len(given)} numbers; accepted is x, y, z of "
                    "the corner of a keep_out box"
                )
            corners.append(given)
        lower, upper = corners
        for axis, low, high in zip("xyz", lower, upper, strict=True):
            if low >= high:
                raise InputError(
                    f"{where}: {name}.lower: is {low:g} in {axis}; accepted is below upper, "
                    f"{high:g}"
                )
        boxes.append(KeepOut(name, lower, upper))
    return boxes


def _declare_forbidden(
    parameters: Parameters, limits: Limits, taken: Collection[str], where: str
) -> tuple[Forbidden, ...]:
    found = []
    for name in parameters.texts("forbidden", [], "names of forbidden configurations"):
        _refuse_joint(name, limits, "forbidden", where)
        if name in taken:
            raise InputError(f"{where}: {name!r} is in keep_out and in forbidden; accepted is one")
        ranges: dict[str, tuple[float, float]] = {}
        for joint in limits:
            given = parameters.numbers(f"{name}.{joint}", "from, to (rad or m)")
            if not given:
                continue
            if len(given) != 2 or given[0] >= given[1]:
                raise InputError(
                    f"{where}: {name}.{joint} is {list(given)}; accepted are two numbers, the "
                    "smaller one first"
                )
            ranges[joint] = given[0], given[1]
        if not ranges:
            raise InputError(
                f"{where}: forbidden {name!r} names no joint; accepted are ranges of any of "
                f"{', '.join(limits)}"
            )
        found.append(Forbidden(name, ranges))
    return tuple(found)


def _refuse_joint(name: str, limits: Limits, key: str, where: str) -> None:
    if name in limits:
        raise InputError(f"{where}: {key} names {name!r}, which is a joint; accepted is another")
