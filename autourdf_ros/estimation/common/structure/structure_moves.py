"""Changes of a tree that a search proposes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol

import numpy as np

from autourdf_ros.estimation.common.structure.likelihood import S, StructureState
from autourdf_ros.model.kinematic_tree import KinematicTree


@dataclass(frozen=True)
class Proposal(Generic[S]):
    """Another state.

    Attributes:
        change: What is changed, in words.
        state: With it.
        promise: A quick estimate of the score that it gains (nats), to choose what is tried.
    """

    change: str
    state: S
    promise: float = 0.0


class Generator(Protocol[S]):
    """Proposes changes of a state."""

    def __call__(self, state: S, /) -> Iterator[Proposal[S]]:
        """Yield changed states."""
        ...


def other_parents(state: StructureState) -> Iterator[Proposal[StructureState]]:
    """Hang every link, with all beyond it, on every other link that is not beyond it."""
    tree = state.tree
    for joint in tree.joints:
        beyond = tree.subtree(joint.child)
        for parent in tree.links:
            if parent != joint.parent and parent not in beyond:
                changed = tree.change_parent(joint.child, parent)
                yield Proposal(f"{joint.child} on {parent}", StructureState(changed, state.values))


def other_places(state: StructureState) -> Iterator[Proposal[StructureState]]:
    """Take every link out, so that what hangs on it hangs on its parent, and put it elsewhere.

    Elsewhere is on any link, with nothing beyond it or before one of the links that hang there.
    """
    for joint in state.tree.joints:
        alone = state.tree
        for child in alone.children(joint.child):
            alone = alone.change_parent(child, joint.parent)
        for parent in alone.links:
            if parent == joint.child:
                continue
            moved = alone if parent == joint.parent else alone.change_parent(joint.child, parent)
            if moved is not state.tree and alone is not state.tree:
                yield Proposal(
                    f"{joint.child} alone on {parent}", StructureState(moved, state.values)
                )
            for child in moved.children(parent):
                if child != joint.child:
                    yield Proposal(
                        f"{joint.child} between {parent} and {child}",
                        StructureState(moved.change_parent(child, joint.child), state.values),
                    )


def fewer_joints(state: StructureState) -> Iterator[Proposal[StructureState]]:
    """Make every link and its parent one body."""
    for number, joint in enumerate(state.tree.joints):
        merged: KinematicTree = state.tree.merge_links(joint.child)
        yield Proposal(
            f"{joint.child} and {joint.parent} as one",
            StructureState(merged, np.delete(state.values, number, axis=1)),
        )
