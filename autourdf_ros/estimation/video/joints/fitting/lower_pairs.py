"""Types of joints as subgroups of the rigid motions: the lower pairs of Reuleaux.

A joint moves its child by X = K g L against its parent: K is the joint's frame in the parent, g
a motion of the subgroup, L places the child. Which coordinates of a twist (omega, v) in the
joint's frame the subgroup has is all that sets types apart; z is the axis or the normal.
Helical joints, the one lower pair besides, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_so3

PairType = Literal["fixed", "revolute", "prismatic", "cylindrical", "planar", "spherical", "free"]
PAIR_TYPES: tuple[PairType, ...] = get_args(PairType)  # those with fewer degrees of freedom first


@dataclass(frozen=True)
class LowerPair:
    """What a type of joint lets move, and what of its frame means anything.

    Attributes:
        moves: Coordinates of twists (omega, v) along which the joint moves, in its own frame.
        placed: Coordinates along which moving the joint's frame in the parent changes the joint;
            along the others the frame slides within the joint's symmetry.
        screws: 1-DoF joints that do the same in a row, parent first: each one of `moves`.
    """

    moves: tuple[int, ...]
    placed: tuple[int, ...]
    screws: tuple[int, ...]

    @property
    def rest(self) -> tuple[int, ...]:
        """Coordinates that the joint holds."""
        return tuple(i for i in range(6) if i not in self.moves)


PAIRS: dict[PairType, LowerPair] = {
    "fixed": LowerPair((), (), ()),
    "revolute": LowerPair((2,), (0, 1, 3, 4), (2,)),
    "prismatic": LowerPair((5,), (0, 1), (5,)),
    "cylindrical": LowerPair((2, 5), (0, 1, 3, 4), (5, 2)),
    "planar": LowerPair((2, 3, 4), (0, 1), (3, 4, 2)),
    "spherical": LowerPair((0, 1, 2), (3, 4, 5), (0, 1, 2)),
    "free": LowerPair((0, 1, 2, 3, 4, 5), (), (3, 4, 5, 0, 1, 2)),
}


def screw_values(kind: PairType, motions: Array) -> Array:
    """Return the values (T, D) of the 1-DoF joints in a row, in the order of `screws`.

    Args:
        kind: Type of the joint.
        motions: (T, 4, 4) of its subgroup.

    Slides come first, so their values are coordinates of the shift. Turns about x, y and z in a
    row are those of R = Rx Ry Rz (Diebel, Representing attitude, 2006, sequence 1-2-3); turns
    are continued over the frames, a full turn being no jump.
    """
    turns = len(set(PAIRS[kind].moves) & {0, 1, 2})
    if turns == 3:
        angles = _in_a_row(motions[:, :3, :3])
    else:
        angles = log_so3(motions[:, :3, :3]) * np.array([0.0, 0.0, 1.0])
    values = np.hstack([_continued(angles), motions[:, :3, 3]])
    return values[:, list(PAIRS[kind].screws)]


def screw_rates(kind: PairType, values: Array) -> Array:
    """Return (T, D, D) by which small motions along `moves` change the values of the screws.

    Args:
        kind: Type of the joint.
        values: (T, D) from `screw_values`.

    A small motion acts behind the joint's own: g exp(S d).
    """
    pair = PAIRS[kind]
    count, turned = len(pair.moves), len(values)
    angles = np.zeros((turned, 3))
    for column, coordinate in enumerate(pair.screws):
        if coordinate < 3:
            angles[:, coordinate] = values[:, column]
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles).T, np.sin(angles).T
    zero, one = np.zeros(turned), np.ones(turned)
    rates = np.zeros((turned, 6, 6))
    # Body rates of Rx Ry Rz are w = E q'; the rows of E^-1 follow from its columns.
    body = np.array([[cy * cz, sz, zero], [-cy * sz, cz, zero], [sy, zero, one]])
    rates[:, :3, :3] = np.linalg.pinv(np.moveaxis(body, 2, 0))
    x = np.array([[one, zero, zero], [zero, cx, -sx], [zero, sx, cx]])
    y = np.array([[cy, zero, sy], [zero, one, zero], [-sy, zero, cy]])
    z = np.array([[cz, -sz, zero], [sz, cz, zero], [zero, zero, one]])
    rates[:, 3:, 3:] = np.einsum("ijt,jkt,klt->til", x, y, z)
    wanted = rates[:, list(pair.screws)][:, :, list(pair.moves)]
    return np.asarray(wanted.reshape(turned, count, count))


def _in_a_row(rotations: Array) -> Array:
    """Angles (T, 3) with R = Rx Ry Rz."""
    tilt = np.arcsin(np.clip(rotations[:, 0, 2], -1.0, 1.0))
    first = np.arctan2(-rotations[:, 1, 2], rotations[:, 2, 2])
    last = np.arctan2(-rotations[:, 0, 1], rotations[:, 0, 0])
    return np.stack([first, tilt, last], axis=1)


def _continued(angles: Array) -> Array:
    """Angles (T, 3) without jumps of a full turn between frames; NaN where they are NaN."""
    result = angles.copy()
    known = np.isfinite(angles).all(axis=1)
    result[known] = np.unwrap(angles[known], axis=0)
    return result
