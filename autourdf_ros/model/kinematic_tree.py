"""The kinematic tree of a model, and the operations that change its structure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.tree_joint import TreeJoint, joint_motion

Children = Literal["drop", "reattach"]


@dataclass(frozen=True)
class KinematicTree:
    """Links and the joints between them, in the base frame at the reference configuration.

    The base frame is the fixed frame of the data. Arrays of joint values follow the order of
    `joints`, which is free; links come after their parents.

    Attributes:
        links: L names, the root first, parents before children.
        joints: L - 1 joints, one for each link but the root.

    Raises:
        InputError: names repeat, a link has no parent or two, a joint names an unknown link,
            joints form a loop, an axis is no unit vector, or limits are the wrong way round.
    """

    links: tuple[str, ...]
    joints: tuple[TreeJoint, ...] = ()

    def __post_init__(self) -> None:
        _refuse_repeated("links", self.links)
        _refuse_repeated("joints", self.joint_names)
        _refuse_no_tree(self)
        for joint in self.joints:
            _refuse_mimic(joint, self.joint_names)

    @property
    def root(self) -> str:
        """Name of the root link, which the base frame belongs to."""
        return self.links[0]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in order."""
        return tuple(joint.name for joint in self.joints)

    @property
    def reference_values(self) -> NDArray[np.float64]:
        """(J,) joint values at the reference configuration (rad or m)."""
        return np.array([joint.reference for joint in self.joints], float)

    def joint_of(self, link: str) -> TreeJoint | None:
        """Return the joint that moves a link, None for the root."""
        self._require(link)
        return next((joint for joint in self.joints if joint.child == link), None)

    def children(self, link: str) -> tuple[str, ...]:
        """Return the links whose parent is `link`, in the order of the joints."""
        return tuple(joint.child for joint in self.joints if joint.parent == link)

    def subtree(self, link: str) -> tuple[str, ...]:
        """Return a link and all links beyond it, in the order of `links`."""
        self._require(link)
        inside = {link}
        parents = {joint.child: joint.parent for joint in self.joints}
        for name in self.links:
            if parents.get(name) in inside:
                inside.add(name)
        return tuple(name for name in self.links if name in inside)

    def motions(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return how every link moved since the reference configuration.

        Args:
            values: (..., J) joint values (rad or m).

        Returns:
            (..., L, 4, 4) in the base frame: each maps a point of its link at the reference
            configuration to where it is.

        The product of exponentials in the space frame, with the reference configuration as home
        (Lynch and Park, Modern Robotics, ch. 4).
        """
        values = np.asarray(values, float)
        inward = {joint.child: (joint, index) for index, joint in enumerate(self.joints)}
        motions = {self.root: np.broadcast_to(np.eye(4), (*values.shape[:-1], 4, 4))}
        for link in self.links[1:]:
            joint, index = inward[link]
            motions[link] = motions[joint.parent] @ joint_motion(joint, values[..., index])
        return np.stack([motions[link] for link in self.links], axis=-3)

    def add_link(self, joint: TreeJoint) -> KinematicTree:
        """Return the tree with one more link, `joint.child`, behind all others."""
        return KinematicTree((*self.links, joint.child), (*self.joints, joint))

    def remove_link(self, link: str, children: Children = "drop") -> KinematicTree:
        """Return the tree without a link and its joint.

        Joints that follow a removed joint move by themselves from then on.

        Args:
            link: Not the root.
            children: "drop" removes the links beyond it as well; "reattach" hangs them on its
                parent, where they stand at the reference configuration.
        """
        above = self._joint_above(link)
        gone = set(self.subtree(link)) if children == "drop" else {link}
        kept = [
            replace(joint, parent=above.parent) if joint.parent == link else joint
            for joint in self.joints
            if joint.child not in gone
        ]
        return _tree([name for name in self.links if name not in gone], kept)

    def merge_links(self, child: str) -> KinematicTree:
        """Return the tree in which a link and its parent are one rigid body, named as the parent.

        The joints beyond stay where they are: for all values of the remaining joints, all remaining
        links move as they did with the joint between the two at its reference value.
        """
        return self.remove_link(child, "reattach")

    def change_parent(self, link: str, parent: str) -> KinematicTree:
        """Return the tree in which a link, with all beyond it, hangs on another parent.

        Its joint keeps its axis in the base frame at the reference configuration.
        """
        self._require(parent)
        moved = self._joint_above(link)
        if parent in self.subtree(link):
            raise InputError(f"link '{parent}' is beyond '{link}' and cannot become its parent")
        return _tree(
            self.links,
            [replace(one, parent=parent) if one is moved else one for one in self.joints],
        )

    def reroot(self, link: str) -> KinematicTree:
        """Return the tree with another root.

        The joints between both roots are turned round: they keep names, values and limits, and
        their axes are negated. So at the same joint values all links stand the same to one another.
        """
        joint, turned = self.joint_of(link), {}
        while joint is not None:
            turned[joint.name] = replace(
                joint, parent=joint.child, child=joint.parent, axis=-joint.axis
            )
            joint = self.joint_of(joint.parent)
        joints = [turned.get(joint.name, joint) for joint in self.joints]
        return _tree((link, *(name for name in self.links if name != link)), joints)

    def repose(self, values: ArrayLike) -> KinematicTree:
        """Return the tree whose geometry is given at other joint values (J,), its reference.

        Joint values keep their meaning: `rezero` changes the configuration that they count from.
        """
        values = self._values(values)
        motions = dict(zip(self.links, self.motions(values), strict=True))
        joints = [
            replace(
                joint,
                axis=motions[joint.parent][:3, :3] @ joint.axis,
                point=motions[joint.parent][:3, :3] @ joint.point + motions[joint.parent][:3, 3],
                reference=float(value),
            )
            for joint, value in zip(self.joints, values, strict=True)
        ]
        return KinematicTree(self.links, tuple(joints))

    def rezero(self, values: ArrayLike) -> KinematicTree:
        """Return the tree whose joints are at zero where they were at `values` (J,).

        Geometry and reference configuration stay; limits, reference values and the offsets of
        followers count anew.
        """
        values = self._values(values)
        zeros = dict(zip(self.joint_names, values.tolist(), strict=True))
        return KinematicTree(self.links, tuple(_rezeroed(joint, zeros) for joint in self.joints))

    def renamed(self, links: Mapping[str, str], joints: Mapping[str, str]) -> KinematicTree:
        """Return the tree with other names, given by today's; those not given stay."""
        return KinematicTree(
            tuple(links.get(name, name) for name in self.links),
            tuple(joint.renamed(links, joints) for joint in self.joints),
        )

    def _values(self, values: ArrayLike) -> NDArray[np.float64]:
        found = np.asarray(values, float)
        if found.shape != (len(self.joints),) or not np.isfinite(found).all():
            raise InputError(
                f"joint values of shape {found.shape}; accepted are {len(self.joints)} finite "
                f"numbers, of {', '.join(self.joint_names)}"
            )
        return found

    def _joint_above(self, link: str) -> TreeJoint:
        above = self.joint_of(link)
        if above is None:
            raise InputError(f"link '{link}' is the root; accepted is a link that a joint moves")
        return above

    def _require(self, link: str) -> None:
        if link not in self.links:
            raise InputError(f"link '{link}' is unknown; known are {', '.join(self.links)}")


def _tree(links: Sequence[str], joints: Sequence[TreeJoint]) -> KinematicTree:
    """The tree of these links, sorted so that parents come first, without lost followers."""
    parents = {joint.child: joint.parent for joint in joints}
    names = {joint.name for joint in joints}
    waiting, placed = list(links), dict.fromkeys(links[:1])
    while len(placed) < len(waiting):
        placed |= dict.fromkeys(
            [next(n for n in waiting if n not in placed and parents[n] in placed)]
        )
    free = [
        replace(joint, mimic=None) if joint.mimic and joint.mimic.joint not in names else joint
        for joint in joints
    ]
    return KinematicTree(tuple(placed), tuple(free))


def _rezeroed(joint: TreeJoint, zeros: Mapping[str, float]) -> TreeJoint:
    shift, mimic = zeros[joint.name], joint.mimic
    if mimic is not None:
        offset = mimic.offset + mimic.multiplier * zeros[mimic.joint] - shift
        mimic = replace(mimic, offset=offset)
    return replace(
        joint,
        lower=joint.lower - shift,
        upper=joint.upper - shift,
        reference=joint.reference - shift,
        mimic=mimic,
    )


def _refuse_repeated(kind: str, names: Sequence[str]) -> None:
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{kind} named {repeated}: more than one each; accepted are unique names")


def _refuse_no_tree(tree: KinematicTree) -> None:
    if not tree.links:
        raise InputError("a kinematic tree without links; accepted is a root link at least")
    place = {name: number for number, name in enumerate(tree.links)}
    children = [joint.child for joint in tree.joints]
    for joint in tree.joints:
        for link in (joint.parent, joint.child):
            if link not in place:
                raise InputError(f"joint '{joint.name}' names the unknown link '{link}'")
        if children.count(joint.child) > 1:
            raise InputError(f"link '{joint.child}' has several parents; accepted is one")
    if tree.root in children:
        raise InputError(f"link '{tree.root}' comes first but has a parent; the root comes first")
    if orphans := [name for name in tree.links[1:] if name not in children]:
        raise InputError(f"links {orphans} have no parent; accepted is one root, {tree.root!r}")
    for joint in tree.joints:
        if place[joint.parent] >= place[joint.child]:
            raise InputError(
                f"link '{joint.child}' comes before its parent '{joint.parent}', or both are in a "
                "loop; accepted are trees, parents first"
            )


def _refuse_mimic(joint: TreeJoint, names: Collection[str]) -> None:
    if joint.mimic is not None and joint.mimic.joint not in {*names} - {joint.name}:
        raise InputError(
            f"joint '{joint.name}' follows '{joint.mimic.joint}'; accepted is another joint"
        )
