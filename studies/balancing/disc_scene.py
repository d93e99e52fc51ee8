"""A tool on a small disc in MuJoCo, with its true mass: whether it stays there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia
from balancing.resting_place import RestingPlace

Array = NDArray[np.float64]

RADIUS = 0.0175
"""m, of the disc: that of Nadeau et al. 2023."""
SECONDS = 5.0
"""For which the tool has to stay."""
FALLEN = np.radians(10)
"""A tool that tilts farther than this has fallen."""
TOOL = "tool"
HALF_HEIGHT = 0.05
"""m, of the disc."""
_CELLS = 4  # across the radius: convex pieces of the tool's underside
_REACH = 1.5  # radii: pieces farther out never meet the disc
_RAISED, _WIDENED = 1e-3, 2e-4  # m, of the upper side of a piece, which never touches
_STEP = 0.002  # s
_STIFF = (0.99, 0.999)  # impedance of a contact, in which a tool hardly sinks


@dataclass(frozen=True)
class BalancedTool:
    """A tool.

    Attributes:
        points: (n, 3) densely on its surface, in its own frame (m).
        parameters: (10,) true inertial parameters in that frame.
    """

    points: Array
    parameters: Array


def disc_scene(tool: BalancedTool, centre: Array, place: RestingPlace) -> mujoco.MjModel:
    """Return the tool, set with an assumed centre of mass (3,) above the middle of the disc."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.cone = _STEP, mujoco.mjtCone.mjCONE_ELLIPTIC
    disc = spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[RADIUS, HALF_HEIGHT, 0], pos=[0, 0, -HALF_HEIGHT]
    )
    disc.solimp[:2] = _STIFF
    body = spec.worldbody.add_body(name=TOOL)
    body.add_freejoint()
    body.pos = np.array([0, 0, place.height]) - place.turn @ centre
    mujoco.mju_mat2Quat(body.quat, place.turn.ravel())
    mass, middle, tensor = mass_centre_inertia(tool.parameters)
    body.mass, body.ipos, body.explicitinertial = mass, middle, True
    body.fullinertia = [tensor[index] for index in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    for number, piece in enumerate(underside(tool.points, centre, place)):
        mesh = spec.add_mesh(name=f"piece_{number}", uservert=piece.ravel())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name)
        geom.solimp[:2], geom.density = _STIFF, 0
    return spec.compile()


def underside(points: Array, centre: Array, place: RestingPlace) -> Iterator[Array]:
    """Yield the points (k, 3) of convex pieces of what may touch the disc, in the tool's frame."""
    local = (points - centre) @ place.turn.T
    near = np.hypot(local[:, 0], local[:, 1]) < _REACH * RADIUS
    points, local = points[near], local[near]
    cells = np.floor(local[:, :2] * _CELLS / RADIUS).astype(int)
    low = RADIUS * np.sin(FALLEN) - place.height
    wide = (-_WIDENED, _WIDENED)  # so that even a piece of few points has a volume
    tops = np.array([(x, y, _RAISED) for x in wide for y in wide]) @ place.turn
    for cell in np.unique(cells, axis=0):
        inside = (cells == cell).all(axis=1)
        if local[inside, 2].min() < low:
            own = points[inside]
            yield np.concatenate([own, (own[:, None] + tops).reshape(-1, 3)])


def stays(model: mujoco.MjModel, data: mujoco.MjData) -> bool:
    """Simulate; return whether the tool neither tilts, falls nor slides off the disc."""
    mujoco.mj_forward(model, data)
    body = data.body(TOOL)
    start, place = body.xmat.reshape(3, 3).copy(), body.xipos.copy()
    while data.time < SECONDS:
        mujoco.mj_step(model, data)
        turned = (np.trace(start.T @ body.xmat.reshape(3, 3)) - 1) / 2
        if turned < np.cos(FALLEN) or np.linalg.norm(body.xipos - place) > RADIUS:
            return False
    return True
