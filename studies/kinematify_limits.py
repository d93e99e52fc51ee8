"""Show what limits the paper's method from parts: base, contact graph, rewards, DW-CAVL.

    python studies/kinematify_limits.py trees CASE...     # base, tolerance, search and rewards
    python studies/kinematify_limits.py joints CASE...    # DW-CAVL on the true tree

A CASE is a folder with `parts/` and `truth.json` (tools/scrub writes them). `trees` prints the
mean tree edit distance and the wrong edges of every setting; `joints` prints, for every true joint,
the error of the joint found and J of both. The least J beside that of the truth says whether the
objective or its minimisation is at fault. `--set pivot_weight=0` changes an option of MctsOptions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, read_part_truth
from autourdf_ros.assessment.metrics.tree_distance import rooted_tree, unlabelled_distance
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions, MctsOptions
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.mcts.contact_statistic import contact_statistic
from autourdf_ros.estimation.parts.mcts.joint_choice import ranked_joints
from autourdf_ros.estimation.parts.mcts.kinematify import (
    clusters_of,
    inferred_trees,
    tree_rewards,
)
from autourdf_ros.estimation.parts.mcts.part_solid import PartSolid, prepare_solids
from autourdf_ros.estimation.parts.mcts.proximity_graph import proximity_graph
from autourdf_ros.estimation.parts.mcts.search_state import SearchSpace
from autourdf_ros.estimation.parts.mcts.virtual_linkage import virtual_linkage
from autourdf_ros.geometry.lines import axis_angle

TOLERANCES = (0.0025, 0.005, 0.01, 0.02)
REWARDS = ("struct", "static", "contact", "symmetry", "hierarchy")


@dataclass(frozen=True)
class Case:
    """A case, read and prepared. numbers: of the truth, by the assembly's order."""

    name: str
    assembly: PartAssembly
    solids: tuple[PartSolid, ...]
    clusters: tuple[tuple[int, ...], ...]
    truth: PartTruth
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class TreeRow:
    """A tree beside the truth. missing: true edges that the graph lacks; values: the rewards."""

    setting: str
    ted: int
    wrong: int
    root: bool
    contacts: int
    missing: int
    value: float
    true_value: float


def read_case(folder: Path, options: AssemblyOptions) -> Case:
    """Read and prepare a case."""
    assembly = read_assembly(folder / "parts")
    solids = prepare_solids(assembly, options)
    return Case(
        folder.name,
        assembly,
        solids,
        clusters_of(prepare_parts(assembly), options),
        read_part_truth(folder / "truth.json"),
        tuple(int(part.name.split("_")[-1]) for part in assembly.parts),
    )


def settings() -> Iterator[tuple[str, MctsOptions, bool]]:
    """Return name, options and whether the base is the true one, of every setting."""
    base = MctsOptions()
    yield "full", base, False
    yield "breadth first", replace(base, search=False), False
    yield "full, true base", base, True
    yield "breadth first, true base", replace(base, search=False), True
    for tolerance in TOLERANCES:
        if tolerance != base.tolerance:
            yield f"tolerance {tolerance}", replace(base, tolerance=tolerance), False
            yield f"tolerance {tolerance}, true base", replace(base, tolerance=tolerance), True
    for reward in REWARDS:
        weights = {f"{name}_weight": float(name == reward) for name in REWARDS}
        yield f"{reward} alone, true base", replace(base, **weights), True


def tree_rows(case: Case, wanted: list[str]) -> Iterator[TreeRow]:
    """Infer the tree of a case in every setting; in those wanted, where any is named."""
    true = {joint.edge for joint in case.truth.joints}
    graphs = {
        tolerance: proximity_graph(
            case.solids, case.assembly.size, MctsOptions(tolerance=tolerance)
        )
        for tolerance in TOLERANCES
    }
    for name, mcts, true_base in settings():
        if wanted and name not in wanted:
            continue
        graph = graphs[mcts.tolerance]
        root = case.truth.root
        base = case.numbers.index(root) if true_base and root is not None else graph.base()
        space = SearchSpace(graph, base, case.clusters)
        options = AssemblyOptions(mcts=mcts)
        best = inferred_trees(space, case.solids, options)[0]
        edges = [(case.numbers[u], case.numbers[v]) for u, v in best.state.edges]
        found, start = {frozenset(edge) for edge in edges}, case.numbers[base]
        near = {frozenset(case.numbers[i] for i in contact.parts) for contact in graph.contacts}
        yield TreeRow(
            name,
            unlabelled_distance(
                rooted_tree(edges, start),
                rooted_tree(case.truth.edges, start if root is None else root),
            ),
            len(true - found),
            root is None or start == root,
            len(near) - len(graph.virtual),
            len(true - near),
            best.value,
            _true_value(case, space, options) if true_base else np.nan,
        )


def _true_value(case: Case, space: SearchSpace, options: AssemblyOptions) -> float:
    """R of the true tree; NaN where the graph lacks one of its edges."""
    state, rewards = space.start(), tree_rewards(space, case.solids, options)
    edges = [(case.numbers.index(u), case.numbers.index(v)) for u, v in case.truth.edges]
    if not {*edges} <= space.graph.strengths.keys():
        return float("nan")
    while not state.complete:
        ready = (edge for edge in edges if edge[0] in state.order and edge[1] not in state.order)
        state = space.transition(state, next(ready))
    return rewards.total(rewards.terms(state))


def joint_lines(case: Case, options: AssemblyOptions) -> Iterator[str]:
    """Compare J of the joint found with that of the truth, on every true edge."""
    for joint in case.truth.joints:
        parent, child = (case.solids[case.numbers.index(i)] for i in (joint.parent, joint.child))
        best = ranked_joints(parent, child, options.mcts, options.seed)[0]
        statistic = contact_statistic(parent, child, options.mcts)
        lengths = min(parent.diagonal, child.diagonal), statistic.radius, statistic.gap
        linkage = virtual_linkage(
            parent.field, child.points, statistic.centre, lengths, options.mcts
        )
        along = joint.axis * (joint.axis @ (statistic.centre - joint.point))
        true = linkage.cost(joint.type, joint.point + along, joint.axis).total
        found = 1 / best.score - 1
        yield (
            f"{case.name},{joint.name},{joint.type},{best.type},"
            f"{axis_angle(best.axis, joint.axis):.3f},{found:.3g},{true:.3g}"
        )


def main() -> None:
    """Run one of the two studies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=("trees", "joints"))
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    parser.add_argument("--setting", action="append", default=[], help="of trees")
    args = parser.parse_args()
    changed = {name: float(value) for name, value in (one.split("=") for one in args.set)}
    options = AssemblyOptions(mcts=replace(MctsOptions(), **changed))
    totals = dict[str, list[TreeRow]]()
    for folder in args.cases:
        case = read_case(folder, options)
        if args.study == "joints":
            for line in joint_lines(case, options):
                print(line, flush=True)
            continue
        for row in tree_rows(case, args.setting):
            totals.setdefault(row.setting, []).append(row)
            print(f"{case.name}: {row}", flush=True)
    for setting, rows in totals.items():
        sums = np.sum([[row.ted, row.wrong, row.root, row.missing] for row in rows], axis=0)
        print(
            f"| {setting} | {sums[0] / len(rows):.2f} | {sums[1]} | {sums[2]} of {len(rows)} | "
            f"{sums[3]} | {sum(row.true_value > row.value + 1e-9 for row in rows)} |"
        )


if __name__ == "__main__":
    main()
