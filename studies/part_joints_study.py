"""How right the joints between given pairs of parts are, over cases with known joints.

`python studies/part_joints_study.py CASES... [--failures] [--no-consensus]`: CASES are folders of
cases, or cases (CASE/parts/*.ply in metres, CASE/truth.json). The true tree is given; the joints
are found, with the consensus of congruent parts. A row for each case, one for each folder, and a
line for each joint that is wrong.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.contact.congruence import congruent_groups
from autourdf_ros.estimation.parts.contact.contact_region import contact_region
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.symmetry.consensus import agree
from autourdf_ros.estimation.parts.symmetry.pair_joint import pair_joints
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.geometry.lines import axis_angle, perpendicular_distance

ANGLE, OFFSET = 5.0, 2.0  # degrees, % of the size: a joint within them is right
COLUMNS = ("angle", "offset", "type", "right", "rank", "flagged", "probability")


def read(case: Path) -> tuple[PartAssembly, dict]:
    """Read the parts and the truth of a case."""
    parts = []
    for path in sorted((case / "parts").glob("*.ply")):
        mesh = trimesh.load(path, process=False)
        parts.append(Part(path.stem, np.asarray(mesh.vertices, float), np.asarray(mesh.faces)))
    return PartAssembly(case.name, tuple(parts)), json.loads((case / "truth.json").read_text())


def found_joints(
    assembly: PartAssembly, edges: list[tuple[int, int]], consensus: bool
) -> dict[tuple[int, int], EdgeJoint]:
    """Find the joints of given edges."""
    options = SymmetryOptions()
    parts = prepare_parts(assembly, options.contact)
    pairs = [(min(edge), max(edge)) for edge in edges]
    triples = [
        (*pair, contact_region(*(parts[i] for i in pair), options.contact)) for pair in pairs
    ]
    joints = pair_joints(parts, triples, assembly.size, options)
    groups = congruent_groups(parts, options.contact) if consensus else ()
    edges = [edge for edge in edges if joints[min(edge), max(edge)].candidates]
    return {
        (joint.parent, joint.child): joint for joint in agree(edges, joints, groups, parts, options)
    }


def errors(candidate, truth: dict, size: float) -> tuple[float, float, bool, bool]:
    """Angle (degrees), perpendicular distance (% of size), type and joint right."""
    angle = axis_angle(candidate.axis, np.array(truth["axis"]))
    slides = truth["type"] == "prismatic"
    offset = 0.0
    if not slides:
        offset = perpendicular_distance(np.array(truth["point"]), candidate.point, candidate.axis)
    offset = 100 * offset / size
    kind = candidate.type == truth["type"]
    return angle, offset, kind, bool(angle < ANGLE and offset < OFFSET and kind)


def rows_of(case: Path, options: argparse.Namespace) -> np.ndarray:
    """Return (J, 7) by `COLUMNS` for the joints of a case."""
    assembly, truth = read(case)
    joints = [joint for joint in truth["joints"] if joint["type"] in ("revolute", "prismatic")]
    edges = [(joint["parent"], joint["child"]) for joint in joints]
    started = time.process_time()
    found = found_joints(assembly, edges, not options.no_consensus)
    seconds = time.process_time() - started
    rows = []
    for edge, joint in zip(edges, joints, strict=True):
        if edge not in found:
            rows.append((90.0, 100.0, False, False, 99, True, 0.0))
            continue
        measured = [errors(one, joint, assembly.size) for one in found[edge].alternatives]
        ranks = [rank for rank, one in enumerate(measured) if one[3]]
        flagged, best = found[edge].ambiguous, found[edge].best
        rows.append((*measured[0], ranks[0] if ranks else 99, flagged, best.probability))
        if options.failures and not measured[0][3]:
            print(
                f"  {case.name} {joint.get('name', '')} {edge} {joint['type']}: "
                f"{measured[0][0]:.1f} deg {measured[0][1]:.2f} %, found {best.type} ({best.source}, {best.probability:.2f}), "
                f"rank of the truth {ranks[0] if ranks else '-'}, "
                f"{'flagged' if flagged else 'NOT flagged'}"
            )
    result = np.array(rows, float).reshape(-1, len(COLUMNS))
    if len(result):
        print(f"{case.parent.name}/{case.name}: {summary(result)}, {seconds:.1f} CPU s", flush=True)
    return result


def summary(rows: np.ndarray) -> str:
    """One line of figures over joints."""
    angle, offset, kind, right, rank, flagged, _ = rows.T
    sure = right[flagged == 0]
    return (
        f"{len(rows)} joints, < 5 deg {np.mean(angle < ANGLE):.3f}, "
        f"median {np.median(angle):.3f}, mean {angle.mean():.2f} deg, "
        f"{offset.mean():.3f} %, < 2 % {np.mean(offset < OFFSET):.3f}, "
        f"types {kind.mean():.3f}, right {right.mean():.3f}, first three {np.mean(rank < 3):.3f}, "
        f"flagged {flagged.mean():.3f}, unflagged right {sure.mean() if len(sure) else 1:.3f}"
    )


def calibration(rows: np.ndarray) -> str:
    """Mean probability and share of right joints, in five bins of equal count."""
    order = np.argsort(rows[:, 6], kind="stable")
    bins = np.array_split(rows[order], 5)
    return ", ".join(f"{one[:, 6].mean():.2f} {one[:, 3].mean():.2f}" for one in bins if len(one))


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--failures", action="store_true", help="a line for each wrong joint")
    parser.add_argument("--no-consensus", action="store_true", help="every pair for itself")
    options = parser.parse_args()
    for folder in options.cases:
        cases = [folder] if (folder / "truth.json").exists() else sorted(folder.iterdir())
        rows = [rows_of(case, options) for case in cases if (case / "truth.json").exists()]
        if len(rows) > 1:
            every = np.vstack(rows)
            print(f"{folder.name}: {summary(every)}\n  probability, right: {calibration(every)}")


if __name__ == "__main__":
    main()
