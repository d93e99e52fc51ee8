"""How right trees and bases of parts are, and how they depend on the weights of edges.

`python studies/parts_tree_study.py measure CASES... -o FOLDER` measures contacts, joints and
congruent parts of all pairs once (CASE/parts/*.ply, CASE/truth.json; half a minute a humanoid).
`... evaluate FOLDER` chooses trees and bases from them by the weights of the package, in seconds:
a line for each case that is not right, and sums. `... nested FOLDER` chooses the weights from a
grid by all families of robots but one, and counts the wrong edges of that one. Folders `posed`,
`repeats` and `heldobjects` choose nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pickle
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.assessment.metrics.tree_distance import rooted_tree, unlabelled_distance
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.estimation.parts.assembly_trace import RankedTree
from autourdf_ros.estimation.parts.contact.congruence import congruent_groups
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions
from autourdf_ros.estimation.parts.structure.tree_choice import choose_structure
from autourdf_ros.estimation.parts.symmetry.pair_joint import pair_joints
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.estimation.parts.symmetry_method import contact_graph

APART = ("posed", "repeats", "heldobjects")
FAMILIES = ("ur3 ur5 ur10", "a1 go2 laikago", "solo bolt finger", "so10", "tiago talos",
            "baxter sawyer", "borinot hextilt", "double_pendulum TwoDofs")  # fmt: skip
GRID = {"spread": (0.0, 0.5, 1.0), "turning_slip": (0.0, 1.0), "turning": (0.0, 1.0)}
ENDS = (0.0, 0.4)


@dataclass(frozen=True)
class Outcome:
    """How right a tree is: true edges that it lacks, its base, and its distance."""

    lacking: int
    base: bool
    ted: int


def measure(case: Path, folder: Path) -> None:
    """Write what a tree is chosen from."""
    contact, structure = ContactOptions(), StructureOptions()
    assembly = read_assembly(case / "parts")
    parts = prepare_parts(assembly, contact)
    regions = contact_graph(parts, contact, structure)
    triples = [(*pair, region) for pair, region in regions.items()]
    joints = pair_joints(parts, triples, assembly.size, SymmetryOptions(contact=contact))
    groups = congruent_groups(parts, contact)
    kept = []
    for part in parts:
        light = replace(part, surface=None, pool=None, field=None)  # type: ignore[arg-type]
        vars(light)["hull_volume"] = part.hull_volume
        kept.append(light)
    found = {"name": case.name, "corpus": case.parent.name, "parts": kept, "joints": joints}
    found |= {"groups": groups, "truth": json.loads((case / "truth.json").read_text())}
    (folder / f"{case.parent.name}__{case.name}.pkl").write_bytes(pickle.dumps(found))


def outcome(case: dict[str, Any], tree: RankedTree) -> Outcome:
    """Compare a tree with the truth; parts that were set aside are missing."""
    truth = case["truth"]
    numbers = [int(part.part.name.split("_")[1]) for part in case["parts"]]
    edges = [(numbers[first], numbers[second]) for first, second in tree.edges]
    true = [(joint["parent"], joint["child"]) for joint in truth["joints"]]
    lacking = {frozenset(edge) for edge in true} - {frozenset(edge) for edge in edges}
    root, base = numbers[tree.root], truth["root"]
    ted = unlabelled_distance(rooted_tree(edges, root), rooted_tree(true, base))
    return Outcome(len(lacking), root == base, ted)


def outcomes(cases: list[dict[str, Any]], options: StructureOptions) -> list[Outcome]:
    """Choose the trees of cases."""
    return [
        outcome(
            one, choose_structure(one["parts"], one["joints"], one["groups"], None, options).tree
        )
        for one in cases
    ]


def show(cases: list[dict[str, Any]], found: list[Outcome]) -> None:
    """Print what is not right, and sums by folder."""
    for case, one in zip(cases, found, strict=True):
        if one.lacking or not one.base:
            base = "right" if one.base else "wrong"
            print(
                f"{case['corpus']}/{case['name']}: lacks {one.lacking}, base {base}, TED {one.ted}"
            )
    for corpus in sorted({case["corpus"] for case in cases}):
        own = [i for i, case in enumerate(cases) if case["corpus"] == corpus]
        edges = sum(len(cases[i]["truth"]["joints"]) for i in own)
        print(
            f"{corpus}: {len(own)} cases, TED 0 on {sum(found[i].ted == 0 for i in own)}, "
            f"wrong edges {sum(found[i].lacking for i in own)}/{edges}, "
            f"base right {sum(found[i].base for i in own)}"
        )


def family(case: dict[str, Any]) -> str:
    """Name the robots that are left out together."""
    for one in FAMILIES:
        if any(case["name"].startswith(start) for start in one.split()):
            return one
    return str(case["name"])


def nested(cases: list[dict[str, Any]]) -> None:
    """Count wrong edges by weights that other families choose; of equal ones the smallest."""
    every = [
        (dict(zip(GRID, values, strict=True)), end)
        for values in itertools.product(*GRID.values())
        for end in ENDS
    ]
    table = []
    for weights, end in every:
        options = StructureOptions(end=end)
        options = replace(options, edges=replace(options.edges, **weights))
        found = outcomes(cases, options)
        table.append([one.lacking for one in found])
        print(weights, "end", end, "wrong edges", sum(table[-1]), flush=True)
    wrong, families = np.array(table), np.array([family(case) for case in cases])
    chooses = np.array([case["corpus"] not in APART for case in cases])
    left: Counter[str] = Counter()
    chosen: Counter[int] = Counter()
    for one in sorted(set(families)):
        best = int(wrong[:, chooses & (families != one)].sum(axis=1).argmin())
        chosen[best] += 1
        for i in np.flatnonzero(families == one):
            left[cases[i]["corpus"]] += int(wrong[best, i])
    print("chosen:", {str(every[best]): count for best, count in chosen.items()})
    print("wrong edges of families left out:", dict(left))


def main() -> None:
    """Measure, evaluate or choose."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("do", choices=("measure", "evaluate", "nested"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("-o", "--out", type=Path)
    asked = parser.parse_args()
    if asked.do == "measure":
        asked.out.mkdir(parents=True, exist_ok=True)
        for case in asked.paths:
            measure(case, asked.out)
        return
    files = [file for path in asked.paths for file in sorted(path.glob("*.pkl"))]
    cases = [pickle.loads(file.read_bytes()) for file in files]
    cases = [case for case in cases if case["truth"]["root"] is not None]
    if asked.do == "evaluate":
        show(cases, outcomes(cases, StructureOptions()))
    else:
        nested(cases)


if __name__ == "__main__":
    main()
