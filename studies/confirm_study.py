"""Measure how often motion picks the right alternative of a joint, and refuses a wrong tree.

`.venv/bin/python studies/confirm_study.py CASES [--case NAME] [--frames 5] [--seeds 0 1 2]` takes
cases laid out as CASE/parts/part_NN.ply and CASE/truth.json, simulates depth cameras that see the
parts in a few frames of random joint values, and confirms three trees in each: the true one, whose
joints have wrong alternatives beside the true one, in random order; one with a part on another
parent; and a random one. It counts the joints whose true alternative is chosen, and the wrong trees
that are confirmed. `--alternatives real` takes joints and alternatives from the estimator instead,
`--wrong-seeds` tries wrong trees with some seeds only.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.confirmation.confirmation_result import Confirmation
from autourdf_ros.estimation.parts.confirmation.motion_confirmation import confirm_joints
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.estimation.parts.pipeline import assemble
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.geometry.lines import axis_angle
from autourdf_ros.geometry.rigid_motion import exp_se3, transform
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA, measured_depth
from autourdf_ros.simulation.cameras.pinhole_camera import Intrinsics, cameras_around
from autourdf_ros.simulation.cameras.renderer import Renderer

CAMERAS, WIDTH, HEIGHT, VIEW = 6, 200, 160, 50.0
LARGEST_TURN, LARGEST_SLIDE = 1.0, 0.35  # rad; of the child's size
FIRST_SHARE = 0.02  # of these, in the first frame
ALTERNATIVES = 4
AWAY = 0.02  # of the size: shift of the recording's frame
KINDS = (
    "joints",  # of the tree
    "edges",  # of them true
    "moved",  # of these, seen and moved
    "listed",  # of these, with the true joint among the alternatives
    "right",  # of these, decided for it
    "wrong",  # decided for another
    "open",  # not decided
    "ambiguous",  # of the listed ones, those that the geometry does not decide
    "ambiguous right",
    "ambiguous wrong",
    "ambiguous open",
    "unlisted",  # moved, without the true joint among the alternatives
    "unlisted decided",  # of these, decided for one of the alternatives
    "unlisted proposed",  # of these, the joint that motion proposes is the true one
    "unlisted proposed wrong",  # it is another
    "replaced",  # of all moved ones, those that the joint of the motion replaces
    "replaced right",  # of these, by the true joint
    "false edges",  # joints between parts that none connects
    "false edges confirmed",
    "false edges replaced",
)


@dataclass(frozen=True)
class Case:
    """Parts, the true tree, and the limits of its joints."""

    assembly: PartAssembly
    root: int
    joints: tuple[EdgeJoint, ...]


class Args(argparse.Namespace):
    """The arguments of the study."""

    cases: Path
    case: list[str] | None
    alternatives: str
    frames: int
    seeds: list[int]
    wrong_seeds: list[int] | None
    verbose: bool


@dataclass(frozen=True)
class Counts:
    """What one case gave.

    Attributes:
        kinds: Number of joints of each kind, as `KINDS` names them.
        verdict: On the tree.
        reparented: Verdict on the tree with a part on another parent.
        random: Verdict on a random tree.
        wrong: Number of joints of each kind in these two.
        seconds: For the tree.
    """

    kinds: Counter[str]
    verdict: str
    reparented: str
    random: str
    wrong: Counter[str]
    seconds: float


def read_case(folder: Path) -> Case:
    """Read a case."""
    truth = json.loads((folder / "truth.json").read_text())
    parts = []
    for path in sorted((folder / "parts").glob("*.ply")):
        mesh = trimesh.load(path, process=False)
        parts.append(Part(path.stem, np.asarray(mesh.vertices, float), np.asarray(mesh.faces)))
    joints = []
    for one in truth["joints"]:
        axis = np.array(one["axis"]) / np.linalg.norm(one["axis"])
        lower, upper = (
            float("nan") if one.get(key) is None else float(one[key]) for key in ("lower", "upper")
        )
        true = JointCandidate(
            one["type"], axis, np.array(one["point"]), 1.0, lower=lower, upper=upper
        )
        joints.append(EdgeJoint(one["parent"], one["child"], (true,)))
    return Case(PartAssembly(folder.name, tuple(parts)), truth["root"], tuple(joints))


def random_values(case: Case, frames: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return values (F, J) of the joints: nearly zero in the first frame."""
    values = np.zeros((frames, len(case.joints)))
    for number, joint in enumerate(case.joints):
        size = case.assembly.parts[joint.child].diagonal
        most = LARGEST_TURN if joint.best.type == "revolute" else LARGEST_SLIDE * size
        low = max(-most, joint.best.lower) if joint.best.lower < -0.1 * most else -most
        high = min(most, joint.best.upper) if joint.best.upper > 0.1 * most else most
        if joint.best.lower > -0.1 * most and joint.best.upper > 0.1 * most:
            low = 0.0  # as a door or a drawer, which opens one way
        elif joint.best.upper < 0.1 * most and joint.best.lower < -0.1 * most:
            high = 0.0
        values[:, number] = rng.uniform(low, high, frames)
        values[0, number] = rng.uniform(-FIRST_SHARE, FIRST_SHARE) * most
    return values


def posed(case: Case, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the poses (P, 4, 4) of the parts at joint values (J,)."""
    poses = np.tile(np.eye(4), (len(case.assembly.parts), 1, 1))
    known, left = {case.root}, list(range(len(case.joints)))
    while left:
        for number in list(left):
            joint = case.joints[number]
            if joint.parent in known:
                moving = exp_se3(twist_of(joint.best) * values[number])
                poses[joint.child] = poses[joint.parent] @ moving
                known.add(joint.child)
                left.remove(number)
    return poses


def simulate(case: Case, values: NDArray[np.float64], rng: np.random.Generator) -> list[Frame]:
    """Return what depth cameras see in every frame."""
    surfaces = [
        SurfaceMesh(
            part.vertices.astype(np.float32),
            part.triangles.astype(np.uint32),
            np.zeros((len(part.triangles), 3), np.uint8),
        )
        for part in case.assembly.parts
    ]
    poses = np.array([posed(case, row) for row in values])
    corners = np.vstack(
        [
            mesh.hull @ pose[:3, :3].T + pose[:3, 3]
            for row in poses
            for mesh, pose in zip(surfaces, row, strict=True)
        ]
    )
    inner = Intrinsics.from_field_of_view(WIDTH, HEIGHT, VIEW)
    cameras = cameras_around(corners, CAMERAS, inner, (-20.0, 60.0))
    # A stereo camera for the size: its error is that of a robot of one metre.
    noise = replace(
        REAL_CAMERA,
        stereo_baseline=REAL_CAMERA.stereo_baseline * case.assembly.size,
        extrinsic_shift=REAL_CAMERA.extrinsic_shift * case.assembly.size,
    )
    renderer = Renderer(surfaces, cameras)
    shift = exp_se3(np.r_[rng.normal(0, 0.05, 3), rng.normal(0, AWAY, 3) * case.assembly.size])
    frames = []
    for row in poses:
        points, seers = [], []
        for index, camera in enumerate(cameras):
            depth = measured_depth(renderer.render(row, index), noise, rng)
            seen = camera.intrinsics.deproject(depth).reshape(-1, 3)
            seen = seen[np.isfinite(seen).all(axis=1)]
            points.append(seen @ camera.pose[:3, :3].T + camera.pose[:3, 3])
            seers.append(np.full(len(seen), index, np.uint8))
        frames.append(
            Frame(
                transform(shift, np.vstack(points)).astype(np.float32),
                cameras=np.concatenate(seers),
                camera_poses=shift @ np.array([camera.pose for camera in cameras]),
            )
        )
    return frames


def with_wrong_alternatives(case: Case, rng: np.random.Generator) -> list[EdgeJoint]:
    """Return the true joints with wrong alternatives: other edges, axes across, other types."""
    return [_shuffled(joint, case.assembly.parts[joint.child], rng) for joint in case.joints]


def _shuffled(joint: EdgeJoint, child: Part, rng: np.random.Generator) -> EdgeJoint:
    wrong = _wrong(joint.best, child)
    kept = rng.permutation(len(wrong))[: ALTERNATIVES - 1]
    options = [joint.best, *(wrong[k] for k in kept)]
    order = rng.permutation(len(options))
    return replace(joint, alternatives=tuple(options[k] for k in order), ambiguous=True)


def _wrong(true: JointCandidate, child: Part) -> list[JointCandidate]:
    """Other joints of a part: about its other edges, across the axis, and of the other type."""
    axis = true.axis
    helper = np.eye(3)[np.abs(axis).argmin()]
    first = np.cross(axis, helper) / np.linalg.norm(np.cross(axis, helper))
    second = np.cross(axis, first)
    middle, half = child.bounds.mean(axis=0), np.ptp(child.bounds, axis=0) / 2
    wrong = []
    for direction in (first, -first, second, -second):
        point = middle + direction * float(np.abs(direction) @ half)
        off = point - true.point
        if (
            np.linalg.norm(off - (off @ axis) * axis) > 0.15 * child.diagonal
            or true.type != "revolute"
        ):
            wrong.append(JointCandidate("revolute", axis, point, 0.0))
    place = true.point if true.type == "revolute" else middle
    wrong += [JointCandidate("revolute", one, place, 0.0) for one in (first, second)]
    wrong += [
        JointCandidate("prismatic", one, place, 0.0)
        for one in (axis, first, second)
        if true.type != "prismatic" or one is not axis
    ]
    return wrong


def reparented(
    case: Case, joints: Sequence[EdgeJoint], rng: np.random.Generator
) -> list[EdgeJoint] | None:
    """Return the joints with one child on another part; None where there is no other."""
    order = rng.permutation(len(joints))
    for number in order:
        joint = joints[number]
        below = {joint.child}
        while more := {j.child for j in joints if j.parent in below} - below:
            below |= more
        others = sorted(set(range(len(case.assembly.parts))) - below - {joint.parent})
        if others:
            gaps = [
                np.linalg.norm(
                    case.assembly.parts[o].bounds.mean(0)
                    - case.assembly.parts[joint.child].bounds.mean(0)
                )
                for o in others
            ]
            parent = others[int(np.argmin(gaps))]
            return [replace(j, parent=parent) if k == number else j for k, j in enumerate(joints)]
    return None


def random_tree(case: Case, rng: np.random.Generator) -> list[EdgeJoint]:
    """Return joints of a random tree, about random edges of the parts."""
    parts = case.assembly.parts
    order = [case.root, *(p for p in rng.permutation(len(parts)) if p != case.root)]
    joints = []
    for place, child in enumerate(order[1:], 1):
        parent = order[int(rng.integers(place))]
        axis = np.eye(3)[rng.integers(3)]
        true = JointCandidate("revolute", axis, parts[child].bounds.mean(axis=0), 0.0)
        joints.append(
            EdgeJoint(
                int(parent), int(child), (true, *_wrong(true, parts[child])[: ALTERNATIVES - 1])
            )
        )
    return joints


def same_joint(found: JointCandidate, true: JointCandidate, size: float) -> bool:
    """Return whether a candidate is the true joint: type, 5 degrees, 2 % of the size."""
    if found.type != true.type:
        return False
    angle = axis_angle(found.axis, true.axis)
    if min(angle, 180 - angle) > 5:
        return False
    off = true.point - found.point
    return found.type == "prismatic" or bool(
        np.linalg.norm(off - (off @ found.axis) * found.axis) < 0.02 * size
    )


def real_joints(case: Case) -> list[EdgeJoint]:
    """Return the joints that the estimator finds from the parts, with their alternatives."""
    root = AssemblyOptions(root=case.assembly.parts[case.root].name)
    return list(assemble(case.assembly, options=root).trace.joints)


def counted(found: Confirmation, case: Case) -> Counter[str]:
    """Return how many joints are of each kind."""
    true = {frozenset((joint.parent, joint.child)): joint.best for joint in case.joints}
    size, kinds = case.assembly.size, Counter[str]()
    for one in found.joints:
        kinds["joints"] += 1
        best = true.get(frozenset((one.joint.parent, one.joint.child)))
        if best is None:
            kinds["false edges"] += 1
            kinds["false edges confirmed"] += one.status == "confirmed"
            kinds["false edges replaced"] += one.status == "replaced"
            continue
        kinds["edges"] += 1
        if one.status in ("unmoved", "unseen"):
            continue
        kinds["moved"] += 1
        if one.status == "replaced":
            kinds["replaced"] += 1
            kinds["replaced right"] += same_joint(one.refined, best, size)
        alike = [same_joint(option, best, size) for option in one.joint.alternatives]
        if not any(alike):
            kinds["unlisted"] += 1
            kinds["unlisted decided"] += one.decides and one.status != "replaced"
            if one.proposed is not None:
                right = same_joint(one.proposed.joint, best, size)
                kinds["unlisted proposed" if right else "unlisted proposed wrong"] += 1
            continue
        decides = one.decides and one.status != "replaced"
        kind = ("right" if alike[one.chosen] else "wrong") if decides else "open"
        kinds.update(["listed", kind])
        if one.joint.ambiguous:
            kinds.update(["ambiguous", f"ambiguous {kind}"])
    return kinds


def measure(case: Case, given: Sequence[EdgeJoint] | None, seed: int, args: Args) -> Counts:
    """Measure one case; without joints they are the true ones, with wrong alternatives."""
    rng = np.random.default_rng(seed)
    seen = simulate(case, random_values(case, args.frames, rng), rng)
    joints = with_wrong_alternatives(case, rng) if given is None else given
    start = perf_counter()
    own = confirm_joints(case.assembly, case.root, joints, seen)
    seconds = perf_counter() - start
    if args.verbose:
        show(own, case)
    wrong: Counter[str] = Counter()
    verdict = guess = "none"
    if args.wrong_seeds is None or seed in args.wrong_seeds:
        other = reparented(case, joints, rng)
        verdict = "none" if other is None else _verdict(case, other, seen, wrong, args)
        if len(case.joints) > 1:
            guess = _verdict(case, random_tree(case, rng), seen, wrong, args)
    return Counts(counted(own, case), own.verdict, verdict, guess, wrong, seconds)


def _verdict(
    case: Case, joints: Sequence[EdgeJoint], seen: Sequence[Frame], wrong: Counter[str], args: Args
) -> str:
    """Return the verdict on a tree; "none" where it has the edges of the true one."""
    true = {frozenset((joint.parent, joint.child)) for joint in case.joints}
    if true == {frozenset((joint.parent, joint.child)) for joint in joints}:
        return "none"
    found = confirm_joints(case.assembly, case.root, joints, seen)
    kinds = counted(found, case)
    wrong.update({kind: kinds[kind] for kind in kinds if kind.startswith("false edges")})
    wrong.update(["trees", f"trees {found.verdict}"])
    if found.verdict == "confirmed" and args.verbose:
        print("  WRONG TREE CONFIRMED:", *(one.reason for one in found.joints), sep="\n    ")
    return found.verdict


def show(found: Confirmation, case: Case) -> None:
    """Print what motion says of every joint."""
    print(*found.reasons, sep="\n")
    print(f"  noise {1000 * found.noise:.2f} mm, explained {np.round(found.explained, 2)}")
    edges = {frozenset((joint.parent, joint.child)): joint.best for joint in case.joints}
    for one in found.joints:
        ends = f"{one.joint.parent:2d}->{one.joint.child:2d}"
        true = edges.get(frozenset((one.joint.parent, one.joint.child)))
        if true is None:
            print(f"  {ends} false edge, {one.status}: {one.reason}")
            continue
        chosen = one.joint.alternatives[one.chosen]
        right = same_joint(chosen, true, case.assembly.size)
        angle = axis_angle(one.refined.axis, true.axis)
        print(
            f"  {ends} {true.type[:4]} {one.status:12s}"
            f" right {right:d} p {one.posterior.max():.3f} edge {one.edge_probability:.2f}"
            f" residual {1000 * one.residual:.1f} mm axis {angle:.2f}"
            f" tracked {found.tracked[:, one.joint.child].sum()} {one.reason}"
        )


def counts_of(folder: Path, seed: int, args: Args) -> Counts:
    """Measure the case of a folder."""
    case = read_case(folder)
    given = real_joints(case) if args.alternatives == "real" else None
    return measure(case, given, seed, args)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--case", action="append")
    parser.add_argument("--alternatives", choices=("synthetic", "real"), default="synthetic")
    parser.add_argument("--frames", type=int, default=5)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--wrong-seeds", type=int, nargs="*", help="with wrong trees; default: all")
    parser.add_argument("--verbose", action="store_true")
    add_scheduler_argument(parser, "one case after the other")
    args = parser.parse_args(namespace=Args())
    total, wrong, verdicts = Counter[str](), Counter[str](), Counter[str]()
    folders = sorted(path.parent for path in args.cases.absolute().glob("*/truth.json"))
    pieces = [
        (folder, seed, args)
        for folder in folders
        if not args.case or folder.name in args.case
        for seed in args.seeds
    ]
    with asked_cluster(args) as connect:
        for (folder, seed, _), counts in each_of(counts_of, pieces, connect):
            total += counts.kinds
            wrong += counts.wrong
            verdicts[counts.verdict] += 1
            print(
                f"{folder.name:24s} {seed} {_line(counts.kinds)} | {counts.verdict} | re-parented: "
                f"{counts.reparented} | random: {counts.random} | {counts.seconds:.1f} s",
                flush=True,
            )
    print(f"all: {_line(total)}; {dict(verdicts)}")
    print(f"wrong trees: {dict(wrong)}")


def _line(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} {kinds[kind]}" for kind in KINDS if kinds[kind])


if __name__ == "__main__":
    main()
