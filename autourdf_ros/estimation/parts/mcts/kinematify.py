"""The paper's Algorithm 1 (J. Wang et al., Kinematify, arXiv 2511.01294, III.B to III.D)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import Contact, JointCandidate, RankedTree
from autourdf_ros.estimation.parts.contact.congruence import congruent_groups
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart, prepare_parts
from autourdf_ros.estimation.parts.mcts.joint_choice import ranked_joints
from autourdf_ros.estimation.parts.mcts.part_solid import PartSolid, prepare_solids
from autourdf_ros.estimation.parts.mcts.proximity_graph import ProximityGraph, proximity_graph
from autourdf_ros.estimation.parts.mcts.search_state import SearchSpace, breadth_first
from autourdf_ros.estimation.parts.mcts.tree_reward import RewardTerms, torque_scale
from autourdf_ros.estimation.parts.mcts.uct_search import ScoredTree, search_trees
from autourdf_ros.progress import Progress, part, silent


@dataclass(frozen=True)
class SearchedKinematics:
    """What the paper's method finds.

    Attributes:
        tree: Of the greatest return; `terms` are the five rewards.
        runner_up: The next one; None where there is no other or no search.
        contacts: Edges of the contact graph, virtual ones with strength 0.
        clusters: Groups of two or more congruent parts, by number.
        joints: Of every edge of the tree, in its order: ranked, the best first.
        virtual: Edges of the tree that are no contact.
    """

    tree: RankedTree
    runner_up: RankedTree | None
    contacts: tuple[Contact, ...]
    clusters: tuple[tuple[int, ...], ...]
    joints: tuple[tuple[JointCandidate, ...], ...]
    virtual: frozenset[tuple[int, int]] = frozenset()


def infer_by_search(
    assembly: PartAssembly,
    options: AssemblyOptions = AssemblyOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
    parts: Sequence[PreparedPart] | None = None,
) -> SearchedKinematics:
    """Infer tree and joints of parts as the paper does.

    Args:
        assembly: The parts.
        options: Choices of the user.
        progress: Is called with stage and fraction, and may raise to cancel.
        parts: The same, prepared; None to prepare them.

    Raises:
        InputError: A part is too far from the others, or the root's name is unknown.
    """
    solids = prepare_solids(assembly, options, part(progress, 0.0, 0.1))
    graph = proximity_graph(solids, assembly.size, options.mcts, part(progress, 0.1, 0.2))
    groups = clusters_of(prepare_parts(assembly) if parts is None else parts, options)
    space = SearchSpace(graph, _base(assembly, graph, options.root), groups)
    trees = inferred_trees(space, solids, options, part(progress, 0.2, 0.3))
    ranked = [_ranked(tree, space.base) for tree in trees[:2]]
    joints = []
    for number, (parent, child) in enumerate(ranked[0].edges):
        progress("finding the joints", 0.3 + 0.7 * number / len(ranked[0].edges))
        joints.append(ranked_joints(solids[parent], solids[child], options.mcts, options.seed))
    used = {(min(edge), max(edge)) for edge in ranked[0].edges}
    return SearchedKinematics(
        tree=ranked[0],
        runner_up=ranked[1] if len(ranked) > 1 else None,
        contacts=graph.contacts,
        clusters=groups,
        joints=tuple(joints),
        virtual=graph.virtual & used,
    )


def clusters_of(
    parts: Sequence[PreparedPart], options: AssemblyOptions
) -> tuple[tuple[int, ...], ...]:
    """Return {C_k}: numbers of parts that are congruent by their Chamfer distance, or mirrored."""
    contact = ContactOptions(congruent=options.mcts.congruence, seed=options.seed)
    return tuple(group.members for group in congruent_groups(parts, contact))


def inferred_trees(
    space: SearchSpace,
    solids: Sequence[PartSolid],
    options: AssemblyOptions,
    progress: Progress = silent,
) -> list[ScoredTree]:
    """Return the cached trees of the search, the best first; without search, the warm start."""
    rewards, warm = tree_rewards(space, solids, options), breadth_first(space)
    if not options.mcts.search:
        terms = rewards.terms(warm)
        return [ScoredTree(warm, rewards.total(terms), terms)]
    rng = np.random.default_rng(options.seed)
    return search_trees(space, rewards, [warm], options.mcts, rng, progress)


def tree_rewards(
    space: SearchSpace, solids: Sequence[PartSolid], options: AssemblyOptions
) -> RewardTerms:
    """Return the rewards of an assembly's trees, with σ_τ of its breadth-first tree."""
    centres = np.array([solid.centre for solid in solids])
    volumes = np.array([solid.volume for solid in solids])
    scale = torque_scale(breadth_first(space).edges, centres, volumes)
    return RewardTerms(space, centres, volumes, scale, options.mcts)


def _base(assembly: PartAssembly, graph: ProximityGraph, root: str | None) -> int:
    names = [part.name for part in assembly.parts]
    if root is None:
        return graph.base()
    if root not in names:
        raise InputError(f"root: {root!r} is no part; accepted are {', '.join(names)}")
    return names.index(root)


def _ranked(tree: ScoredTree, base: int) -> RankedTree:
    return RankedTree(base, tree.state.edges, tree.value, tree.terms)
