"""Erases the joints of a mechanism: parts in an order that says nothing, and the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import trimesh

from autourdf_ros.data.parts.erased.mechanism import Body, BodyJoint, Mechanism, joined_meshes
from autourdf_ros.errors import InputError

_WORLD = 0


@dataclass(frozen=True)
class TrueJoint:
    """A joint between two parts, by their numbers."""

    joint: BodyJoint
    parent: int
    child: int


@dataclass(frozen=True)
class ErasedModel:
    """Parts without joints, and the truth about them.

    Attributes:
        name: Of the model.
        meshes: Of the parts, by number, in one frame (m).
        links: Names that the parts have in the model.
        root: Number of the root part; None where the model does not say.
        joints: Of the tree.
        notes: Sentences about what was joined or left out.
    """

    name: str
    meshes: tuple[trimesh.Trimesh, ...]
    links: tuple[str, ...]
    root: int | None
    joints: tuple[TrueJoint, ...]
    notes: tuple[str, ...]

    @property
    def size(self) -> float:
        """Length of the diagonal of the box around all parts (m)."""
        corners = np.vstack([mesh.bounds for mesh in self.meshes])
        return float(np.linalg.norm(np.ptp(corners, axis=0)))


def erase_joints(mechanism: Mechanism, seed: int = 0) -> ErasedModel:
    """Return the parts of a mechanism, shuffled, and the joints between them.

    A body without geometry at a leaf is left out. One between parts makes a compound joint of the
    joints around it: geometry has no single axis there, so the parts are joined into one. Bodies
    that several joints connect to their parent are joined to it likewise. The fixed world is the
    root part where it has geometry, otherwise its only child is.

    Args:
        mechanism: What a model says.
        seed: Of the order of the parts.

    Raises:
        InputError: Fewer than two parts are left, or the world without geometry has several
            children.
    """
    forest = _Forest(mechanism)
    forest.drop_bare_leaves()
    forest.find_root()
    forest.join_compounds()
    return forest.shuffled(seed)


class _Forest:
    """Bodies by number, while they are joined."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.name = mechanism.name
        self.bodies: dict[int, Body] = dict(enumerate(mechanism.bodies))
        self.notes = list(mechanism.notes)
        self.root = _WORLD

    def children(self, number: int) -> list[int]:
        return [key for key, body in self.bodies.items() if body.parent == number]

    def drop_bare_leaves(self) -> None:
        for number in sorted(self.bodies, reverse=True):
            body = self.bodies[number]
            if number != _WORLD and body.mesh is None and not self.children(number):
                del self.bodies[number]
                self.notes.append(f"'{body.name}' has no geometry and no child: left out")

    def find_root(self) -> None:
        """Go down from the world to the first body with geometry."""
        while self.bodies[self.root].mesh is None:
            inner = self.children(self.root)
            if len(inner) != 1:
                raise InputError(
                    f"{self.name}: {self.bodies[self.root].name} has no geometry and "
                    f"{len(inner)} children with geometry; accepted is one"
                )
            del self.bodies[self.root]
            self.root = inner[0]

    def join_compounds(self) -> None:
        for number in sorted(self.bodies):
            body = self.bodies[number]
            if number == self.root:
                continue
            if body.mesh is None:
                self._join(number, "has no geometry")
            elif len(body.joints) != 1:
                self._join(number, "has not one joint of one degree of freedom")

    def _join(self, number: int, why: str) -> None:
        """Make a body, and what it hangs on without geometry, one with its parent."""
        body = self.bodies.pop(number)
        parent = self.bodies[body.parent]
        meshes = [mesh for mesh in (parent.mesh, body.mesh) if mesh is not None]
        self.bodies[body.parent] = replace(parent, mesh=joined_meshes(meshes))
        for child in self.children(number):
            self.bodies[child] = replace(
                self.bodies[child],
                parent=body.parent,
                joints=() if body.mesh is None else self.bodies[child].joints,
            )
        self.notes.append(f"'{body.name}' {why}: joined to '{parent.name}'")

    def shuffled(self, seed: int) -> ErasedModel:
        if len(self.bodies) < 2:
            raise InputError(f"{self.name}: {len(self.bodies)} part; accepted are two or more")
        order = [int(one) for one in np.random.default_rng(seed).permutation(sorted(self.bodies))]
        place = {number: index for index, number in enumerate(order)}
        joints = [
            TrueJoint(self.bodies[number].joints[0], place[self.bodies[number].parent], index)
            for index, number in enumerate(order)
            if number != self.root
        ]
        meshes = [mesh for mesh in (self.bodies[number].mesh for number in order) if mesh]
        return ErasedModel(
            self.name,
            tuple(meshes),
            tuple(self.bodies[number].name for number in order),
            place[self.root],
            tuple(joints),
            tuple(self.notes),
        )
