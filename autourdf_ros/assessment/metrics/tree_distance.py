"""Edit distance between two kinematic trees, independent of the joints' names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apted import APTED, Config

from autourdf_ros.model.skeleton import Skeleton


@dataclass(frozen=True)
class TreeNode:
    """A body of the tree.

    Attributes:
        children: In canonical order.
    """

    children: tuple[TreeNode, ...]

    @property
    def code(self) -> str:
        """Nested parentheses of the subtree; equal for equal unordered trees."""
        return f"({''.join(child.code for child in self.children)})"


class _Unlabelled(Config):
    def rename(self, node1: TreeNode, node2: TreeNode) -> int:
        return 0

    def children(self, node: TreeNode) -> tuple[TreeNode, ...]:
        return node.children


def body_tree(skeleton: Skeleton) -> TreeNode:
    """Return the unlabelled tree of a skeleton's bodies, rooted at the fixed body.

    Children are ordered by the canonical code of Aho, Hopcroft and Ullman (1974), so that equal
    trees are equal in any numbering of their joints.
    """

    def node(body: int) -> TreeNode:
        children = [node(skeleton.joints[index].child) for index in skeleton.children(body)]
        return TreeNode(tuple(sorted(children, key=lambda child: child.code, reverse=True)))

    return node(0)


def rooted_tree(edges: Iterable[Sequence[int]], root: int) -> TreeNode:
    """Return the unlabelled tree that edges without direction make, from a root.

    Nodes that the root does not reach are left out. Children are ordered as `body_tree` orders
    them.
    """
    beside: dict[int, set[int]] = {}
    for first, second in edges:
        beside.setdefault(first, set()).add(second)
        beside.setdefault(second, set()).add(first)

    def node(number: int, above: int | None) -> TreeNode:
        inner = [node(one, number) for one in beside.get(number, ()) if one != above]
        return TreeNode(tuple(sorted(inner, key=lambda child: child.code, reverse=True)))

    return node(root, None)


def unlabelled_distance(first: TreeNode, second: TreeNode) -> int:
    """Return the least number of insertions and deletions of nodes between two trees (TED).

    Unit-cost ordered tree edit distance (Zhang and Shasha 1989) by APTED (Pawlik and Augsten 2016)
    of trees with children in canonical order.
    """
    return int(APTED(first, second, _Unlabelled()).compute_edit_distance())


def tree_edit_distance(estimate: Skeleton, truth: Skeleton) -> int:
    """Return the least number of insertions and deletions of bodies between two trees (TED).

    Unit-cost ordered tree edit distance (Zhang and Shasha 1989) of the unlabelled trees with
    children in canonical order, by APTED (Pawlik and Augsten 2016), as AutoURDF reports it.
    """
    return unlabelled_distance(body_tree(estimate), body_tree(truth))
